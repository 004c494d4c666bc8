/// The source of a profile.
public enum ProfileSource: Sendable, Hashable, CustomStringConvertible {
  /// A file, by its path.
  case file(String)
  /// Built into the program.
  case builtIn

  /// The path, or `built-in`.
  public var description: String {
    switch self {
    case .file(let path): path
    case .builtIn: "built-in"
    }
  }
}
