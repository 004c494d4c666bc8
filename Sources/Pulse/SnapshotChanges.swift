public import PulseTypes

/// The objects that changed since a snapshot was taken, according to the server's events.
public struct SnapshotChanges: Sendable, Hashable {
  /// The objects to update; removed ones need no request.
  public private(set) var objects: Set<ObjectID>
  private var gone: Set<ObjectID> = []
  /// Those that are new since then; one that goes again was never there.
  private var born: Set<ObjectID> = []
  private var loaded: [ObjectID: Module] = [:]

  /// Starts with these objects.
  public init(_ objects: Set<ObjectID> = []) { self.objects = objects }

  /// Whether nothing has changed.
  public var isEmpty: Bool { objects.isEmpty }

  /// Adds the change that an event reports.
  ///
  /// - Parameter isReading: whether a snapshot is being read: it may have the new object already.
  public mutating func note(_ event: PulseEvent, isReading: Bool = false) {
    let object = event.object
    if event.kind == .remove, born.remove(object) != nil, loaded[object] == nil {
      objects.remove(object)
      return
    }
    objects.insert(object)
    switch event.kind {
    case .new:
      if gone.remove(object) == nil, !isReading { born.insert(object) }
    case .remove: gone.insert(object)
    case .change: break
    }
  }

  /// Adds a changed object without an event.
  public mutating func insert(_ object: ObjectID) { objects.insert(object) }

  /// Adds a module that this client just loaded; it needs no request.
  public mutating func load(_ module: Module) {
    let object = ObjectID(.module, module.index.rawValue)
    objects.insert(object)
    loaded[object] = module
  }

  /// Notes that a module was just unloaded.
  public mutating func unload(_ module: Index<Module>) {
    let object = ObjectID(.module, module.rawValue)
    objects.insert(object)
    gone.insert(object)
  }

  /// Adds earlier changes.
  public mutating func merge(_ earlier: SnapshotChanges) {
    objects.formUnion(earlier.objects)
    gone.formUnion(earlier.gone)
    born.formUnion(earlier.born.subtracting(gone))
    loaded.merge(earlier.loaded) { now, _ in now }
  }

  /// The module that was loaded with this index.
  func loadedModule(_ object: ObjectID) -> Module? { loaded[object] }

  /// Whether the server reported the object as removed.
  func hasLost(_ object: ObjectID) -> Bool { gone.contains(object) }
}
