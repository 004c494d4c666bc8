internal import POSIX
internal import Pulse
internal import PulseTypes

/// Faults that last until they are stopped. They need the programs `pactl` and `pacat` of the
/// package pulseaudio-utils, which the package pulseaudio installs.
extension PulseSandbox {
  /// Starts another program that insists on a setting: it sets the setting again about 10 ms after
  /// each change.
  ///
  /// Returns once the setting has been set for the first time. The program survives a restart of
  /// the server.
  /// - Parameters:
  ///   - setting: The setting on which the program insists.
  ///   - name: The name under which the server lists the program.
  /// - Throws: `noSuchDevice`, `refused` when the setting cannot be set, `programMissing`,
  ///   `notRunning`, `closed`, `timedOut`, `spawn`.
  @discardableResult
  public func compete(
    for setting: ContestedSetting, as name: String = "rival"
  ) async throws(SandboxError) -> Disturbance {
    var kind = "server"
    if let device = setting.device {
      kind = try await find(device).direction == .input ? "source" : "sink"
    }
    if let (direction, name) = setting.standard {
      try await withClient(Self.observer) { client throws(SandboxError) in
        let snapshot = try await client.look()
        // A monitor can be the default, too.
        guard snapshot.device(direction, named: name) == nil else { return }
        _ = try snapshot.find(name, direction)
      }
    }
    let (facility, words) = setting.words(device: kind)
    // Changes before the server has registered the subscription make no event, so this sets the
    // value until the first event arrives; every connecting client makes one.
    let script = """
      client=$1 facility=$2 heard=$3/rival.$$; shift 3
      pactl -n "$client" "$@" && echo set || echo refused
      while :; do
        rm -f "$heard"
        {
          pactl -n "$client" subscribe & listener=$!
          until [ -e "$heard" ]; do
            kill -0 $listener || break
            pactl -n "$client" "$@" >&2
            sleep 0.01
          done
          wait $listener
        } | while read -r event; do
          [ -e "$heard" ] || : >"$heard"
          case $event in
            *" 'change' on $facility "* | *" 'new' on $facility "*) pactl -n "$client" "$@" ;;
          esac
        done
        sleep 0.05
        pactl -n "$client" "$@"
      done >/dev/null </dev/null &
      """
    let rival = try disturbance(
      name, script, [name, facility, folder.path] + words, needs: "pactl")
    return try await begin(rival) { client, line throws(PulseError) in
      guard line == "set" else { throw PulseError(.invalidArgument, words.joined(separator: " ")) }
      return try await client.clients().contains { $0.name == name }
    }
  }

  /// Starts another program that plays a call: a running, silent stream with a role.
  ///
  /// Returns once the stream runs. The call also ends with the server.
  ///
  /// - Parameters:
  ///   - role: Its `media.role`; servers and sessions make room for `phone`.
  ///   - device: The sink to play on; nil for the default.
  ///   - name: The name under which the server lists the program.
  /// - Throws: `noSuchDevice`, `programMissing`, `notRunning`, `closed`, `timedOut`, `spawn`.
  @discardableResult
  public func interrupt(
    role: String = "phone", on device: String? = nil, as name: String = "call"
  ) async throws(SandboxError) -> Disturbance {
    if let device { _ = try await find(device, .output) } else { try await requireSink() }
    let script = """
      pacat --playback -n "$1" --stream-name="$1" --property=media.role="$2" ${3:+-d "$3"} \\
        --latency-msec=100 --raw </dev/zero >/dev/null &
      echo "$!"
      """
    let call = try disturbance(
      name, script, [name, role] + (device.map { [$0] } ?? []), needs: "pacat")
    return try await begin(call) { client, process throws(PulseError) in
      try await client.sinkInputs().contains {
        $0.properties["application.process.id"] == process && !$0.isCorked
      }
    }
  }

  /// Without a sink no stream ever begins.
  private func requireSink() async throws(SandboxError) {
    try await withClient(Self.observer) { client throws(SandboxError) in
      guard try await client.look().sinks.isEmpty else { return }
      throw SandboxError(
        .refused, "there is no sink in the sandbox on which a call could play",
        remedy: "make one: pactl load-module module-null-sink")
    }
  }

  private func disturbance(
    _ name: String, _ script: String, _ arguments: [String], needs program: String
  ) throws(SandboxError) -> Disturbance {
    let path = ProcessEnvironment["PATH"] ?? "/usr/bin:/bin"
    guard File.program(program, path: path) != nil else {
      throw SandboxError(
        .programMissing, "this fault needs the program '\(program)', which is not installed",
        remedy: "install it: apt-get install pulseaudio-utils")
    }
    // The script's output is parsed here, so pactl must not translate it.
    let variables = environment.merging(["PATH": path, "LC_ALL": "C.UTF-8"]) { ours, _ in ours }
    let disturbance = try Disturbance(name, script: script, arguments, environment: variables)
    guard otherSide.add(disturbance) else {
      disturbance.end()
      throw Self.closedError
    }
    return disturbance
  }

  /// Waits until a disturbance is visible on the server.
  private func begin(
    _ disturbance: Disturbance,
    _ isSeen: @escaping @Sendable (PulseClient, String) async throws(PulseError) -> Bool
  ) async throws(SandboxError) -> Disturbance {
    let deadline = ContinuousClock.now + Self.patience
    do throws(SandboxError) {
      let line = try await onOwnThread { () throws(SandboxError) in
        try disturbance.firstLine(until: deadline)
      }
      try await withClient(Self.observer) { client throws(SandboxError) in
        while true {
          let hasBegun = try await sandboxed { () throws(PulseError) in
            try await isSeen(client, line)
          }
          if hasBegun { return }
          guard ContinuousClock.now < deadline else { throw disturbance.isLate }
          // Polls: without a subscription there is no event.
          try await onOwnThread { () throws(SandboxError) in _ = poll([], for: 2) }
        }
      }
      return disturbance
    } catch {
      await disturbance.stop()
      guard !otherSide.hasEnded else { throw Self.closedError }
      // A server that has ended is why.
      _ = try await runningProcess()
      throw error
    }
  }
}
