public import PulseTypes

/// The objects that changed since a snapshot was taken, according to the server's events.
public struct SnapshotChanges: Sendable, Hashable {
  /// The objects to update; removed ones need no request.
  public private(set) var objects: Set<ObjectID>
  /// Those that the server reported as removed.
  private(set) var gone: Set<ObjectID> = []
  /// Those in whose place there is another one: PipeWire gives an index again at once.
  private(set) var replaced: Set<ObjectID> = []
  /// Those that are new since then; one that goes again was never there.
  private var born: Set<ObjectID> = []
  /// Those that this client loaded.
  private(set) var loaded: [ObjectID: Module] = [:]

  /// Starts with these objects.
  public init(_ objects: Set<ObjectID> = []) { self.objects = objects }

  /// Whether nothing has changed.
  public var isEmpty: Bool { objects.isEmpty }

  /// Adds the change that an event reports.
  ///
  /// - Parameter isReading: whether a snapshot has the new object already, or may have it, because it is being
  ///   read.
  public mutating func note(_ event: PulseEvent, isReading: Bool = false) {
    let object = event.object
    if event.kind == .remove, born.remove(object) != nil, loaded[object] == nil {
      objects.remove(object)
      return
    }
    objects.insert(object)
    switch event.kind {
    case .new:
      if gone.remove(object) != nil {
        replaced.insert(object)
      } else if !isReading {
        born.insert(object)
      }
    case .remove:
      gone.insert(object)
      loaded[object] = nil
    case .change: break
    }
  }

  /// Adds a changed object without an event.
  public mutating func insert(_ object: ObjectID) { objects.insert(object) }

  /// Adds a module that this client just loaded; it needs no request.
  public mutating func load(_ module: Module) {
    let object = ObjectID(.module, module.index.rawValue)
    objects.insert(object)
    gone.remove(object)
    loaded[object] = module
  }

  /// Notes that a module was just unloaded.
  public mutating func unload(_ module: Index<Module>) {
    let object = ObjectID(.module, module.rawValue)
    objects.insert(object)
    gone.insert(object)
    loaded[object] = nil
  }

  /// Adds earlier changes.
  public mutating func merge(_ earlier: SnapshotChanges) {
    // What has changed again since is not gone.
    gone.formUnion(earlier.gone.subtracting(objects))
    replaced.formUnion(earlier.replaced.union(earlier.gone.intersection(objects)))
    objects.formUnion(earlier.objects)
    born.formUnion(earlier.born.subtracting(gone))
    loaded.merge(earlier.loaded.filter { !gone.contains($0.key) }) { now, _ in now }
  }
}
