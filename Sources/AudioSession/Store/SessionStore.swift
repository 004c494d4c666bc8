import Glibc
import POSIX
import SessionCore

/// What a session stores between processes, besides its lock: the mode, the status, the baseline.
struct SessionStore: Sendable {
  /// The result of applying it.
  struct Status: Encodable, Sendable {
    var generation: Int
    var memory: HintMemory
    var learned = Learned()
    var state: SessionState
  }

  /// The names of a server. Finding them follows links and takes a while, so a connection keeps them.
  struct Server: Sendable {
    /// The server's address in canonical form.
    let address: String
    /// The prefix of its files' names.
    let files: String

    init(_ address: String) {
      self.address = SessionStore.canonical(address)
      files = SessionStore.encode(self.address)
    }
  }

  /// The server's address in canonical form.
  let address: String
  /// The files, by their content.
  let files: StoreFiles
  private static let lastMode = LastParsed<StoredMode>()
  private static let lastBaseline = LastParsed<Baseline>()

  /// - Parameters:
  ///   - folder: the folder of the files; nil means `$XDG_STATE_HOME/audiosession`.
  ///   - calls: the file operations; the files of a session of one program are in memory and end
  ///     with it.
  init(folder: String?, server: Server, calls: any FileCalls = SystemCalls()) {
    address = server.address
    files = StoreFiles(
      folder: folder ?? Self.defaultFolder, server: server.files, calls: calls)
  }

  /// - Parameter files: the prefix of the files' names, which follows from a server's address.
  init(folder: String?, files: String) {
    address = files
    self.files = StoreFiles(
      folder: folder ?? Self.defaultFolder, server: files, calls: SystemCalls())
  }

  var folder: String { files.folder }
  var lockPath: String { files.path(.lock) }

  /// Whether the folder exists.
  var isThere: Bool { access(folder, F_OK) == 0 }

  func prepare() throws(SessionError) { try Files.makeFolder(folder) }

  func mode() throws(SessionError) -> StoredMode? {
    try files.read(.mode).map { (bytes) throws(SessionError) in try parseMode(bytes) }
  }

  func parseMode(_ bytes: [UInt8]) throws(SessionError) -> StoredMode {
    try Self.lastMode.value(of: bytes) { bytes throws(SessionError) in
      try StoredMode(String(decoding: bytes, as: UTF8.self), file: files.path(.mode))
    }
  }

  /// The number of the last mode; if that is damaged and about to be replaced, the number in the
  /// status.
  func generation() -> Int {
    struct Part: Decodable { var generation: Int }
    if let stored = try? mode() { return stored.generation }
    return ((try? files.read(.status)) ?? nil).flatMap { StoreCoding.decode(Part.self, $0) }?
      .generation ?? 0
  }

  /// Stores the result of a change, on the disk when this returns. Writes the mode last: if an
  /// earlier write fails, the store still has the former mode.
  ///
  /// - Parameter baseline: the new baseline; nil keeps the stored one.
  func commit(_ stored: StoredMode?, _ baseline: Baseline?) throws(SessionError) {
    if let baseline { try write(baseline) }
    try files.commit(stored.map { Array($0.text.utf8) })
    if hasLostMode { files.endDamage() }
  }

  /// Like `commit`, but returns messages about what cannot be stored.
  func commitWhatCanBe(_ stored: StoredMode?, _ baseline: Baseline) -> [String] {
    var problems: [String] = []
    do throws(SessionError) { try write(baseline) } catch { problems.append(error.message) }
    do throws(SessionError) { try commit(stored, nil) } catch { problems.append(error.message) }
    return problems.map { "restored, but not recorded: \($0)" }
  }

  /// Stores the previous values, on the disk when this returns: the server may be changed
  /// afterwards.
  func protect(_ baseline: Baseline) throws(SessionError) {
    try files.protect(encode(baseline))
  }

  func baseline() throws(SessionError) -> Baseline {
    try files.read(.baseline).map { (bytes) throws(SessionError) in try parseBaseline(bytes) }
      ?? Baseline()
  }

  func parseBaseline(_ bytes: [UInt8]) throws(SessionError) -> Baseline {
    try Self.lastBaseline.value(of: bytes) { bytes throws(SessionError) in
      guard let baseline = StoreCoding.decode(Baseline.self, bytes) else {
        throw SessionError(
          .storeFailed, stage: .session,
          "\(files.path(.baseline)) is damaged: the settings from before the session are not known",
          value: files.path(.baseline))
      }
      return baseline
    }
  }

  /// Stores a baseline without new information about the server: after a power cut either it or the
  /// former one may be on the disk.
  func write(_ baseline: Baseline) throws(SessionError) {
    let bytes = try encode(baseline)
    // What is there already was synced when it was written.
    if let bytes, (try? files.read(.baseline)) == bytes { return }
    try files.write(bytes, to: .baseline, isSynced: true)
  }

  private func encode(_ baseline: Baseline) throws(SessionError) -> [UInt8]? {
    baseline.isEmpty ? nil : try StoreCoding.encode(baseline)
  }

  /// What the last run left for the next one.
  struct Known: Decodable {
    var generation: Int
    /// The results of hints.
    var memory: HintMemory
    var learned: Learned
  }

  /// What the last run left; a damaged status counts as none. The state in the same file is for other
  /// processes, and is not decoded here.
  func known() -> Known? {
    ((try? files.read(.status)) ?? nil).flatMap { StoreCoding.decode(Known.self, $0) }
  }

  /// Stores the status, not necessarily on the disk when this returns: it may be lost.
  func write(_ status: Status) throws(SessionError) {
    try files.write(try StoreCoding.encode(status), to: .status)
  }

  /// The state that the holder of the lock wrote last; nil if it is damaged.
  func holdersState() throws(SessionError) -> SessionState? {
    struct Part: Decodable { var state: SessionState }
    return try files.read(.status).flatMap { StoreCoding.decode(Part.self, $0) }?.state
  }

  /// The folder of a session's files if no other is configured.
  static var defaultFolder: String {
    let environment = ProcessEnvironment.self
    let state = environment.folder("XDG_STATE_HOME") ?? environment.home + "/.local/state"
    return state + "/audiosession"
  }

  /// A file name for a canonical address: every byte except letters, digits, `.`, `_` and `-` becomes `%XX`.
  private static func encode(_ address: String) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var name: [UInt8] = []
    for byte in address.utf8 {
      if byte.isBare || byte == UInt8(ascii: ".") {
        name.append(byte)
      } else {
        name += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: name, as: UTF8.self)
  }

  /// The canonical form of an address: without the `{…}` of libpulse's lists, and sockets as
  /// `unix:/…`, without links and `..` in the path.
  static func canonical(_ address: String) -> String {
    var result = Substring(address)
    if result.first == "{", let end = result.firstIndex(of: "}") {
      result = result[result.index(after: end)...]
    }
    if result.hasPrefix("unix:/") { result = result.dropFirst(5) }
    return result.first == "/" ? "unix:" + Files.resolved(String(result)) : String(result)
  }

  /// The server of the environment, as far as it is known without connecting.
  static func environmentAddress() -> String {
    let environment = ProcessEnvironment.self
    if let server = environment["PULSE_SERVER"], let first = server.split(separator: " ").first {
      return String(first)
    }
    if let folder = environment["PULSE_RUNTIME_PATH"] { return "unix:\(folder)/native" }
    let runtime = environment.folder("XDG_RUNTIME_DIR") ?? environment.usualRuntimeFolder
    return "unix:\(runtime)/pulse/native"
  }
}
