import SessionCore
import SessionProfiles

/// What a process without the lock asks the holder to do.
///
/// A file beside the wish: the holder sees it appear, does what it says, and answers in another. The
/// order stands as long as somebody waits for the answer; one that is taken back, or whose process
/// died, is given up and what was before is restored.
struct Order: Sendable {
  enum Kind: Sendable {
    /// Make this wish so.
    case apply(AudioMode, profile: String?)
    /// Go back to what was before the first apply, and forget the wish or keep it for later.
    case revert(keepsWish: Bool)
    /// Make room: this process becomes the holder.
    case takeOver
  }

  var kind: Kind
  /// The answer repeats it; no two orders have the same.
  var number: Int
  /// Who asks.
  var process: Int32
  /// How long the work may take, in all.
  var timeout: Duration
}

/// What became of an order.
struct Answer: Sendable, Codable {
  var number: Int
  /// Nil where it failed, and for a takeover.
  var report: ApplyReport?
  var error: SessionError?
}

extension Order.Kind? {
  /// Whether it only goes back to what was before.
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
    case .apply(let wish, let profile): (mode, name) = (wish, profile)
    case .revert(let keepsWish): numbers.append((keepsWish ? "deactivate" : "revert", 1))
    case .takeOver: numbers.append(("takeover", 1))
    }
    return ProfileWriter.toml(mode, profile: name, extra: numbers)
  }

  /// Nil for what is no order.
  init?(text: String, file: String) {
    guard let parsed = try? Profile.parseStored(text, name: "order", file: file),
      let session = parsed.session, let number = session.numbers["number"],
      let process = session.numbers["process"].flatMap(Int32.init(exactly:)), process > 0,
      let milliseconds = session.numbers["milliseconds"], milliseconds > 0
    else { return nil }
    self.number = number
    self.process = process
    timeout = .milliseconds(milliseconds)
    if session.numbers["takeover"] == 1 {
      kind = .takeOver
    } else if session.numbers["revert"] == 1 {
      kind = .revert(keepsWish: false)
    } else if session.numbers["deactivate"] == 1 {
      kind = .revert(keepsWish: true)
    } else {
      kind = .apply(parsed.mode, profile: session.profile)
    }
  }
}
