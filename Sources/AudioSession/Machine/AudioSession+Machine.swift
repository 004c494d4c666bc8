import Glibc
import POSIX
import Pulse
package import SessionCore

extension AudioSession {
  /// Collects the facts for `doctor`: the server, its clients' settings, the processes, the
  /// session's files.
  ///
  /// Changes and records nothing: `recordings` is nil. Without a server the other facts are still
  /// collected, with the reason in `unreachable`. Throws `cancelled`, and if the session is closed.
  package func machineFacts() async throws(SessionError) -> MachineFacts {
    let deadline = Deadline(after: configuration.timeout)
    var facts = MachineFacts()
    let own = ConfigurationFiles(environment: ProcessEnvironment.all)
    facts.isRoot = geteuid() == 0
    facts.variables = ProcessEnvironment.all.filter {
      !$0.value.isEmpty && ($0.key.hasPrefix("PULSE_") || $0.key.hasPrefix("PIPEWIRE_"))
    }
    facts.clientSettings = own.clientSettings
    // Before connecting, because libpulse creates a missing cookie.
    facts.cookie = (own.cookie, .read(own.cookie))
    let live = try await reach(&facts, deadline)
    // Where libpulse looked, if it looked for the user's server.
    let tried = facts.unreachable.flatMap { $0.value?.hasPrefix("/") == true ? $0.value : nil }
    facts.address = SessionStore.canonical(
      live?.address ?? address ?? tried ?? SessionStore.environmentAddress())
    facts.unnamedRuntimeFolder = PulseClient.unnamedRuntimeFolder(address)
    facts.namedServer = address
    let table = ProcessTable()
    facts.serverHost = Self.otherHost(of: facts.address)
    if facts.serverHost == nil, live != nil, table.isForwarded(facts.address) {
      facts.serverHost = "another machine, or outside this container"
    }
    if let host = facts.serverHost {
      // The files of this machine do not apply.
      facts.places = ["default.pa": "default.pa of \(host)"]
    } else {
      readProcesses(&facts, table)
    }
    // A server without the module does not know this request, and stores nothing.
    let saved = try? await live?.client.savedStreams(timeout: deadline.remaining)
    facts.savedStreams = (saved ?? []).sorted { $0.name < $1.name }
    await readStore(&facts, live, deadline)
    return facts
  }

  private func reach(
    _ facts: inout MachineFacts, _ deadline: Deadline
  ) async throws(SessionError) -> LiveServer? {
    do throws(SessionError) {
      let live = try await connected(deadline)
      facts.snapshot = await live.snapshot
      return live
    } catch {
      guard error.stage == .server, error.code != .cancelled else { throw error }
      facts.unreachable = error
      return nil
    }
  }

  /// The host in the address of another machine; nil for a socket, and for this machine's own name.
  static func otherHost(of address: String) -> String? {
    guard !address.isEmpty, !address.hasPrefix("unix:"), !address.hasPrefix("/") else { return nil }
    var host = Substring(address)
    for scheme in ["tcp:", "tcp4:", "tcp6:"] where host.hasPrefix(scheme) {
      host = host.dropFirst(scheme.count)
    }
    if host.first == "[" {
      host = host.dropFirst().prefix { $0 != "]" }
    } else if host.filter({ $0 == ":" }).count == 1 {
      host = host.prefix { $0 != ":" }
    }
    var own = [CChar](repeating: 0, count: 256)
    gethostname(&own, own.count - 1)
    let isThis =
      host == "localhost" || host == "::1" || host.hasPrefix("127.")
      || own.withUnsafeBufferPointer { String(cString: $0.baseAddress!) } == host
    return isThis ? nil : String(host)
  }

  /// Reads which processes listen, and the settings of the server that answers.
  private func readProcesses(_ facts: inout MachineFacts, _ table: ProcessTable) {
    facts.cardUsers = table.cardUsers
    let path = facts.address.hasPrefix("unix:") ? String(facts.address.dropFirst(5)) : nil
    facts.server = path.flatMap { table.listener(at: $0) ?? nil }
    for place in Self.usualSockets where place != path {
      if let program = table.listener(at: place) {
        facts.sockets.append(MachineFacts.Socket(place, program))
      }
    }
    // This user's files are not for a server of another user, whose process cannot be read.
    let isOthers = path.flatMap(File.status).map { $0.st_uid != geteuid() } ?? false
    let files = ConfigurationFiles(
      environment: facts.server.flatMap { ProcessTable.environment(of: $0.pid) }
        ?? (isOthers ? [:] : ProcessEnvironment.all))
    facts.places["pipewire.conf"] = files.graphPlace
    if facts.snapshot?.has(.graphSettings) == true {
      facts.graphSettings = files.graphSettings
      return
    }
    facts.daemonSettings = files.daemonSettings
    let arguments = facts.server.map { ProcessTable.arguments(of: $0.pid) } ?? []
    let isOfSystem = arguments.contains {
      ["--system", "--system=yes", "--system=true"].contains($0)
    }
    let isUnread = isOthers && facts.server == nil
    let startup = files.startupFile(isOfSystem: isOfSystem || isUnread)
    facts.places["default.pa"] = startup
    // An option can keep a server from loading its startup file.
    if !arguments.contains("-n") { facts.startup = ConfigurationFiles.startup(startup) }
  }

  /// The sockets where programs look for a PulseAudio server by default.
  private static var usualSockets: [String] {
    let environment = ProcessEnvironment.self
    let runtime = environment["XDG_RUNTIME_DIR"] ?? environment.usualRuntimeFolder
    let folders = [environment["PULSE_RUNTIME_PATH"], runtime + "/pulse", "/run/pulse"]
    var known: Set<String> = []
    return folders.compactMap { $0.map { $0 + "/native" } }.filter { known.insert($0).inserted }
  }

  private func readStore(
    _ facts: inout MachineFacts, _ live: LiveServer?, _ deadline: Deadline
  ) async {
    let store = await storeInForce(store(live))
    facts.storeFiles = [
      .mode: store.files.path(.mode), .baseline: store.files.path(.baseline),
    ]
    do throws(SessionError) {
      _ = try store.mode()
      facts.isModeUnknown = store.hasLostMode
    } catch {
      facts.isModeUnknown = true
      facts.damaged.append(error)
    }
    facts.unwritable = store.obstacle
    let lock = SystemCalls().lookAtLock(store.lockPath)
    if let owner = lock.record.owner {
      let program = MachineFacts.Program(pid: owner.pid, name: owner.name)
      if lock.isTaken {
        if ProcessName.isStopped(owner.pid) { facts.stoppedHolder = program }
      } else if owner.isHolding {
        facts.killedHolder = program
      }
    }
    do throws(SessionError) {
      facts.baseline = try store.baseline()
    } catch {
      facts.damaged.append(error)
    }
    guard live != nil else { return }
    facts.state = try? await sessionState(deadline)
    if facts.state == nil { facts.isModeUnknown = true }
  }
}
