public import AudioSession
public import FoundationEssentials

/// For programs that use Foundation: `localizedDescription` is the sentence for people.
///
/// A separate module, because Foundation makes each program that links it larger.
extension SessionError: LocalizedError {
  /// The same as ``SessionError/description``, in English.
  public var errorDescription: String? { description }
}
