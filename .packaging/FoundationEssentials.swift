/// What ArgumentParser uses of Foundation's module of this name, which would add 5 MB to the program and a
/// quarter to the conformances that the runtime searches at each start. `.packaging/build` compiles it
/// with the sources of `JSONCoding`.

/// No error of the program conforms to it: their texts are their descriptions.
public protocol LocalizedError: Error {
  var errorDescription: String? { get }
}

/// For `--experimental-dump-help`.
public final class JSONEncoder {
  public struct OutputFormatting: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let prettyPrinted = OutputFormatting(rawValue: 1)
    public static let sortedKeys = OutputFormatting(rawValue: 2)
  }

  /// Ignored: the keys are in the order of their types, a short list is on one line.
  public var outputFormatting: OutputFormatting = []

  public init() {}

  public func encode(_ value: some Encodable) throws -> [UInt8] {
    try JSON.encode(value, .shown(isOneLine: false) { _ in false })
  }
}

extension String {
  public enum Encoding: Sendable { case utf8 }

  public init?(data: [UInt8], encoding: Encoding) { self.init(validating: data, as: UTF8.self) }
}
