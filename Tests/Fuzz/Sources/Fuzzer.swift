import Glibc

/// libFuzzer's own loop, which has the program's arguments (libFuzzer: `LLVMFuzzerRunDriver`).
@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
  _ count: UnsafeMutablePointer<CInt>,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
  _ one: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

/// One text of the fuzzer; what does not hold of it ends the process.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = UnsafeBufferPointer(start: bytes, count: count)
  // What is not UTF-8 is refused before it is a text; -1 keeps it out of the corpus.
  guard let text = String(validating: bytes, as: UTF8.self) else { return -1 }
  if let violation = ProfileProperties.violation(of: text) { fatalError(violation) }
  return 0
}

/// SwiftPM gives an executable a `main` of its own, so libFuzzer's is not used.
@main enum Fuzzer {
  static func main() {
    var count = CommandLine.argc
    var arguments = CommandLine.unsafeArgv
    exit(runDriver(&count, &arguments) { fuzzOneInput($0, $1) })
  }
}
