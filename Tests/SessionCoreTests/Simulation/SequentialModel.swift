/// What lock, orders and answers are where one thing happens after the other: each event of the lives must be
/// possible here.
struct SequentialModel {
  private struct Order {
    var sender: Int32
    var holder: Int32
    var mode: Int
    /// Who had the lock since it was given.
    var holders: Set<Int32>
    var isAnswered = false
  }

  private var holder: Int32?
  /// To whom the last holder gave the lock.
  private var successor: Int32?
  private var orders: [Int: Order] = [:]
  private var last = 0
  private(set) var broken: String?

  private mutating func require(_ holds: Bool, _ rule: @autoclosure () -> String) {
    if !holds, broken == nil { broken = rule() }
  }

  /// - Parameter isRunning: whether a process lives; who does not has no lock and waits for none.
  mutating func take(_ process: Int32, isRunning: (Int32) -> Bool) {
    if let holder { require(!isRunning(holder), "\(process) takes the lock of \(holder)") }
    if let successor, successor != process {
      require(!isRunning(successor), "\(process) takes the lock that was given to \(successor)")
    }
    (holder, successor) = (process, nil)
    for number in orders.keys { orders[number]?.holders.insert(process) }
  }

  mutating func release(_ process: Int32, to taker: Int32?) {
    require(holder == process, "\(process) gives a lock that it has not")
    (holder, successor) = (nil, taker)
  }

  mutating func order(_ number: Int, from process: Int32, to holder: Int32, mode: Int) {
    let former = last
    require(number > former, "\(process) gives order \(number) after \(former)")
    last = number
    let now: Set = self.holder.map { [$0] } ?? []
    orders[number] = Order(sender: process, holder: holder, mode: mode, holders: now)
  }

  /// A mode took effect, for an order or by the holder's own choice.
  mutating func apply(_ mode: Int, by process: Int32, for number: Int?) {
    require(holder == process, "\(process) applies \(mode) without the lock")
    guard let number else { return }
    guard let order = orders[number] else { return require(false, "nobody gave order \(number)") }
    require(order.mode == mode, "order \(number) asks for \(order.mode), and \(mode) is applied")
    require(!order.isAnswered, "order \(number) is carried out twice")
  }

  mutating func answer(_ number: Int, by process: Int32) {
    guard let order = orders[number] else { return require(false, "nobody gave order \(number)") }
    require(!order.isAnswered, "order \(number) is answered twice")
    require(order.holder == process, "\(process) answers another's order \(number)")
    require(
      order.holders.contains(process), "\(process) answers order \(number) and never had the lock")
    orders[number]?.isAnswered = true
  }

  /// A process learns that its order was answered.
  mutating func learn(_ number: Int, _ process: Int32) {
    guard let order = orders[number] else { return require(false, "nobody gave order \(number)") }
    require(order.sender == process, "\(process) takes the answer to another's order \(number)")
    require(order.isAnswered, "\(process) takes order \(number) as answered, and nobody did")
  }

  /// The power went: nobody has the lock.
  mutating func restart() { (holder, successor) = (nil, nil) }
}
