import AudioSession
import FoundationEssentials
import SessionProfiles
import Testing

@testable import audiosession

@Suite("Rendering")
struct RenderingTests {
  private let input = "alsa_input.usb-Example_USB_Microphone-00.analog-stereo"

  private func report(_ verdict: Verdict, _ reason: String? = nil) -> PropertyReport {
    .made(
      preferred: .strings(["alsa_input.usb-*", "device.bus=usb", "default"]),
      actual: .string(input), verdict: verdict, reason: reason)
  }

  private func steps() -> [StepsView.Row] {
    let setting = Setting.defaultDevice(.input)
    let step = Step(
      phase: .preferredDevices, property: .preferredInput, setting: setting,
      from: .name("alsa_input.pci-0000_00_1f.3.analog-stereo"), to: .name(input), why: "because")
    let profile = Step(
      phase: .category, property: .category,
      setting: .cardProfile(card: "alsa_card.usb-Example_USB_Microphone-00"),
      from: .name("off"), to: .name("input:analog-stereo"), why: "because")
    return [
      StepsView.Row(step: step, outcome: .refused("no " + String(repeating: "never ", count: 20))),
      StepsView.Row(step: profile, outcome: .applied),
    ]
  }

  @Test("everything fits the screen", arguments: [40, 60, 80, 200])
  func fits(_ width: Int) {
    let reason =
      "granted while applying (10 ms); no process maintains it now, so each stream chooses its own"
    var lines = StepsView.lines(steps(), width: width, showsReasons: true)
    lines += PropertiesView.lines(
      [.preferredInput: report(.pending, reason), .inputLatencyOffset: report(.unset)],
      width: width, preferredOnly: false)
    lines += PlanView.unmet(
      [Unmet(property: .ioBufferDuration, verdict: .unreachable, reason: reason)], width: width)
    lines += ErrorView.lines(
      Failure(
        SessionError(
          .inputNotAvailable, stage: .device, "no usable input for '\(input)' or '\(input)'",
          alternatives: ["\(input): connected, but not asked for"])), width: width)
    for line in lines { #expect(line.width <= width, "\(line.rendered(colour: false))") }
  }

  @Test("at 40 columns no number and no word is cut")
  func fortyColumns() {
    let positions = ["front-left", "front-right", "rear-left", "rear-right", "front-center", "lfe"]
    let properties: [Property: PropertyReport] = [
      .channelMap: .made(
        preferred: .strings(positions), actual: .strings(positions), verdict: .applied),
      .preferredInput: .made(
        preferred: .string("mic"), actual: .string("mic"), verdict: .applied),
    ]
    let names = DeviceNames([
      .init(name: "mic", description: "Example USB Microphone Analog Stereo", kind: "input")
    ])
    let lines = PropertiesView.lines(properties, width: 40, preferredOnly: true, names: names)
    let report = VerifyReportTests.report(VerifyReportTests.measured())
    let all = lines + VerifyView.lines(report, width: 40)
    for line in all {
      #expect(line.width <= 40)
      #expect(!line.rendered(colour: false).contains("…"), "\(line.rendered(colour: false))")
    }
    let text = all.rendered(colour: false)
    for word in positions + ["Microphone", "44100.0 ±"] { #expect(text.contains(word), "\(text)") }
    let sentence = Layout.wrap(
      "it is at 48000 Hz, with a gain of about 80 % now", indent: 0, width: 17)
    #expect(
      sentence.rendered(colour: false) == "it is at\n48000 Hz, with a\ngain of about\n80 % now\n")
  }

  @Test("an event and what is wrong with a file fit the screen", arguments: [60, 80])
  func narrow(_ width: Int) throws {
    let events: [SessionEvent] = [
      .applied,
      .conflict("default source of server", opponents: [input, "module-switch-on-connect"]),
      .pending([Unmet(property: .preferredInput, verdict: .pending, reason: "there is none")]),
      .drift([.sampleRate, .ioBufferDuration, .preferredInput, .inputPort]),
    ]
    for event in events {
      let timed = TimedEvent.now(event)
      for line in EventView.rows(timed, width: width) {
        #expect(line.width <= width, "\(line.rendered(colour: false))")
      }
      #expect(EventView.rows(timed, width: nil).count == 1)
    }
    let file = "/tmp/\(UInt64.random(in: 0...(.max))).toml"
    try Data("categroy = \"record\"\noptions = [\"duck\"]\n".utf8).write(to: URL(filePath: file))
    defer { try? FileManager.default.removeItem(atPath: file) }
    let wrong = Profile.check(file: file)
    #expect(wrong.count == 2)
    for line in wrong.flatMap({ ProfilesView.lines($0, width: width) }) {
      #expect(line.width <= width, "\(line.rendered(colour: false))")
    }
    let plain = wrong.flatMap { ProfilesView.lines($0, width: nil) }.rendered(colour: false)
    #expect(plain == wrong.map { $0.description + "\n" }.joined())
  }

  @Test("phases in order, columns aligned, nothing shortened in a pipe")
  func wide() {
    let text = StepsView.lines(steps(), width: nil).rendered(colour: false)
    #expect(text.hasPrefix("1  category, mode, options\n   alsa_card.usb-Example"))
    #expect(text.contains("→ \(input)"))
    #expect(!text.contains("…"))
  }

  @Test("a narrow screen gets the change on lines of its own")
  func narrow() {
    let text = StepsView.lines([steps()[1]], width: 60).rendered(colour: false)
    #expect(
      text == """
        1  category, mode, options
           profile of alsa_card.usb-Example_USB_Microphone-00
             off → input:analog-stereo  applied

        """)
  }

  @Test("colours only where they are wanted, and none around nothing")
  func colours() {
    let line: Line = [Span("a", .green), "  ", Span("", .red)]
    #expect(line.rendered(colour: true) == "\u{1b}[32ma\u{1b}[0m")
    #expect(line.rendered(colour: false) == "a")
  }

  @Test("a name is shortened in its middle")
  func shorten() {
    #expect(Layout.shorten("abcdefghij", to: 5) == "ab…ij")
    #expect(Layout.shorten("abcdefghij", to: 10) == "abcdefghij")
    #expect(Layout.shorten("abcdefghij", to: nil) == "abcdefghij")
    #expect(Layout.shorten("麦克风麦克风", to: 5).displayWidth <= 5)
  }

  @Test("what a terminal would act on is made visible")
  func visibility() {
    #expect(visible("a\u{1b}[2Jb\nc\u{7f}") == "a\\u{1b}[2Jb\\u{a}c\\u{7f}")
    #expect(visible("Käse 麦克风 👩‍🎤") == "Käse 麦克风 👩‍🎤")
    #expect(Span("\u{9b}31m").text == "\\u{9b}31m")
  }

  @Test("properties in words")
  func words() {
    #expect(PropertyWords.label("ioBufferDuration") == "IO buffer duration")
    #expect(PropertyWords.label("deadChannel") == "dead channel")
    #expect(Property.preferredInput.row.label == "preferred input")
    #expect(PropertyWords.text(.number(0.0058), of: .ioBufferDuration) == "5.8 ms")
    #expect(PropertyWords.text(.number(0.8), of: .inputGain) == "80 %")
    #expect(PropertyWords.text(.number(48000), of: .sampleRate) == "48000 Hz")
    #expect(PropertyWords.text(nil, of: .mode) == "-")
  }
}
