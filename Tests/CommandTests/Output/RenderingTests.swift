import AudioSession
import FoundationEssentials
import Glibc
import PulseTypes
import SessionProfiles
import TestSupport
import Testing

@testable import AudioStreams
@testable import SessionCore
@testable import audiosession

@Suite("Rendering")
struct RenderingTests {
  private let input = "alsa_input.usb-Example_USB_Microphone-00.analog-stereo"

  private func report(_ verdict: Verdict, _ reason: String? = nil) -> PropertyReport {
    .made(
      preferred: .strings(["alsa_input.usb-*", "device.bus=usb", "default"]),
      actual: .string(input), verdict: verdict, reason: reason)
  }

  private func steps() -> [StepItem] {
    let setting = Setting.defaultDevice(.input)
    let step = Step(
      phase: .preferredDevices, property: .preferredInput, setting: setting,
      from: .name("alsa_input.pci-0000_00_1f.3.analog-stereo"), to: .name(input), why: "because")
    let profile = Step(
      phase: .category, property: .category,
      setting: .cardProfile(card: "alsa_card.usb-Example_USB_Microphone-00"),
      from: .name("off"), to: .name("input:analog-stereo"), why: "because")
    return [
      StepItem(step: step, outcome: .refused("no " + String(repeating: "never ", count: 20))),
      StepItem(step: profile, outcome: .applied),
    ]
  }

  @Test("a port without a type says why")
  func portWithoutType() {
    let spec = SampleSpec(format: .s16le, rate: 44100, channels: 2)
    let port = DevicePort(name: "socket", direction: .input)
    let source = Device(
      direction: .input, index: Index(1), name: "mic", sampleSpec: spec, channelMap: .stereo,
      ports: [port], activePort: port.name)
    let list = DeviceList(
      ServerSnapshot(
        server: ServerInfo(
          name: "pulseaudio", version: "16.1", sampleSpec: spec, channelMap: .stereo,
          defaultSinkName: nil, defaultSourceName: "mic", cookie: 1),
        cards: [], sinks: [], sources: [source]), isWhole: false)
    let lines = DevicesView.lines(list, width: 80).map { $0.rendered(colour: false) }
    #expect(
      lines.contains("    * socket  no type reported by the server  available"), "\(lines)")
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

  @Test("the list of profiles fits a narrow screen, however long a name is")
  func longProfileName() {
    let folder = TemporaryFolder()
    let name = String(repeating: "a", count: 39)
    folder.write("description = \"Mine, and very long\"", to: "audiosession/profiles/\(name).toml")
    let profiles = Profile.all(environment: ["XDG_CONFIG_HOME": folder.path])
    let lines = ProfilesView.lines(profiles, width: 40)
    for line in lines { #expect(line.width <= 40, "\(line.rendered(colour: false))") }
    let text = lines.rendered(colour: false)
    #expect(text.contains("\(name)\n    Mine, and very long\n"), "\(text)")
    #expect(text.contains("\npodcast\n    Podcast"), "\(text)")
  }

  @Test("an event and what is wrong with a file fit the screen", arguments: [60, 80])
  func narrow(_ width: Int) throws {
    let events: [SessionEvent] = [
      .applied,
      .conflict("default source", opponents: [input, "module-switch-on-connect"], until: nil),
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
    #expect(text.hasPrefix("category, mode, options\n   alsa_card.usb-Example"))
    #expect(text.contains("→ \(input)"))
    #expect(!text.contains("…"))
  }

  @Test("a narrow screen gets the change on lines of its own")
  func narrow() {
    let text = StepsView.lines([steps()[1]], width: 60).rendered(colour: false)
    #expect(
      text == """
        category, mode, options
           profile of alsa_card.usb-Example_USB_Microphone-00
             off → input:analog-stereo  applied

        """)
  }

  @Test("colours only where they are wanted, and none around nothing")
  func colours() {
    let line: Line = [Span("a", .green), "  ", Span("", .red)]
    #expect(line.rendered(colour: true) == "\u{1b}[38;5;28ma\u{1b}[0m")
    #expect(line.rendered(colour: false) == "a")
  }

  @Test("each colour can be read on white and on black", arguments: [Style.red, .green, .amber])
  func contrast(_ style: Style) throws {
    let code = try #require(style.rawValue.split(separator: ";").last.flatMap { Int($0) }) - 16
    // The palette's cube of 6 x 6 x 6 colours, and the luminance of WCAG.
    let parts = [code / 36, code / 6 % 6, code % 6].map { level -> Double in
      let value = Double([0, 95, 135, 175, 215, 255][level]) / 255
      return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
    }
    let luminance = 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
    #expect(1.05 / (luminance + 0.05) > 3.9, "on white")
    #expect((luminance + 0.05) / 0.05 > 3.9, "on black")
  }

  @Test("a name that is longer than a line is broken behind its marks")
  func longNames() {
    func wrapped(_ text: String, _ width: Int) -> String {
      Layout.wrap(text, indent: 0, width: width).rendered(colour: false)
    }
    #expect(
      wrapped("is alsa_input.usb-Example-00 now", 16) == "is\nalsa_input.usb-\nExample-00 now\n")
    #expect(wrapped("abcdefghijkl", 8) == "abcdefgh\nijkl\n")
    #expect(wrapped("麦克风麦克风", 8) == "麦克风麦\n克风\n")
    #expect(wrapped("abcdefghijkl", 12) == "abcdefghijkl\n")
  }

  @Test("a time is in the zone of the person who reads, and anything else as it is")
  func localTime() {
    var now = time(nil)
    var fields = tm()
    localtime_r(&now, &fields)
    let text = TimedEvent.now(.applied).time
    let local = LocalTime(text)
    #expect(local.fraction == "." + text.suffix(4).dropLast())
    #expect(local.date.hasPrefix("\(fields.tm_year + 1900)-"))
    // The minutes of a zone differ only where its offset has some.
    #expect(fields.tm_gmtoff % 3600 != 0 || local.time.dropFirst(2) == text.dropFirst(13).prefix(6))
    #expect(
      LocalTime.text("10 until \(text); it") == "10 until \(local.date) \(local.time); it")
    for strange in ["T1", "", "yesterday", "99999999999-1-1T1:1:1Z", "2026-11-23T05:00:45"] {
      #expect(LocalTime(strange).clock == strange && LocalTime(strange).date.isEmpty)
    }
  }

  @Test("what a terminal would act on is made visible")
  func visibility() {
    #expect(visible("a\u{1b}[2Jb\nc\u{7f}") == "a\\u{1b}[2Jb\\u{a}c\\u{7f}")
    #expect(visible("Käse 麦克风 👩‍🎤") == "Käse 麦克风 👩‍🎤")
    #expect(Span("\u{9b}31m").text == "\\u{9b}31m")
  }

  @Test("a length that is a floating-point number is not cut below itself")
  func clock() {
    #expect(RecordView.clock(.seconds(1.2)) == "0:01.2")
    #expect(RecordView.clock(.seconds(1.19)) == "0:01.1")
    #expect(RecordView.clock(.seconds(0.3 + 3600)) == "1:00:00.3")
  }

  @Test("a recording is clipped from full scale on, as a meter and its warning say")
  func clipped() {
    for (peak, isClipped) in [(Float(0.995), false), (1, true)] {
      var progress = RecordingProgress()
      (progress.frames, progress.sampleRate, progress.channels) = (8000, 8000, 1)
      (progress.peak, progress.highestPeak) = (peak, peak)
      progress.startDelay = .seconds(isClipped ? 1.5 : 0.1)
      let view = RecordView(file: "a.wav", format: .wav16, progress: progress)
      #expect(view.summary.contains("the first sound came after 0:01.5") == isClipped)
      #expect(view.summary.contains("clipped") == isClipped, "\(view.summary)")
      #expect(RecordView.line(progress).spans.contains { $0.style == .red } == isClipped)
      var watch = RecordingWatch()
      let warnings = watch.warnings(progress, left: nil)
      #expect(warnings.contains { $0.contains("clips") } == isClipped, "\(warnings)")
      #expect((SignalLevel.measure([peak]).clipped == 1) == isClipped)
    }
  }

  @Test("of a recording with zeros amid the sound nothing claims that it is whole")
  func zerosAmidSound() {
    var progress = RecordingProgress()
    (progress.frames, progress.sampleRate, progress.channels) = (80_000, 8000, 1)
    let summary = { RecordView(file: "a.wav", format: .wav16, progress: progress).summary }
    #expect(summary().hasSuffix("; nothing is missing"))
    let zeros = [4000, 40_000].map { ZeroFrames(position: $0, frames: 4000) }
    progress.zeros = zeros
    let words = "0:01.0 amid the sound is zeros (2×): lost, or the device itself was muted"
    #expect(!summary().contains("missing") && summary().hasSuffix("; " + words))
    progress.missing = [MissingFrames(position: 0, frames: 10, cause: .overrun)]
    #expect(summary().hasSuffix("; 10 frames are silence instead (1×); " + words))
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

  @Test func `a screen has room for rows, of which a long line takes several`() {
    let lines = ["one", String(repeating: "x", count: 81), "three", "four"].map { Line($0) }
    func shown(_ rows: Int) -> [String] {
      Layout.fitting(lines, rows: rows, columns: 40).map { $0.rendered(colour: false) }
    }
    #expect(shown(6).count == 4)
    #expect(shown(5).last == "  (2 more lines)" && shown(5).count == 3)
    #expect(shown(4) == ["one", "  (3 more lines)"])
    #expect(Line("").rows(in: 40) == 1 && Line("x").rows(in: 40) == 1)
    #expect(lines[1].rows(in: 81) == 1 && lines[1].rows(in: 80) == 2)
  }

  @Test func `a line of progress loses its last parts before it wraps`() {
    let paused = PlayView.line((.seconds(3), .seconds(200)), isPaused: true)
    #expect(paused.spans.count == 3)
    #expect(paused.spans.prefix(2).reduce(0) { $0 + $1.width } < 40)
    #expect(Line([Span("日本"), Span("abc")]).clipped(to: 5).width == 5)
    #expect(Line("日本").clipped(to: 3).rendered(colour: false) == "日")
  }

  @Test func `only what was read as granted is shown as granted`() {
    let grant = [
      "object": "mic", "property": "buffer", "value": "10 ms", "text": "10 ms", "answer": "grant",
    ]
    let reports = [[], [grant]].map {
      PropertyReport.made(
        preferred: .number(0.01), verdict: .pending, reason: "no process holds it",
        waitingFor: "holder", readings: $0)
    }
    let texts = reports.map {
      PropertiesView.lines(
        [.ioBufferDuration: $0], width: nil, preferredOnly: true, showsGrants: true
      ).rendered(colour: false)
    }
    #expect(!texts[0].contains("granted") && texts[0].contains("no process holds it"))
    #expect(texts[1].contains("granted") && !texts[1].contains("pending"))
  }

  @Test(
    arguments: [
      ("audiosession devices", nil), ("audiosession --server tcp:studio record", "tcp:studio"),
      ("audiosession --server=unix:/x record", "unix:/x"),
      ("audiosession --server = unix : /x record", "unix:/x"),
      ("audiosession --server tcp : studio : 4713 record", "tcp:studio:4713"),
      ("audiosession --server tcp : [ :: 1] : 4713 record", "tcp:[::1]:4713"),
      ("audiosession record --server", nil),
    ])
  func `devices are completed of the server that the line names`(_ line: String, _ server: String?)
  {
    #expect(Completion.server(in: line.split(separator: " ").map(String.init)) == server)
  }

  @Test func `profiles, folders and links to folders are completed after a slash`() {
    let folder = TemporaryFolder()
    for name in ["a.toml", "notes.txt", ".hidden.toml", "own/b.toml"] {
      folder.write("", to: name)
    }
    symlink("own", folder.path + "/linked")
    symlink("nowhere", folder.path + "/lost")
    let names = Completion.profiles(folder.path + "/").map { $0.dropFirst(folder.path.count + 1) }
    #expect(names == ["a.toml", "linked/", "own/"])
  }

  @Test func `a line whose columns have become wider has not changed`() {
    let shown: [Line] = [["gain  ", "40 %  ", "applied"], ["mute  ", "no    ", "applied"]]
    let lines: [Line] = [["gain  ", "40 %    ", "applied"], ["mute  ", "unknown ", "pending"]]
    let marks = StateWatch.marked(lines, since: shown).map { $0.rendered(colour: false).prefix(2) }
    #expect(marks == ["  ", "* "])
  }
}
