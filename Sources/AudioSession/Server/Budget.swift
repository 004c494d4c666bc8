/// The time limit of a call, and of its parts.
struct Budget: Sendable {
  /// The limit of the change itself.
  let run: Deadline
  /// The limit for reading back the result.
  let readBack: Deadline
  /// The limit of the whole call; the remainder is for the rollback.
  let whole: Deadline
  private let shortestRollback: Duration

  init(_ timeout: Duration) {
    let timeout = Deadline.sane(timeout)
    run = Deadline(after: timeout * 70 / 100)
    readBack = Deadline(after: timeout * 85 / 100)
    whole = Deadline(after: timeout)
    shortestRollback = timeout * 15 / 100
  }

  /// The limit of a rollback that begins now. It has some time also after the machine was asleep, or this
  /// process stopped, beyond the end of the call.
  var rollback: Deadline { Deadline(after: max(whole.remaining, shortestRollback)) }
}
