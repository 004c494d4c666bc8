import Glibc
import PulseSandbox
import PulseTypes
import TestSupport
import Testing

/// With an A2DP headset for output and a microphone elsewhere, `record` must not make the headset drop
/// its music: neither by itself nor for long by what a desktop's policy makes of a recording.
@Suite("record beside a Bluetooth headset", .cards, .soundFiles, .timeLimit(.minutes(10)))
struct RecordGuardTests {
  private static let card = "bluez_card.00_11_22_33_44_55"
  private static let profile = """
    category = "play-and-record"
    [input]
    prefer = ["alsa_input.pci-*"]
    port = ["analog-input-internal-mic"]
    [output]
    prefer = ["bluez_*"]
    """
  /// Taken for a headset's own microphone by no mode that does not allow it.
  private static let own = """
    scope = "application"
    category = "record"
    [input]
    prefer = ["bluez_*", "*"]
    """

  private func music(_ kind: ServerKind) -> String {
    kind == .pipewire ? "a2dp-sink" : "a2dp_sink"
  }

  /// A laptop whose microphone hears a tone a channel, and the headset, as the default output.
  private func with(
    _ kind: ServerKind, _ body: (PulseSandbox) async throws -> Void
  ) async throws {
    let cards = ["kind=laptop tone=yes", "kind=bluetooth"]
    try await PulseSandbox.with(
      try #require(SandboxConfiguration.simulatedCards(cards, on: kind))
    ) { sandbox in
      try sandbox.write(profile: "talk", Self.profile)
      try sandbox.write(profile: "own", Self.own)
      let ready = try await sandbox.shell(
        """
        until pactl set-card-profile \(Self.card) \(music(kind)); do pause; done
        until sink=$(pactl list short sinks | grep -o 'bluez_[^[:space:]]*a2dp[^[:space:]]*\\|bluez_output[^[:space:]]*')
        do pause; done
        until [ "$(pactl get-default-sink)" = "$sink" ]; do
          pactl set-default-sink "$sink"; pause
        done
        pactl set-default-source "$(pactl list short sources | grep -o 'alsa_input.pci[^[:space:]]*')"
        """)
      try #require(ready.status == 0, "\(ready)")
      try await body(sandbox)
    }
  }

  private func activeProfile(_ sandbox: PulseSandbox) async throws -> String {
    let list = try JSONValue(
      await sandbox.capture(["pactl", "-f", "json", "list", "cards"]).standardOutput)
    let card = list.array.first { $0["name"] == .string(Self.card) }
    guard case .string(let profile)? = card?["active_profile"] else { return "none" }
    return profile
  }

  /// The tones of 440 and 880 Hz in each channel of the end of a recording.
  private func tones(in file: String, _ sandbox: PulseSandbox) async throws -> [Set<Int>] {
    let text = try await sandbox.shell("tail -c 35280 \(file) | od -An -v -t d2 -w4")
    let frames = text.standardOutput.split(separator: "\n").map { line in
      line.split(separator: " ").compactMap { Double($0) }
    }
    return (0..<2).map { channel in
      Set(
        [440, 880].filter { tone in
          let step = 2 * Double.pi * Double(tone) / 44100
          var (a, b) = (0.0, 0.0)
          for (number, frame) in frames.enumerated() where frame.count == 2 {
            a += frame[channel] * cos(step * Double(number))
            b += frame[channel] * sin(step * Double(number))
          }
          return 2 * (a * a + b * b).squareRoot() / Double(frames.count) > 0.05 * 32768
        })
    }
  }

  /// Records, and again where a busy machine lost sound.
  private func record(
    _ sandbox: PulseSandbox, _ arguments: String
  ) async throws {
    var heard: [Set<Int>] = []
    for number in 1...5 where heard != [[440], [880]] {
      noteTry(number, of: 5)
      let file = sandbox.directory + "/a.wav"
      let result = try await sandbox.shell(
        "$A record \(file) --force --rate 44100 --duration 1s \(arguments)")
      #expect(result.status == 0, "\(result)")
      heard = try await tones(in: file, sandbox)
    }
    #expect(heard == [[440], [880]], "\(arguments)")
  }

  @Test(
    "it keeps its music, with a holder and without, and the microphone of the laptop is heard",
    arguments: [ServerKind.pulseaudio, .pipewire])
  func keepsMusic(_ kind: ServerKind) async throws {
    try await with(kind) { sandbox in
      // Each change of it, while all of this goes on.
      let log = sandbox.directory + "/profiles"
      let follower = try await sandbox.shell(
        """
        ( while pactl list cards; do pause; done | grep --line-buffered 'Active Profile: ' > \(log)
        ) >/dev/null 2>&1 </dev/null & echo $!
        """)
      for arguments in ["", "--profile own"] {
        try await record(sandbox, arguments)
        #expect(try await activeProfile(sandbox) == music(kind), "\(arguments)")
      }
      let watch = try await Watching.start(sandbox, "talk --json")
      try await record(sandbox, "")
      #expect(try await activeProfile(sandbox) == music(kind))
      #expect(try await watch.end() == 143)
      let seen = try await sandbox.shell(
        "kill \(follower.standardOutput.filter(\.isNumber)); cat \(log)")
      let profiles = seen.standardOutput.split(separator: "\n")
      // It has looked on, and seen the music.
      #expect(profiles.contains { $0.hasSuffix(music(kind)) }, "\(seen)")
      #expect(!profiles.contains { $0.contains("headset") || $0.contains("handsfree") }, "\(seen)")
    }
  }

  @Test(
    "what a desktop's policy makes of a recording is undone, and the recording goes on",
    arguments: [ServerKind.pulseaudio, .pipewire])
  func policy(_ kind: ServerKind) async throws {
    try await with(kind) { sandbox in
      let watch = try await Watching.start(sandbox, "talk --json")
      // As a policy does for each recording that it takes for a call, once.
      let call = kind == .pipewire ? "headset-head-unit" : "headset_head_unit"
      let file = sandbox.directory + "/b.wav"
      let started = try await sandbox.shell(
        """
        $A record \(file) --force --rate 44100 >/dev/null 2>&1 </dev/null & echo $! > \(file).pid
        until pactl list source-outputs | grep -q 'media.name = "Audio capture"'; do pause; done
        until pactl set-card-profile \(Self.card) \(call); do pause; done
        """)
      #expect(started.status == 0, "\(started)")
      #expect(try await watch.says("\"reapplied\""))
      let back = try await sandbox.shell(
        """
        until pactl list cards | grep -q 'Active Profile: \(music(kind))'; do pause; done
        until pactl get-default-sink | grep -q bluez; do pause; done
        """)
      #expect(back.status == 0, "\(back)")
      // The recording goes on; a machine that is too busy loses sound, and is listened to again.
      var heard: [Set<Int>] = []
      for number in 1...5 where heard != [[440], [880]] {
        noteTry(number, of: 5)
        let more = try await sandbox.shell(
          """
          size=$(stat -c %s \(file))
          until [ $(stat -c %s \(file)) -gt $((size + 176400)) ]; do pause; done
          """)
        #expect(more.status == 0, "\(more)")
        heard = try await tones(in: file, sandbox)
      }
      #expect(heard == [[440], [880]])
      let ended = try await sandbox.shell("kill -INT $(cat \(file).pid)")
      #expect(ended.status == 0, "\(ended)")
      #expect(try await watch.end() == 143)
    }
  }
}

extension Trait where Self == ConditionTrait {
  /// Skips where one of the servers, or its cards, are missing.
  fileprivate static var cards: Self {
    .enabled(
      if: ServerProgram.isInstalled(.pulseaudio) && ServerProgram.isInstalled(.pipewire)
        && SimulatedCard.modulePath() != nil && SimulatedCard.programPath() != nil,
      """
      needs the packages pulseaudio, dpkg-dev, pipewire, pipewire-pulse, wireplumber and \
      libpipewire-0.3-dev, and Tests/SimulatedCard/build
      """)
  }
}
