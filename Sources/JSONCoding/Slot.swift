/// An encoded value: a scalar's text, a list, or an object with its keys.
final class Slot {
  enum Kind { case scalar, list, object }

  var kind = Kind.scalar
  /// Of a scalar; an encoder that is given nothing leaves an empty object, as Foundation's does.
  var text = "{}"
  var keys: [String] = []
  var elements: [Slot] = []
  /// Whether an object is written in the order of its keys, not in that of its encoding.
  var isSorted = false

  /// How many bytes the elements of a finished value take on one line, with what is between them.
  private(set) lazy var inside: Int = {
    var bytes = 2 * max(0, elements.count - 1)
    for at in elements.indices {
      if kind == .object { bytes += keys[at].utf8.count + 2 }
      bytes += elements[at].width
    }
    return bytes
  }()

  /// How many bytes a finished value takes on one line.
  private var width: Int {
    switch kind {
    case .scalar: text.utf8.count
    case .list: inside + 2
    case .object: elements.isEmpty ? 2 : inside + 4
    }
  }

  /// Adds what is to be filled in to a list, or with a key to an object.
  func add(_ key: String? = nil) -> Slot {
    let slot = Slot()
    if let key { keys.append(key) }
    elements.append(slot)
    return slot
  }

  /// The positions of the elements in the order in which they are written.
  var order: [Int] {
    let order = Array(elements.indices)
    // Without the closing quote, which is no part of a key.
    return isSorted ? order.sorted { keys[$0].dropLast() < keys[$1].dropLast() } : order
  }
}
