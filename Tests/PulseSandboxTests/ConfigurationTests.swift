import PulseTypes
import Testing

@testable import PulseSandbox

@Suite("What a server is made of", needsServer, .timeLimit(.minutes(10)))
struct ConfigurationTests {
  @Test func anAlternateRateCountsWithoutADefaultOne() {
    var configuration = SandboxConfiguration.empty(on: .pipewire)
    configuration.alternateSampleRate = 44100
    let files = PipeWireFiles(configuration: configuration, socket: "s").all
    #expect(files[0].text.contains("default.clock.allowed-rates = [ 48000 44100 ]"))
  }

  @Test(arguments: bothServers)
  func nullDevicesHaveDescriptionsAndFormFactors(kind: ServerKind) async throws {
    try await PulseSandbox.with(.nullDevices(on: kind)) { (sandbox) async throws in
      #expect(try await sandbox.names(of: "sinks") == ["speakers", "headphones"])
      let sources = try await sandbox.names(of: "sources")
      #expect(sources.filter { !$0.hasSuffix(".monitor") } == ["internal_mic", "usb_mic"])
      #expect(try await sandbox.info("Default Sink") == "headphones")
      #expect(try await sandbox.info("Default Source") == "internal_mic")
      let listing = try await sandbox.capture(["pactl", "list"]).standardOutput
      for text in [
        #"device.description = "Built-in Speakers""#, #"device.form_factor = "headphone""#,
        "Description: Built-in Microphone", #"device.form_factor = "microphone""#,
      ] {
        #expect(listing.contains(text), "\(text)")
      }
    }
  }

  @Test(arguments: bothServers)
  func monitorOnlyHasNoOtherSource(kind: ServerKind) async throws {
    try await PulseSandbox.with(.monitorOnly(on: kind)) { (sandbox) async throws in
      #expect(try await sandbox.names(of: "sources") == ["speakers.monitor"])
    }
  }

  @Test func emptyHasNothing() async throws {
    try await PulseSandbox.with(.empty) { (sandbox) async throws in
      #expect(try await sandbox.names(of: "sinks") == [])
      #expect(try await sandbox.names(of: "sources") == [])
    }
  }

  @Test(arguments: bothServers)
  func theRatesReachTheServer(kind: ServerKind) async throws {
    var configuration = SandboxConfiguration(
      modules: ["module-null-sink sink_name=a"], server: kind)
    configuration.defaultSampleRate = 32000
    configuration.alternateSampleRate = 96000
    configuration.avoidResampling = kind == .pulseaudio
    try await PulseSandbox.with(configuration) { (sandbox) async throws in
      let text = try await sandbox.info("Default Sample Specification")
      #expect(text?.hasSuffix("32000Hz") == true)
    }
  }

  @Test func aCookieIsRequired() async throws {
    var configuration = SandboxConfiguration.minimal
    configuration.cookieRequired = true
    try await PulseSandbox.with(configuration) { (sandbox) async throws in
      #expect(sandbox.address.hasPrefix("tcp:127.0.0.1:"))
      #expect(try await sandbox.names(of: "sinks") == ["speakers"])
      let wrong = try await sandbox.capture(
        ["env", "PULSE_COOKIE=/dev/zero", "pactl", "info"])
      #expect(wrong.status != 0)
      #expect(wrong.standardError.contains("Access denied"))
    }
  }

  @Test func demoSaysWhatIsLostWithoutSimulatedCards() {
    let demo = SandboxConfiguration.demo
    #expect(demo.hasSimulatedCards == (SimulatedCard.modulePath() != nil))
    #expect((demo.notice == nil) == demo.hasSimulatedCards)
    #expect(SandboxConfiguration.nullDevices.notice == nil)
  }

  @Test func demoHasCards() async throws {
    try await PulseSandbox.with(.demo) { (sandbox) async throws in
      let cards = try await sandbox.names(of: "cards")
      #expect(cards.isEmpty == !sandbox.hasSimulatedCards)
      let source =
        sandbox.hasSimulatedCards
        ? "alsa_input.usb-Example_USB_Microphone-00.analog-stereo" : "internal_mic"
      #expect(try await sandbox.info("Default Source") == source)
    }
  }

  @Test func theServersVersionIsKnownWithoutStartingIt() async throws {
    try await PulseSandbox.with(.empty) { (sandbox) async throws in
      #expect(try await sandbox.info("Server Version") == SimulatedCard.serverVersion())
    }
  }
}

@Suite("Reading a server's log", .timeLimit(.minutes(10)))
struct ServerLogTests {
  @Test func theModuleWithTheSameArgumentsIsMeant() {
    let log = ServerLog(
      text: """
        W: [pulseaudio] main.c: This program is not intended to be run as root.
        E: [pulseaudio] module-x.c: No.
        E: [pulseaudio] module.c: Failed to load module "x" (argument: "a="1 2""): initialization.
        """)
    let configuration = SandboxConfiguration(modules: ["x", "x a=1", #"x a="1 2""#])
    #expect(log.failure(in: configuration)?.message.contains(#"'x a="1 2"'"#) == true)
    #expect(ServerLog(text: "W: [pulseaudio] x.c: y").failure(in: configuration) == nil)
    let foreign = "E: [pulseaudio] module.c: Failed to load module \"module-y\" (argument: \"\")"
    #expect(ServerLog(text: foreign).failure(in: configuration) == nil)
  }

  @Test func anErrorOfTheServerItselfIsNoFailedCommand() {
    let log = ServerLog(text: "E: [pulseaudio] main.c: Source nope does not exist.")
    var configuration = SandboxConfiguration.empty
    #expect(log.failure(in: configuration) == nil)
    configuration.commands = ["set-default-source nope"]
    #expect(log.failure(in: configuration)?.message.contains("'set-default-source nope'") == true)
  }

  @Test func ancestorsEndAtTheTop() {
    #expect(SimulatedCard.ancestors(of: "/a/b/c") == ["/a/b/c", "/a/b", "/a"])
  }
}
