import AudioSession
import PulseSandbox
import SessionProfiles
import TestSupport
import Testing

// What the articles of the documentation show; ArticleTests compares them, and runs these.

// Landing page: begin
func start() async throws -> SessionState {
  var mode = AudioMode(category: .record)
  mode.preferredInput = [.properties(["device.bus": "usb"]), .default]
  mode.sampleRate = 48000
  let session = AudioSession.shared
  try await session.setAudioMode(mode)
  return try await session.getSessionState()
}
// end

// Concepts: begin
func explain(_ session: AudioSession) async throws {
  let state = try await session.getSessionState()
  for property in Property.reported {
    guard let report = state.properties[property] else { continue }
    print(property, report.verdict, report.reason ?? "")
  }
}
// end

// The order: begin
func preview(_ mode: AudioMode, on session: AudioSession) async throws {
  let plan = try await session.plan(for: mode)
  for step in plan.steps { print(step.phase, step, step.why) }
  for unmet in plan.unmet { print(unmet.property, unmet.verdict, unmet.reason) }
}
// end

// Threads, errors: begin
func activate(_ session: AudioSession, _ mode: AudioMode) -> Task<Void, Never> {
  Task {
    do throws(SessionError) {
      try await session.setAudioMode(mode)
      print(try await session.getSessionState().route.inputs.map(\.name))
    } catch {
      print(error.code, error.message)
    }
  }
}
// end

// Threads: begin
func follow(_ session: AudioSession) async {
  for await event in session.events {
    switch event {
    case .routeChanged(let reason, _, let current): print(reason, current.inputs.map(\.name))
    case .interruptionBegan(let reason): print("interrupted:", reason)
    case .interruptionEnded(let shouldResume): print("interruption over, resume:", shouldResume)
    case .serverLost: print("the server is not running")
    case .serverReset(let duration): print("session restored in", duration)
    default: break
    }
  }
}
// end

// Profiles: begin
func apply(profile name: String, on session: AudioSession) async throws {
  let profile = try Profile.named(name)
  try await session.setAudioMode(profile.mode, profile: profile.name)
}
// end

// Coming from AVAudioSession: begin
func prepareCall(_ session: AudioSession) async throws {
  var mode = AudioMode(category: .playAndRecord, mode: .voiceChat, options: [.allowBluetoothHFP])
  mode.sampleRate = 48000
  mode.ioBufferDuration = .milliseconds(10)
  try await session.setAudioMode(mode)  // setCategory, setPreferred…, setActive(true)
}
// end

// Testing your app: begin
@Test(.server) func survivesARestart() async throws {
  try await PulseSandbox.with(.nullDevices) { sandbox in
    let session = AudioSession(
      server: sandbox.address,
      configuration: SessionConfiguration(storeFolder: sandbox.directory + "/store"))
    try await session.setAudioMode(AudioMode(category: .record))
    try await sandbox.resetMediaServices()
    let state = try await session.getSessionState()
    #expect(state.properties[.category]?.verdict == .applied)
    await session.close()
  }
}
// end
