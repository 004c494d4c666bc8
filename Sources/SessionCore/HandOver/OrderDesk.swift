/// Decides what a holder does about the order in the store; a pure state machine.
///
/// Call `look` when the session begins to hold, and after each change of the order's file.
package struct OrderDesk: Sendable {
  /// What the desk must know of an order.
  package struct Slip: Sendable, Hashable {
    package var number: Int
    /// The process to which it is addressed.
    package var holder: Int32

    package init(number: Int, holder: Int32) { (self.number, self.holder) = (number, holder) }
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
  /// - Parameter number: the number of the last order that was answered, also by another session of this
  ///   process: its text stays until the process that gave it has read the answer.
  package mutating func begin(answered number: Int?) { last = max(last, number ?? last) }

  package mutating func look(_ slip: Slip?) -> [Action] {
    var actions: [Action] = []
    if let current, slip?.number != current {
      actions.append(.stop(current))
      self.current = nil
    }
    guard let slip, slip.number > last, slip.holder == process else { return actions }
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
