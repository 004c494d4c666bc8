/// A call that failed.
package struct FileError: Error, Hashable {
  /// What the caller can do about it.
  package enum Kind: Sendable {
    case missing, full, outOfDescriptors, unsupported, other
  }

  package var kind: Kind
  /// The system's message.
  package var reason: String

  package init(_ kind: Kind, _ reason: String) {
    self.kind = kind
    self.reason = reason
  }
}

extension FileError {
  /// The error for users.
  ///
  /// - Parameter verb: what failed, before the path.
  package func sessionError(_ verb: String, _ path: String) -> SessionError {
    let remedy =
      switch kind {
      case .outOfDescriptors: "raise the limit on open files (ulimit -n)"
      case .full: "make room there"
      case .missing, .unsupported, .other:
        verb == "read"
          ? "make it readable"
          : "make it writable, or, where nothing is stored yet, set XDG_STATE_HOME to another folder"
      }
    return SessionError(
      .storeFailed, stage: .session, "cannot \(verb) \(path): \(reason); \(remedy)", value: path)
  }
}
