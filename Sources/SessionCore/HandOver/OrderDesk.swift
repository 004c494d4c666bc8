/// Decides what a holder does about the order in the store; a pure state machine.
///
/// Call `look` when the session begins to hold, and after each change of the order's file.
package struct OrderDesk: Sendable {
  /// What the desk must know of an order.
  package struct Slip: Sendable, Hashable {
    package var number: Int
    /// The process to which it is addressed; nil in an order of an earlier version.
    package var holder: Int32?

    package init(number: Int, holder: Int32?) { (self.number, self.holder) = (number, holder) }
  }

  package enum Action: Sendable, Hashable {
    /// Carry out the order, then call `didEnd` and write the answer.
    case carryOut(Int)
    /// Stop carrying out the order: it was withdrawn.
    case stop(Int)
  }

  private let process: Int32
  /// The number of the last order seen, so that none is carried out twice.
  private var last = 0
  private var current: Int?

  package init(process: Int32) { self.process = process }

  /// Call this when the lock was taken, before the first `look`.
  ///
  /// An order of an earlier version does not say for whom it is: one that is there already was
  /// given to a former holder, and its process does not expect this one to answer. One that is
  /// addressed to this process was given after it had signed the lock, and must not be missed.
  ///
  /// - Parameter answered: the number of the last order that was answered, also by another session of this
  ///   process: its text stays until the process that gave it has read the answer.
  package mutating func begin(_ slip: Slip?, answered: Int? = nil) {
    if let answered { last = max(last, answered) }
    if let slip, slip.holder == nil { last = max(last, slip.number) }
  }

  package mutating func look(_ slip: Slip?) -> [Action] {
    var actions: [Action] = []
    if let current, slip?.number != current {
      actions.append(.stop(current))
      self.current = nil
    }
    guard let slip, slip.number > last, slip.holder ?? process == process else { return actions }
    (last, current) = (slip.number, slip.number)
    return actions + [.carryOut(slip.number)]
  }

  package func isCurrent(_ number: Int) -> Bool { current == number }

  package mutating func didEnd(_ number: Int) { if isCurrent(number) { current = nil } }

  /// The order was not carried out: if it is still there when this process holds again, it is looked at
  /// again.
  package mutating func putBack(_ number: Int) {
    if isCurrent(number) { (last, current) = (number - 1, nil) }
  }
}
