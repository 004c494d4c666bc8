package import PulseTypes

/// What a holder says of itself on the server, in the properties of its client: others see it whatever
/// address they use, and whatever machine they are on.
package struct HolderMark: Sendable, Hashable {
  /// The property's name.
  package static let key = "audiosession.holder"

  /// Whether it is about to hold, and looks itself whether another does.
  package var isClaim: Bool
  package var process: Int32
  /// The name of its files, which its address gives.
  package var files: String
  package var name: String

  package init(isClaim: Bool, process: Int32, files: String, name: String) {
    (self.isClaim, self.process, self.files, self.name) = (isClaim, process, files, name)
  }

  /// Reads a property's value; nil for what no holder wrote, and for one that gave the session back.
  package init?(_ text: String) {
    let words = text.split(separator: " ", maxSplits: 3)
    guard words.count == 4, words[0] == "holds" || words[0] == "claims",
      let process = Int32(words[1]), process > 0, !words[2].contains("/")
    else { return nil }
    self.init(
      isClaim: words[0] == "claims", process: process, files: String(words[2]),
      name: String(words[3]))
  }

  /// The property's value.
  package var text: String { "\(isClaim ? "claims" : "holds") \(process) \(files) \(name)" }

  /// Who it is, in the words of the lock.
  package var owner: LockRecord.Owner {
    LockRecord.Owner(pid: process, name: name, isHolding: true)
  }
}

extension ServerSnapshot {
  /// The holder of this server beside one; of two that have not begun the earlier client is first.
  package func holder(beside own: HolderMark?) -> HolderMark? {
    var isAfterOwn = false
    for client in clients(having: HolderMark.key).sorted(by: {
      $0.index.rawValue < $1.index.rawValue
    }) {
      guard let mark = client.properties[HolderMark.key].flatMap(HolderMark.init) else { continue }
      if let own, mark.process == own.process, mark.files == own.files {
        isAfterOwn = true
      } else if !mark.isClaim || !isAfterOwn {
        return mark
      }
    }
    return nil
  }
}
