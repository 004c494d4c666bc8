import ArgumentParser
import AudioSession

/// `state`
struct StateCommand: SessionCommand {
  static let configuration = CommandConfiguration(
    commandName: "state",
    abstract: "Say what is wished, what is, and why they differ.",
    discussion: """
      Without a server the stored wish is printed, and the exit code is 69.

      JSON: schema; server: kind, name, version, address (null without one); active; profile; scope; \
      holder: pid, name, since (null without one); capabilities; properties, each with preferred, \
      actual, verdict, reason, waitingFor where it is pending, held of a wished buffer; route: \
      inputs and outputs: name, description, port, portType, channels, sampleRate, channelMap, via; \
      interrupted; resets; reapplies; conflicts; pins: device, kind, latency, sampleRate, held, running; \
      processing: kind, method, inUse, keepsRunning; events, as of 'watch'; notes.
      """)

  @Flag(help: "End with 3 if a preference is not in force.")
  var check = false

  @OptionGroup(title: "Options for every command") var options: GlobalOptions

  func run(_ context: Context) async throws -> Status {
    let (state, snapshot, error) = try await context.withSession { session in
      let (state, error) = try await Self.state(of: session)
      return (state, error == nil ? try? await session.snapshot() : nil, error)
    }
    try context.output.result(state) { StateView.lines(state, snapshot, width: $0) }
    if let error {
      context.output.complain(error)
      return Status(error)
    }
    return check && state.hasUnmet ? .unmet : .done
  }

  /// The state; without a server the stored mode with the reason.
  private static func state(
    of session: AudioSession
  ) async throws -> (SessionState, SessionError?) {
    do throws(SessionError) {
      return (try await session.getSessionState(), nil)
    } catch {
      guard Status(error) == .noServer else { throw error }
      return (try await session.storedState(), error)
    }
  }
}
