import Glibc
import PulseTypes
import Testing

@testable import Pulse

extension PulseClient {
  /// How many requests have not ended.
  var pendingCount: Int { connection.pending.count }

  /// Whether a request is freed as soon as it has ended.
  func freesItsRequests() async throws -> Bool {
    var request: Pending<ServerInfo>? = try connection.sendServerInfo(nil)
    weak let probe = request
    _ = try await request?.value()
    request = nil
    return probe == nil
  }
}

/// Expects an error with a code, of an operation that begins with these words.
func expect<Value>(
  _ code: PulseError.Code, _ operation: String, sourceLocation: SourceLocation = #_sourceLocation,
  isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Value
) async {
  do {
    _ = try await body()
    Issue.record("no error", sourceLocation: sourceLocation)
  } catch let error as PulseError {
    #expect(error.code == code, "\(error)", sourceLocation: sourceLocation)
    #expect(error.operation.hasPrefix(operation), "\(error)", sourceLocation: sourceLocation)
  } catch {
    Issue.record(error, sourceLocation: sourceLocation)
  }
}
