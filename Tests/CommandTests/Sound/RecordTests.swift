import AudioStreams
import Glibc
import PulseSandbox
import TestSupport
import Testing

extension Trait where Self == ConditionTrait {
  static var soundFiles: Self {
    .enabled(if: SoundLibrary.isAvailable, "needs the package libsndfile1-dev")
  }
}

@Suite("record and play", .server, .soundFiles, .timeLimit(.minutes(10)))
struct RecordTests {
  @Test("record says what it recorded, and play what it played")
  func records() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      let path = sandbox.directory + "/a.wav"
      let recorded = try await sandbox.audiosession("record", path, "--duration", "500ms")
      #expect(
        recorded.standardOutput == """
          \(path)
            0:00.5, 44100 Hz, 2 channels, wav16; nothing but silence; nothing is missing

          """)
      #expect(recorded.standardError.isEmpty || recorded.standardError.contains("not realtime"))
      #expect(recorded.status == 0)
      let played = try await sandbox.audiosession("play", "--json", path)
      #expect(played.status == 0)
      let json = try JSONValue(played.standardOutput)
      #expect(json["file"] == .string(path) && json["seconds"] == .number(0.5))
    }
  }

  @Test("what goes to standard output by another name is sound alone")
  func otherName() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      let result = try await sandbox.shell(
        """
        cd \(sandbox.directory)
        $A record /dev/stdout --duration 200ms > take.wav 2> err; echo $?; head -c 4 take.wav; echo
        grep -c 'take.wav\\|0:00.2' err; $A play take.wav; echo $?
        $A record /dev/stdout --duration 200ms --json > other.wav 2>&1
        grep -o 'both write to standard output' other.wav
        """)
      let lines = result.standardOutput.split(separator: "\n").map(String.init)
      #expect(lines.prefix(4) == ["0", "RIFF", "1", "0"], "\(result)")
      #expect(lines.last?.contains("both write to standard output") == true, "\(result)")
    }
  }

  @Test(
    "an error that only the end of a file reports is an error",
    .enabled(if: access("/usr/bin/strace", X_OK) == 0, "needs the package strace"))
  func closing() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      let result = try await sandbox.shell(
        """
        cd \(sandbox.directory)
        strace -f -o trace.out -P $PWD/a.wav -e trace=close -e inject=close:error=ENOSPC \
          $A record $PWD/a.wav --duration 100ms > out 2> err; code=$?
        cat err; exit $code
        """)
      #expect(result.status == 74, "\(result)")
      #expect(result.standardOutput.contains("No space left on device"), "\(result)")
    }
  }

  @Test("record checks the input of its own profile, not the server's default")
  func ownProfile() async throws {
    var sources = SandboxConfiguration(modules: [
      "module-null-source source_name=one", "module-null-source source_name=two",
    ])
    sources.commands = ["set-default-source one", "set-source-mute two 1"]
    try await PulseSandbox.with(sources) { sandbox in
      try sandbox.write(
        profile: "own",
        """
        scope = "application"
        category = "record"
        [input]
        prefer = ["two"]
        """)
      let result = try await sandbox.audiosession(
        "record", sandbox.directory + "/a.wav", "--profile", "own", "--duration", "100ms")
      #expect(result.status == 0, "\(result)")
      #expect(result.standardError.contains("pactl set-source-mute two 0"), "\(result)")
    }
  }

  @Test("record converts, and its JSON has every key")
  func converts() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      // The case of the ending does not matter.
      let path = sandbox.directory + "/A.FLAC"
      let result = try await sandbox.audiosession(
        "record", "--json", path, "--duration", "0.25", "--rate", "16000", "--channels", "mono")
      #expect(result.status == 0)
      let json = try JSONValue(result.standardOutput)
      #expect(
        json.keys == [
          "schema", "file", "format", "sampleRate", "channels", "frames", "peak", "seconds",
          "inputs", "missing", "zeros", "startDelay",
        ])
      #expect(json["format"] == .string("flac16"))
      #expect(json["frames"] == .number(4000) && json["channels"] == .number(1))
    }
  }

  @Test("a signal ends a recording well; SIGKILL leaves what was recorded")
  func signals() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      for (signal, status) in [("INT", 0), ("TERM", 143), ("KILL", 137)] {
        let path = "\(sandbox.directory)/\(signal).wav"
        // When the file has a second and a half, at least a second of it must be named by its head.
        let result = try await sandbox.shell(
          """
          $A record \(path) & pid=$!
          until [ $(stat -c %s \(path) 2>/dev/null || echo 0) -gt 264600 ]; do sleep 0.02; done
          kill -\(signal) $pid; wait $pid
          """)
        #expect(result.status == Int32(status))
        let played = try JSONValue(
          try await sandbox.audiosession("play", "--json", path).standardOutput)
        guard case .number(let seconds)? = played["seconds"] else {
          Issue.record("\(signal): no length")
          continue
        }
        #expect(seconds >= 1, "\(signal)")
      }
    }
  }

  @Test("a recording that begins during a call says why it waits")
  func duringCall() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      try await sandbox.interrupt(as: "phone")
      let path = sandbox.directory + "/a.wav"
      let result = try await sandbox.shell(
        """
        $A record \(path) 2> \(path).err & pid=$!
        until grep -q 'phone has a call' \(path).err; do kill -0 $pid || exit 9; pause; done
        kill -INT $pid; wait $pid
        """)
      #expect(result.status == 0, "\(result)")
    }
  }

  @Test("standard output gets a file that can be read, and its end is an error")
  func standardOutput() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      for format in ["wav24", "flac16"] {
        let path = "\(sandbox.directory)/\(format)"
        let piped = try await sandbox.shell(
          "$A record - --format \(format) --duration 500ms | cat > \(path)")
        #expect(piped.standardError.contains("0:00.5"))
        let played = try JSONValue(
          try await sandbox.audiosession("play", "--json", path).standardOutput)
        #expect(played["seconds"] == .number(0.5))
      }
      let closed = try await sandbox.shell(
        "{ $A record -; echo $? >&2; } | head -c 100 > /dev/null")
      #expect(
        closed.standardError.hasSuffix(
          "audiosession: standard output cannot be written: Broken pipe\n74\n"))
    }
  }

  @Test("play without an output reports a missing output")
  func noOutput() async throws {
    try await PulseSandbox.with(.empty) { sandbox in
      let path = sandbox.directory + "/a.wav"
      let writer = try SoundFileWriter(path: path, sampleRate: 8000, channels: 1)
      try writer.write([Float](repeating: 0, count: 800))
      try writer.close()
      let result = try await sandbox.audiosession("play", "--json", path)
      #expect(result.status == 78)
      #expect(result.standardOutput.contains("\"outputNotAvailable\""), "\(result)")
    }
  }

  @Test("FILE.json is replaced with --force only, also where FILE is new")
  func existingList() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      let result = try await sandbox.shell(
        """
        cd \(sandbox.directory); echo mine > talk.wav.json
        $A record talk.wav --duration 100ms; echo $? $(cat talk.wav.json) $(ls talk.wav)
        $A record talk.wav --duration 100ms --force > /dev/null; echo $? $(ls talk.wav)
        """)
      #expect(result.standardOutput == "65 mine\n0 talk.wav\n", "\(result)")
      let words = "'talk.wav.json' exists already; --force replaces it"
      #expect(result.standardError.contains(words), "\(result)")
    }
  }

  @Test("what cannot be is said, with the right exit code")
  func failures() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      let cases: [([String], Int32, String)] = [
        (["record", "/dev/full"], 74, "'/dev/full' cannot be written: No space left on device"),
        (["record", sandbox.directory + "/none/a.wav"], 74, "No such file or directory"),
        (["record", "a.wav", "--rate", "5"], 64, "8000 to 192000"),
        (["record", "-", "--json"], 64, "standard output"),
        (["record", "talk.mp3"], 64, "end it in .wav or .flac"),
        (["play", "/"], 65, "'/' is no sound file: Is a directory"),
        (["--server", "unix:/nonexistent", "record", "/tmp/never.wav"], 69, "no server answers"),
        (
          ["record", "/tmp/never.wav", "--device", "none"], 78,
          "no source 'none'\n  speakers.monitor\n  mic\n"
        ),
        (
          ["play", sandbox.directory + "/none"], 66,
          "/none' cannot be read: No such file or directory"
        ),
        (["play", #filePath], 65, "is no sound file"),
      ]
      for (arguments, status, words) in cases {
        let result = try await sandbox.capture([builtProgram] + arguments)
        #expect(result.status == status, "\(arguments)")
        #expect((result.standardError + result.standardOutput).contains(words), "\(result)")
      }
    }
    try await PulseSandbox.with(.monitorOnly) { sandbox in
      let result = try await sandbox.audiosession("record", "/tmp/never.wav")
      #expect(result.status == 78)
      #expect(result.standardError.contains("the default input is the monitor 'speakers.monitor'"))
    }
  }
}
