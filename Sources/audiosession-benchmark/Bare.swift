import PulseSandbox

/// The C program of a few lines that stands for the least that libpulse allows: see `Bare/bare.c`.
struct Bare {
  let path: String

  /// Builds the program in a sandbox's folder.
  init(in sandbox: PulseSandbox) throws {
    let source = sandbox.directory + "/bare.c"
    try Process.write(String(decoding: PackageResources.bare_c, as: UTF8.self), to: source)
    path = sandbox.directory + "/bare"
    _ = try Process.run(
      ["clang", "-O2", "-o", path, source, "-lpulse"], ["PATH": Process.searchPath])
  }
}
