/// Prints what it is given, one after the other, in a task of its own: who has to react to events waits
/// for no reader.
final class PrintQueue: Sendable {
  private typealias Job = @Sendable () async -> Void

  /// How much is kept while a reader stalls: the newest.
  private static let room = 64

  private let jobs: AsyncStream<Job>.Continuation
  private let work: Task<Void, Never>

  init() {
    let (jobs, job) = AsyncStream<Job>.makeStream(bufferingPolicy: .bufferingNewest(Self.room))
    self.jobs = job
    work = Task { for await print in jobs { await print() } }
  }

  /// Prints after what it was given before.
  func add(_ print: @escaping @Sendable () async -> Void) { jobs.yield(print) }

  /// Waits until everything is printed; nothing is asked of a server for it any more.
  func finish() async {
    jobs.finish()
    work.cancel()
    await work.value
  }
}
