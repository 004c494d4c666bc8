import SessionCore
import SessionProfiles

/// A request of a process without the lock to the holder.
///
/// It is a file beside the stored mode: the holder sees it, carries it out, and answers in another
/// file. It is valid as long as its process waits for the answer. If it is withdrawn or its process
/// dies, the holder stops and restores the previous setup.
struct Order: Sendable {
  enum Kind: Sendable {
    /// Apply this mode.
    case apply(AudioMode, profile: String?)
    /// Restore the setup from before the first apply, and forget the mode or keep it for later; and
    /// forget the settings of unplugged devices, or keep them.
    case revert(keepsMode: Bool, forgets: Bool)
    /// Make room: the requesting process becomes the holder.
    case takeOver
  }

  var kind: Kind
  /// A unique number, which the answer repeats.
  var number: Int
  /// The numbers of orders: a greater one would leave none for later orders.
  static let numbers = 1...1 << 53
  /// The requesting process.
  var process: Int32
  /// The time limit for the whole order.
  var timeout: Duration
}

/// The outcome of an order.
struct Answer: Sendable, Codable {
  var number: Int
  /// Nil if it failed, and for a takeover.
  var report: ApplyReport?
  var error: SessionError?
}

extension Order.Kind? {
  /// Whether it only restores the previous setup.
  var isRestoring: Bool { if case .revert? = self { true } else { false } }
}

extension Order {
  /// The order as a profile file with a `[session]` table.
  var text: String {
    var mode = AudioMode()
    var name: String?
    var numbers = [
      ("number", number), ("process", Int(process)),
      ("milliseconds", Int(timeout.microseconds / 1000)),
    ]
    switch kind {
    case .apply(let preferred, let profile): (mode, name) = (preferred, profile)
    case .revert(let keepsMode, let forgets):
      numbers.append((keepsMode ? "deactivate" : "revert", 1))
      if forgets { numbers.append(("forget", 1)) }
    case .takeOver: numbers.append(("takeover", 1))
    }
    return ProfileWriter.toml(mode, profile: name, extra: numbers)
  }

  /// Parses an order; nil for other text.
  init?(text: String, file: String) {
    guard let parsed = try? Profile.parseStored(text, name: "order", file: file),
      let session = parsed.session, let number = session.numbers["number"],
      Self.numbers.contains(number),
      let process = session.numbers["process"].flatMap(Int32.init(exactly:)), process > 0,
      let milliseconds = session.numbers["milliseconds"], milliseconds > 0
    else { return nil }
    self.number = number
    self.process = process
    timeout = .milliseconds(milliseconds)
    if session.numbers["takeover"] == 1 {
      kind = .takeOver
    } else if session.numbers["revert"] == 1 {
      kind = .revert(keepsMode: false, forgets: session.numbers["forget"] == 1)
    } else if session.numbers["deactivate"] == 1 {
      kind = .revert(keepsMode: true, forgets: session.numbers["forget"] == 1)
    } else {
      kind = .apply(parsed.mode, profile: session.profile)
    }
  }
}
