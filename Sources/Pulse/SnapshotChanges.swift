/// What a server's events say has changed since a snapshot was taken.
public struct SnapshotChanges: Sendable, Hashable {
  /// The objects to read again; those that are gone need no question.
  public private(set) var objects: Set<ObjectID>
  private var gone: Set<ObjectID> = []

  /// Takes these objects for changed.
  public init(_ objects: Set<ObjectID> = []) { self.objects = objects }

  /// Whether nothing has changed.
  public var isEmpty: Bool { objects.isEmpty }

  /// Adds what an event tells of.
  public mutating func note(_ event: PulseEvent) {
    objects.insert(event.object)
    switch event.kind {
    case .new: gone.remove(event.object)
    case .remove: gone.insert(event.object)
    case .change: break
    }
  }

  /// Takes an object for changed, without an event.
  public mutating func insert(_ object: ObjectID) { objects.insert(object) }

  /// Adds the changes before these.
  public mutating func merge(_ earlier: SnapshotChanges) {
    objects.formUnion(earlier.objects)
    gone.formUnion(earlier.gone)
  }

  /// Whether the server said that an object is no more.
  func hasLost(_ object: ObjectID) -> Bool { gone.contains(object) }
}
