import PulseSandbox
import PulseTypes
import TestSupport
import Testing

/// A recording whose server or input is lost ends when it must, and says what is missing.
@Suite("record without its server or its input", .pipewire, .soundFiles, .timeLimit(.minutes(10)))
struct RecordLossTests {
  /// `record` in the background, once its file has sound.
  private struct Recording {
    let sandbox: PulseSandbox
    let path: String

    static func start(
      _ sandbox: PulseSandbox, _ arguments: String, environment: String = ""
    ) async throws -> Recording {
      let path = sandbox.directory + "/a.wav"
      let result = try await sandbox.shell(
        """
        ( \(environment) $A record --json \(path) \(arguments) > \(path).out 2> \(path).err < /dev/null &
          echo $! > \(path).pid
          wait $!; echo $? > \(path).status ) > /dev/null 2>&1 < /dev/null &
        until [ $(stat -c %s \(path) 2>/dev/null || echo 0) -gt 60000 ]; do
          [ ! -s \(path).status ] || { cat \(path).err; exit 9; }
          pause
        done
        """)
      try #require(result.status == 0, "\(result)")
      return Recording(sandbox: sandbox, path: path)
    }

    /// Waits for its end: its status, its JSON, and what it said to standard error.
    func end(signal: String? = nil) async throws -> (status: Int32, json: JSONValue, said: String) {
      let result = try await sandbox.shell(
        """
        \(signal.map { "kill -\($0) $(cat \(path).pid)" } ?? ":")
        until [ -s \(path).status ]; do pause; done
        cat \(path).status >&2; cat \(path).out
        """)
      let said = try await sandbox.shell("cat \(path).err").standardOutput
      let status = Int32(result.standardError.filter(\.isNumber)) ?? -1
      return (status, try JSONValue(result.standardOutput), said)
    }

    func waits(until condition: String) async throws {
      let result = try await sandbox.shell("until \(condition); do pause; done")
      #expect(result.status == 0, "\(result)")
    }
  }

  /// Loads the microphone that is unplugged; what its module is unloaded by.
  private func plug(_ sandbox: PulseSandbox) async throws -> String {
    let module =
      sandbox.configuration.server == .pulseaudio
      ? "module-null-source source_name=usb_mic max_latency_msec=20"
      : "module-null-sink sink_name=usb_mic media.class=Audio/Source/Virtual channel_map=front-left,front-right"
    let result = try await sandbox.shell("pactl load-module \(module)")
    try #require(result.status == 0, "\(result)")
    return "pactl unload-module \(result.standardOutput)"
  }

  private func missing(_ json: JSONValue) -> Double {
    (json["missing"]?.array ?? []).reduce(0) { sum, gap in
      guard case .number(let frames)? = gap["frames"] else { return sum }
      return sum + frames
    }
  }

  @Test(
    "a recording of a length ends in time when its server is killed, and lists what is missing",
    arguments: [ServerKind.pulseaudio, .pipewire])
  func killed(_ kind: ServerKind) async throws {
    try await PulseSandbox.with(.minimal(on: kind)) { sandbox in
      let recording = try await Recording.start(sandbox, "--duration 6s")
      try await sandbox.kill()
      let start = ContinuousClock.now
      let (status, json, _) = try await recording.end()
      #expect(ContinuousClock.now - start < .seconds(6) + .seconds(10))
      #expect(status == 0)
      #expect(json["seconds"] == .number(6))
      #expect(missing(json) > 44100 / 2)
      let sidecar = try await sandbox.shell("cat \(recording.path).json").standardOutput
      #expect(sidecar.contains("server-reset"))
    }
  }

  @Test(
    "a recording that is stopped while the server is dead says what is missing",
    arguments: [ServerKind.pulseaudio, .pipewire])
  func stoppedWhileDead(_ kind: ServerKind) async throws {
    try await PulseSandbox.with(.minimal(on: kind)) { sandbox in
      let recording = try await Recording.start(sandbox, "--duration 1h")
      try await sandbox.kill()
      try await recording.waits(until: "grep -q 'server is not there' \(recording.path).err")
      let (status, json, _) = try await recording.end(signal: "INT")
      #expect(status == 0)
      #expect(missing(json) > 0)
    }
  }

  @Test(
    "a recording whose disk hangs ends with an error after 30 s, also one that is to be stopped",
    .compiler, arguments: [nil, "INT"])
  func hangingDisk(signal: String?) async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      // While a file exists, no write of a file ends.
      let source = try await sandbox.write(
        file: "disk.c",
        """
        #include <stdlib.h>
        #include <sys/syscall.h>
        #include <unistd.h>
        ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset) {
          while (access(getenv("HANGING"), F_OK) == 0) usleep(50000);
          return syscall(SYS_pwrite64, file, bytes, count, offset);
        }
        """)
      let library = sandbox.directory + "/disk.so"
      let made = try await sandbox.shell("/usr/bin/cc -shared -fPIC -o \(library) \(source)")
      try #require(made.status == 0, "\(made)")
      let hanging = sandbox.directory + "/hanging"
      let recording = try await Recording.start(
        sandbox, "--duration 1h", environment: "HANGING=\(hanging) LD_PRELOAD=\(library)")
      _ = try await sandbox.write(file: "hanging", "")
      let result = try await sandbox.shell(
        """
        \(signal.map { "kill -\($0) $(cat \(recording.path).pid)" } ?? ":")
        until [ -s \(recording.path).status ]; do pause; done
        cat \(recording.path).status \(recording.path).out
        """)
      #expect(result.standardOutput.hasPrefix("74\n"), "\(result)")
      #expect(result.standardOutput.contains("could not be written within 30 s"), "\(result)")
    }
  }

  @Test("a recording that is stopped while the server is frozen does not wait for an answer")
  func stoppedWhileFrozen() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      let recording = try await Recording.start(sandbox, "--timeout 40s")
      try await sandbox.freeze()
      let start = ContinuousClock.now
      let (status, _, _) = try await recording.end(signal: "INT")
      #expect(ContinuousClock.now - start < .seconds(20))
      #expect(status == 0)
      try await sandbox.thaw()
    }
  }

  @Test(
    "a named device that is unplugged is waited for, and the gap is listed",
    arguments: [ServerKind.pulseaudio, .pipewire])
  func waitsForNamed(_ kind: ServerKind) async throws {
    try await PulseSandbox.with(.minimal(on: kind)) { sandbox in
      let unplug = try await plug(sandbox)
      let recording = try await Recording.start(sandbox, "--device usb_mic")
      _ = try await sandbox.shell(unplug)
      try await recording.waits(until: "grep -q \"waiting for 'usb_mic'\" \(recording.path).err")
      // PipeWire lists a stream that was closed a moment longer.
      try await recording.waits(until: "[ -z \"$(pactl list short source-outputs)\" ]")
      _ = try await plug(sandbox)
      try await recording.waits(until: "pactl list short source-outputs | grep -q .")
      let (status, json, _) = try await recording.end(signal: "INT")
      #expect(status == 0)
      // A busy machine may lose some of what was there, too.
      let gaps = (json["missing"]?.array ?? []).filter { $0["cause"] != .string("overrun") }
      #expect(gaps.count == 1 && missing(json) > 0, "\(json)")
      #expect(json["inputs"]?.array.map { $0["device"] } == [.string("usb_mic")])
    }
  }

  @Test(
    "with --follow its successor is recorded, and named on the screen and in the sidecar",
    arguments: [ServerKind.pulseaudio, .pipewire])
  func follows(_ kind: ServerKind) async throws {
    try await PulseSandbox.with(.minimal(on: kind)) { sandbox in
      let unplug = try await plug(sandbox)
      let recording = try await Recording.start(sandbox, "--device usb_mic --follow")
      _ = try await sandbox.shell(unplug)
      try await recording.waits(until: "pactl list short source-outputs | grep -q .")
      try await recording.waits(until: "grep -q \"'mic'\" \(recording.path).err")
      let size = try await sandbox.shell("stat -c %s \(recording.path)").standardOutput
      try await recording.waits(
        until: "[ $(stat -c %s \(recording.path)) -gt $((\(size.filter(\.isNumber)) + 100000)) ]")
      let (status, json, said) = try await recording.end(signal: "INT")
      #expect(status == 0)
      #expect(said.contains("now recording from 'mic'"), "\(said)")
      #expect(
        json["inputs"]?.array.map { $0["device"] } == [
          .string("usb_mic"), .string("mic"),
        ], "\(json)")
      let sidecar = try JSONValue(
        try await sandbox.shell("cat \(recording.path).json").standardOutput)
      #expect(sidecar["inputs"] == json["inputs"])
    }
  }

  @Test("a recording on a terminal that takes no output continues after a restart of the server")
  func stoppedTerminal() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      // Ctrl-S stops the terminal; Ctrl-C starts it again, and ends the recording.
      let result = try await sandbox.shell(
        """
        cd \(sandbox.directory)
        export NO_COLOR=1 TERM=xterm
        mkfifo keys
        exec 3<> keys
        script -qec '$A record a.wav' /dev/null <&3 > screen 2>&1 & pid=$!
        trap 'kill $pid 2> /dev/null' EXIT
        until grep -aq '0:0[0-9]' screen; do kill -0 $pid || exit 9; pause; done
        printf '\\023' >&3
        shown() { stat -c %s screen; }
        until before=$(shown); for i in $(seq 25); do pause; done; [ $before = $(shown) ]; do
          kill -0 $pid || exit 8
        done
        $A sandbox simulate reset-media-services > /dev/null || exit 7
        i=0
        until pactl list short source-outputs | grep -q .; do
          i=$((i + 1)); [ $i -lt 1500 ] || exit 6
          pause
        done
        printf '\\003' >&3
        wait $pid
        """)
      #expect(result.status == 0, "\(result)")
    }
  }

  @Test(
    "a meter of a named device that is unplugged ends, and shows no other one",
    arguments: [ServerKind.pulseaudio, .pipewire])
  func metered(_ kind: ServerKind) async throws {
    try await PulseSandbox.with(.minimal(on: kind)) { sandbox in
      let unplug = try await plug(sandbox)
      let result = try await sandbox.shell(
        """
        cd \(sandbox.directory)
        $A meter --device usb_mic --interval 100ms --json > out 2> err & pid=$!
        until grep -q '"usb_mic"' out; do kill -0 $pid || exit 9; pause; done
        \(unplug)
        wait $pid; code=$?
        tail -n 1 out; grep '"device":"mic"' out; exit $code
        """)
      #expect(result.status == 78, "\(result)")
      #expect(result.standardOutput.contains("usb_mic"), "\(result)")
      #expect(!result.standardOutput.contains("\"device\":\"mic\""), "\(result)")
    }
  }
}
