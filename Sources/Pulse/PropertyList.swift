internal import CPulse

/// Calls `body` with a `pa_proplist` that is valid during the call.
///
/// Throws if libpulse rejects a key or a value.
func withPropertyList<Result>(
  _ properties: [String: String], for operation: String,
  _ body: (OpaquePointer) throws(PulseError) -> Result
) throws(PulseError) -> Result {
  guard let list = pa_proplist_new() else { throw PulseError(.other, operation) }
  defer { pa_proplist_free(list) }
  for (key, value) in properties where pa_proplist_sets(list, key, value) < 0 {
    throw PulseError(.invalidArgument, operation, "not a property: \(key)=\(value)")
  }
  return try body(list)
}
