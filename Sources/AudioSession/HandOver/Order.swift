import POSIX
import SessionCore
import SessionProfiles

/// A request of a process without the lock to the holder.
///
/// It is a file beside the stored mode: the holder sees it, carries it out, and answers in another
/// file. It is valid as long as its process waits for the answer. If it is withdrawn or its process
/// dies, the holder stops and restores the previous setup.
struct Order: Sendable {
  enum Kind: Sendable {
    case apply(AudioMode, profile: String?)
    /// Apply this mode, which was applied before, for another session of the holder's process: no input
    /// is unmuted.
    case adopt(AudioMode, profile: String?)
    /// Restore the setup from before the first apply, and forget the mode or keep it for later; and
    /// forget the settings of devices that are away, or keep them.
    case revert(keepsMode: Bool, forgets: Bool)
    /// Make room: the requesting process becomes the holder.
    case takeOver
    /// Anything that only a later version can read.
    case unreadable
  }

  var kind: Kind
  /// A unique number, which the answer repeats.
  var number: Int
  /// The version of an order's form. A holder refuses a later one; new numbers of the `[session]`
  /// table, which earlier holders ignore, are no new version.
  static let version = 1
  /// The numbers of orders: a greater one would leave none for later orders.
  static let numbers = 1...1 << 53
  /// The requesting process.
  var process: Int32
  /// The holder to which it is given.
  var holder: Int32
  /// The time limit for the whole order.
  var timeout: Duration
  /// Whether a hook gave it: it triggers no further hooks.
  var isOfHook = ProcessEnvironment["AUDIOSESSION_HOOK"] != nil
}

extension Order.Kind? {
  /// Whether it only restores the previous setup.
  var isRestoring: Bool { if case .revert? = self { true } else { false } }

  /// The mode that takes effect; nil if none does.
  var mode: AudioMode? {
    switch self {
    case .apply(let mode, _)?, .adopt(let mode, _)?: mode
    case .revert?, .takeOver?, .unreadable?, nil: nil
    }
  }
}

extension Order {
  /// The order as a profile file with a `[session]` table.
  var text: String {
    var mode = AudioMode()
    var name: String?
    var numbers = [
      ("version", Self.version), ("number", number), ("process", Int(process)),
      ("milliseconds", Int(timeout.microseconds / 1000)), ("holder", Int(holder)),
    ]
    if isOfHook { numbers.append(("hook", 1)) }
    switch kind {
    case .apply(let preferred, let profile): (mode, name) = (preferred, profile)
    case .adopt(let preferred, let profile):
      (mode, name) = (preferred, profile)
      numbers.append(("adopt", 1))
    case .revert(let keepsMode, let forgets):
      numbers.append((keepsMode ? "deactivate" : "revert", 1))
      if forgets { numbers.append(("forget", 1)) }
    case .takeOver: numbers.append(("takeover", 1))
    case .unreadable: break
    }
    return ProfileWriter.toml(mode, profile: name, extra: numbers)
  }

  /// What a holder must know of it before it reads the rest.
  var slip: OrderDesk.Slip { OrderDesk.Slip(number: number, holder: holder) }

  /// Parses an order; nil for other text. Of one that this version cannot read, the numbers suffice
  /// to refuse it.
  init?(text: String, file: String) {
    let parsed = try? Profile.parse(text, name: "order", file: file, allowsSession: true)
    let numbers = parsed?.session?.numbers ?? Self.numbers(of: text)
    guard let number = numbers["number"], Self.numbers.contains(number),
      let process = numbers["process"].flatMap(Int32.init(exactly:)), process > 0,
      let holder = numbers["holder"].flatMap(Int32.init(exactly:)),
      let milliseconds = numbers["milliseconds"], milliseconds > 0
    else { return nil }
    self.number = number
    self.process = process
    self.holder = holder
    timeout = .milliseconds(milliseconds)
    isOfHook = numbers["hook"] == 1
    guard let parsed, numbers["version"] ?? 1 <= Self.version else {
      kind = .unreadable
      return
    }
    if numbers["takeover"] == 1 {
      kind = .takeOver
    } else if numbers["revert"] == 1 {
      kind = .revert(keepsMode: false, forgets: numbers["forget"] == 1)
    } else if numbers["deactivate"] == 1 {
      kind = .revert(keepsMode: true, forgets: numbers["forget"] == 1)
    } else if numbers["adopt"] == 1 {
      kind = .adopt(parsed.mode, profile: parsed.session?.profile)
    } else {
      kind = .apply(parsed.mode, profile: parsed.session?.profile)
    }
  }

  /// The whole numbers of the `[session]` table of a text that is no profile.
  private static func numbers(of text: String) -> [String: Int] {
    let lines = text.split(separator: "\n").drop { $0 != "[session]" }.dropFirst()
    let pairs = lines.prefix { !$0.hasPrefix("[") }.compactMap { line -> (String, Int)? in
      let parts = line.split(separator: " ")
      guard parts.count == 3, parts[1] == "=", let number = Int(parts[2]) else { return nil }
      return (String(parts[0]), number)
    }
    return Dictionary(pairs) { first, _ in first }
  }
}
