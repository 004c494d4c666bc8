import AudioSession
import Logging
import POSIX
import Pulse
import PulseSandbox
import TestSupport
import Testing
import Testing

/// A private server, a session on it, and a client that watches from outside.
struct Rig {
  let sandbox: PulseSandbox
  let session: AudioSession
  var outside: PulseClient
  /// How much later than in time something may end: a busy machine stands still for seconds (4.4 was the
  /// most seen), and what hangs never ends.
  static let standstill = Duration.seconds(10)

  static func with(
    _ configuration: SandboxConfiguration = .demo, isHolding: Bool = true,
    timeout: Duration = .seconds(20), _ body: (Rig) async throws -> Void
  ) async throws {
    await ServerGate.shared.enter()
    defer { ServerGate.shared.leave() }
    try await PulseSandbox.with(configuration) { sandbox in
      let rig = Rig(
        sandbox: sandbox, session: session(sandbox, isHolding: isHolding, timeout: timeout),
        outside: try await client(of: sandbox, "outside"))
      do {
        try await body(rig)
      } catch {
        await rig.close()
        throw error
      }
      await rig.close()
    }
  }

  static func session(
    _ sandbox: PulseSandbox, isHolding: Bool = true, timeout: Duration = .seconds(20),
    logger: Logger? = nil
  ) -> AudioSession {
    AudioSession(
      server: sandbox.address,
      configuration: SessionConfiguration(
        timeout: timeout, storeFolder: sandbox.directory + "/store", isHolding: isHolding,
        logger: logger))
  }

  /// A client that is patient with a busy machine.
  static func client(of sandbox: PulseSandbox, _ name: String) async throws -> PulseClient {
    // PipeWire may leave one connection unanswered.
    for (number, limit) in [2, 4, 8].enumerated() {
      noteTry(number + 1, of: 4)
      do throws(PulseError) {
        return try await PulseClient.connect(
          to: sandbox.address, name: name, timeout: .seconds(limit), requestTimeout: .seconds(20))
      } catch {
        guard error.code == .timedOut else { throw error }
      }
    }
    noteTry(4, of: 4)
    return try await PulseClient.connect(
      to: sandbox.address, name: name, timeout: .seconds(20), requestTimeout: .seconds(20))
  }

  /// Releases a session, and waits until it is gone: on a busy machine a look may have its last reference.
  static func release(_ session: inout AudioSession?) async {
    weak let released = session
    session = nil
    #expect(await TestSupport.eventually { released == nil })
  }

  private func close() async {
    await session.close()
    await outside.close()
  }
}

/// Repeats a change while it fails with one of the codes: a machine with too much to do is not the
/// fault that is looked for.
@discardableResult
func patiently<Result>(
  _ codes: Set<SessionError.Code> = [.timedOut], in test: String = #function,
  _ change: () async throws(SessionError) -> Result
) async throws(SessionError) -> Result {
  for number in 1...29 {
    noteTry(number, of: 30, in: test)
    do throws(SessionError) {
      return try await change()
    } catch {
      guard codes.contains(error.code) else { throw error }
    }
  }
  noteTry(30, of: 30, in: test)
  return try await change()
}

extension SandboxConfiguration {
  /// The demo's cards without the policy of a desktop: nothing happens there by itself.
  static var quiet: SandboxConfiguration {
    SandboxConfiguration(modules: demo.modules.filter { $0.contains("simulated-card") })
  }
}

/// What runs every day of a search through all requests of a change: each request meets some of the
/// cases. `.ci/nightly faults` runs all (AUDIOSESSION_FAULT_STEP=1).
enum EveryDay {
  static let isThorough = ProcessEnvironment["AUDIOSESSION_FAULT_STEP"] == "1"

  /// Whether a request meets a case, by their numbers: one case in `part` cases.
  static func has(_ request: Int, _ number: Int, part: Int) -> Bool {
    isThorough || (request + number) % part == 0
  }
}

/// Lets so many servers with simulated cards run at once as a small machine can feed with sound.
final class ServerGate: Sendable {
  static let shared = ServerGate(width: 16)

  private struct State {
    var free: Int
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let state: Guarded<State>

  init(width: Int) { state = Guarded(State(free: width)) }

  func enter() async {
    await withCheckedContinuation { continuation in
      let isFree = state.withLock { state in
        if state.free > 0 {
          state.free -= 1
          return true
        }
        state.waiting.append(continuation)
        return false
      }
      if isFree { continuation.resume() }
    }
  }

  func leave() {
    let next: CheckedContinuation<Void, Never>? = state.withLock { state in
      guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
      state.free += 1
      return nil
    }
    next?.resume()
  }
}

enum Names {
  static let laptop = "alsa_card.pci-0000_00_1f.3"
  static let laptopInput = "alsa_input.pci-0000_00_1f.3.analog-stereo"
  static let laptopOutput = "alsa_output.pci-0000_00_1f.3.analog-stereo"
  static let usbCard = "alsa_card.usb-Example_USB_Microphone-00"
  static let usbHeadset = "alsa_card.usb-Example_USB_Headset-00"
  static let headsetInput = "alsa_input.usb-Example_USB_Headset-00.mono-fallback"
  static let headsetOutput = "alsa_output.usb-Example_USB_Headset-00.analog-stereo"
  static let usbInput = "alsa_input.usb-Example_USB_Microphone-00.analog-stereo"
}
