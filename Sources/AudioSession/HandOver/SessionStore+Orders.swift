import Pulse
import SessionCore

extension SessionStore {
  /// Watches the files through which processes communicate: an order appeared or was withdrawn, an
  /// answer appeared, or a process may have released the lock.
  func watch(
    on loop: PulseLoop, _ handler: @escaping @Sendable (Set<StoreFiles.File>) -> Void
  ) -> DescriptorWatch? {
    let watched = [StoreFiles.File.order, .answer, .lock].map { (file: $0, name: files.name($0)) }
    return Watch.folder(folder, on: loop) { names in
      let changed = watched.filter { names.contains($0.name) }.map(\.file)
      if !changed.isEmpty { handler(Set(changed)) }
    }
  }

  /// The current order; nil if there is none, or it cannot be read.
  func order() -> Order? {
    guard let bytes = (try? files.read(.order)) ?? nil else { return nil }
    return Order(text: String(decoding: bytes, as: UTF8.self), file: files.path(.order))
  }

  func write(_ order: Order) throws(SessionError) {
    try files.write(Array(order.text.utf8), to: .order)
  }

  func takeBackOrder() { try? files.write(nil, to: .order) }

  func answer() -> Answer? {
    struct Part: Decodable { var number: Int }
    guard let bytes = (try? files.read(.answer)) ?? nil,
      let number = StoreCoding.decode(Part.self, bytes)?.number, Order.numbers.contains(number)
    else { return nil }
    return StoreCoding.decode(Answer.self, bytes)
      ?? Answer(
        number: number,
        error: SessionError(
          .refused, stage: .session,
          "the process that holds the audio session is of another version, and its answer cannot be "
            + "read; 'audiosession state' shows what is in effect"))
  }

  func write(_ answer: Answer) throws(SessionError) {
    try files.write(try StoreCoding.encode(answer), to: .answer)
  }

  /// A number that no earlier order had: the time, because a withdrawn order leaves no trace, or a
  /// greater number if the clock was set back.
  func nextOrderNumber() -> Int {
    max(TimeOfDay.microseconds / 1000, (order()?.number ?? 0) + 1, (answer()?.number ?? 0) + 1)
  }
}
