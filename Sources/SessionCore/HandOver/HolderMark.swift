package import PulseTypes

/// A holder's entry on the server, in the properties of its client: others see it whatever address
/// they use, and whatever machine they are on.
package struct HolderMark: Sendable, Hashable {
  /// The property's name.
  package static let key = "audiosession.holder"

  /// Whether it is about to hold, and looks itself whether another does.
  package var isClaim: Bool
  package var process: Int32
  /// The name of its files, which follows from its address.
  package var files: String
  package var name: String

  package init(isClaim: Bool, process: Int32, files: String, name: String) {
    (self.isClaim, self.process, self.files, self.name) = (isClaim, process, files, name)
  }

  /// Parses a property's value; nil if no holder wrote it, or the holder has released the session.
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

  /// The holder as the lock's owner.
  package var owner: LockRecord.Owner {
    LockRecord.Owner(pid: process, name: name, isHolding: true)
  }
}

extension ServerSnapshot {
  /// The other holder of this server; of two that have just begun, the one with the earlier client.
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
