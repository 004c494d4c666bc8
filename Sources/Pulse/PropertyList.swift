internal import CPulse

/// A `pa_proplist` that is freed with this value.
struct PropertyList: ~Copyable {
  let pointer: OpaquePointer

  /// Makes a list; throws where libpulse does not take a key or a value.
  init(_ properties: [String: String], for operation: String) throws(PulseError) {
    guard let list = pa_proplist_new() else { throw PulseError(.other, operation) }
    for (key, value) in properties where pa_proplist_sets(list, key, value) < 0 {
      pa_proplist_free(list)
      throw PulseError(.invalidArgument, operation, "not a property: \(key)=\(value)")
    }
    pointer = list
  }

  deinit { pa_proplist_free(pointer) }
}
