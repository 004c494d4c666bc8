/// The outcome of a body, for a caller that has something to do whether or not it fails.
package nonisolated(nonsending) func outcome<Value, Failure>(
  of body: nonisolated(nonsending) () async throws(Failure) -> Value
) async -> Result<Value, Failure> {
  do throws(Failure) {
    return .success(try await body())
  } catch {
    return .failure(error)
  }
}
