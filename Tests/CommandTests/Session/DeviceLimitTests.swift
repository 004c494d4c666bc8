import PulseSandbox
import PulseTypes
import TestSupport
import Testing

/// What a device cannot give is told from what it granted, with a process that holds and without one.
@Suite("What a device cannot give", .timeLimit(.minutes(10)))
struct DeviceLimitTests {
  /// A machine whose microphone or output has a limit, and a mode beyond it.
  struct Limit: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let card: String
    var server = ServerKind.pulseaudio
    let category: String
    let hint: String
    let property: String
    let granted: String
    let words: String

    var isInput: Bool { category == "record" }
    var device: String {
      isInput
        ? "alsa_input.usb-Example_USB_Microphone-00.analog-stereo"
        : "alsa_output.pci-0000_00_1f.3.analog-stereo"
    }
    var profile: String {
      "category = \"\(category)\"\n\(hint)\n[\(isInput ? "input" : "output")]\n"
        + "prefer = [\"\(device)\"]\n\(isInput ? "gain" : "volume") = \"40 %\"\n"
    }
  }

  static let limits = [
    Limit(
      testDescription: "a source without timer scheduling",
      card: "kind=usb-mic fixed_latency=100", category: "record",
      hint: "buffer-duration = \"10 ms\"",
      property: "ioBufferDuration", granted: "100 ms", words: "gives 100 ms and not 10 ms"),
    Limit(
      testDescription: "a sink without timer scheduling",
      card: "kind=laptop fixed_latency=100", category: "playback",
      hint: "buffer-duration = \"10 ms\"", property: "ioBufferDuration", granted: "100 ms",
      words: "gives 100 ms and not 10 ms"),
    Limit(
      testDescription: "a sink whose fixed buffer is shorter",
      card: "kind=laptop fixed_latency=20", category: "playback",
      hint: "buffer-duration = \"200 ms\"", property: "ioBufferDuration", granted: "20 ms",
      words: "gives 20 ms and not 200 ms"),
    Limit(
      testDescription: "a source with a higher minimum",
      card: "kind=usb-mic min_latency=50", category: "record", hint: "buffer-duration = \"10 ms\"",
      property: "ioBufferDuration", granted: "50 ms", words: "gives 50 ms and not 10 ms"),
    Limit(
      testDescription: "a source with a lower maximum",
      card: "kind=usb-mic max_latency=40", category: "record", hint: "buffer-duration = \"90 ms\"",
      property: "ioBufferDuration", granted: "40 ms", words: "gives 40 ms and not 90 ms"),
    Limit(
      testDescription: "a batch device",
      card: "kind=usb-mic batch=25", category: "record", hint: "buffer-duration = \"10 ms\"",
      property: "ioBufferDuration", granted: "100 ms", words: "gives 100 ms and not 10 ms"),
    Limit(
      testDescription: "a rate that is not the device's",
      card: "kind=usb-mic rates=44100,48000", category: "record", hint: "sample-rate = 96000",
      property: "sampleRate", granted: "48000 Hz", words: "was asked for 96000 Hz and is at"),
    Limit(
      testDescription: "PipeWire's longest buffer", card: "kind=usb-mic", server: .pipewire,
      category: "record", hint: "buffer-duration = \"1 s\"", property: "ioBufferDuration",
      granted: "170.7 ms", words: "gives 170.7 ms at most (8192 frames)"),
    Limit(
      testDescription: "hardware with a short buffer on PipeWire",
      card: "kind=usb-mic max_latency=60", server: .pipewire, category: "record",
      hint: "buffer-duration = \"90 ms\"", property: "ioBufferDuration", granted: "42.7 ms",
      words: "gives 42.7 ms at most (2048 frames)"),
    Limit(
      testDescription: "an output with a short buffer on PipeWire",
      card: "kind=laptop max_latency=60", server: .pipewire, category: "playback",
      hint: "buffer-duration = \"200 ms\"", property: "ioBufferDuration", granted: "42.7 ms",
      words: "gives 42.7 ms at most (2048 frames)"),
    Limit(
      testDescription: "a rate that is not that of hardware on PipeWire",
      card: "kind=usb-mic rate=44100", server: .pipewire, category: "record",
      hint: "sample-rate = 96000", property: "sampleRate", granted: "44100 Hz",
      words: "was asked for 96000 Hz and its hardware stays at 44100 Hz"),
  ]

  private static func with(
    _ limit: Limit, _ body: (PulseSandbox) async throws -> Void
  ) async throws {
    let configuration = try #require(
      SandboxConfiguration.simulatedCards([limit.card], on: limit.server))
    try await PulseSandbox.with(configuration) { sandbox in
      try sandbox.write(profile: "test", limit.profile)
      try await body(sandbox)
    }
  }

  /// The verdict of the hint in a state, and its reason.
  private func check(_ state: JSONValue?, _ limit: Limit) throws {
    let report = try #require(state?["properties"]?[limit.property])
    #expect(report["verdict"] == .string("unreachable"), "\(report)")
    guard case .string(let reason) = report["reason"] else {
      return #expect(Bool(false), "no reason: \(report)")
    }
    #expect(reason.contains(limit.words), "\(reason)")
  }

  @Test("without a holder what it granted decides", .simulatedCard, .pipewire, arguments: limits)
  func withoutHolder(_ limit: Limit) async throws {
    try await Self.with(limit) { sandbox in
      let result = try await sandbox.audiosession("apply", "test", "--json")
      #expect(result.status == 0, "\(result)")
      let applied = try JSONValue(result.standardOutput)
      let step = try #require(applied["steps"]).array.first {
        $0["name"] == .string(limit.property)
      }
      #expect(step?["outcome"] == .string("notGranted"), "\(String(describing: step))")
      #expect(step?["detail"] == .string(limit.granted), "\(String(describing: step))")
      try check(applied, limit)
      #expect(result.standardError.contains(limit.words), "\(result.standardError)")
      #expect(!result.standardError.contains("no longer held"))
      try check(
        try JSONValue(try await sandbox.audiosession("state", "--json").standardOutput), limit)
      // What is known is not tried again.
      let again = try JSONValue(
        try await sandbox.audiosession("plan", "test", "--json").standardOutput)
      #expect(again["steps"] == .array([]))
    }
  }

  @Test("strict it is 78, and all is as before", .simulatedCard, .pipewire, arguments: limits)
  func strict(_ limit: Limit) async throws {
    try await Self.with(limit) { sandbox in
      // All devices with their rates and levels, the pins, and the defaults.
      let listing =
        "for kind in sinks sources; do pactl list $kind; done | grep -E 'Name:|Mute:|Volume:|Spec|Active';"
        + " pactl list short source-outputs; pactl list short sink-inputs; pactl info | grep Default"
      let before = try await sandbox.shell(listing).standardOutput
      #expect(before.contains("Name:"))
      let strict = try await sandbox.audiosession("apply", "test", "--strict", "--json")
      #expect(strict.status == 78, "\(strict)")
      let error = try JSONValue(strict.standardOutput)["error"]
      #expect(error?["code"] == .string("hintNotGranted"))
      #expect(error?["restored"] == .bool(true))
      #expect(try await sandbox.shell(listing).standardOutput == before)
      // What was learnt then is no success the next time.
      #expect(try await sandbox.audiosession("apply", "test").status == 0)
      #expect(try await sandbox.audiosession("apply", "test", "--strict").status == 78)
      let state = try JSONValue(try await sandbox.audiosession("state", "--json").standardOutput)
      try check(state, limit)
    }
  }

  @Test("with a holder it says the same", .simulatedCard, .pipewire, arguments: limits)
  func withHolder(_ limit: Limit) async throws {
    try await Self.with(limit) { sandbox in
      let watching = try await Watching.start(sandbox, "test")
      let result = try await sandbox.audiosession("state", "--json")
      try check(try JSONValue(result.standardOutput), limit)
      #expect(try await watching.end() == 143)
    }
  }
}
