/// The life of a `pa_context` or of a `pa_stream`.
enum NativeState {
  case idle
  case opening(OpaquePointer, Pending<Void>)
  case ready(OpaquePointer)
  case ended(PulseError)

  /// libpulse's object, while there is one.
  var native: OpaquePointer? {
    switch self {
    case .opening(let native, _), .ready(let native): native
    case .idle, .ended: nil
    }
  }

  var isReady: Bool { if case .ready = self { true } else { false } }
}
