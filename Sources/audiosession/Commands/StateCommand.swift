import ArgumentParser
import AudioSession
import Glibc

struct StateCommand: SessionCommand {
  static let configuration = CommandConfiguration(
    commandName: "state",
    abstract: "Show preferred and actual settings, and why they differ.",
    discussion: """
      Without a server the stored preferences are printed, and the exit status is 69; 75 if it does not \
      answer. With -v each verdict \
      has what was read for it: the property, the server's object, the value, and the answer that had it.

      JSON: schema; server: kind, name, version, address (null without one); active; profile; scope; \
      holder: pid, name, since (null without one); capabilities; properties, each with preferred, \
      actual, verdict, reason, waitingFor where it is pending, held of a preferred buffer, absent (the first \
      choice of a device, if it is not there), readings: \
      object, property, value, text, answer, and nothingToRead where the server has no such value; route: \
      inputs and outputs: name, description, port, portType, channels, sampleRate, channelMap, via; \
      interrupted; resets; reapplies; conflicts; pins: device, kind, latency, sampleRate, held, running; \
      processing: kind, method, inUse, keepsRunning; events, as of 'watch'; notes.
      """)

  @Flag(
    help: "Exit with status 3 if a preference is not in effect, or the stored ones cannot be read.")
  var check = false

  @Flag(help: "Show the state again whenever it changes, with a mark at what changed.")
  var watch = false

  var activity: String? { watch ? nil : "waiting for the sound server" }
  static func printsLines(_ arguments: [String]) -> Bool { arguments.contains("--watch") }

  @OptionGroup(title: "Options for every command") var options: GlobalOptions

  func validate() throws {
    guard !(watch && check) else {
      throw ValidationError("--watch does not end, so that --check has no status; leave one out")
    }
  }

  mutating func setPlain(_ operands: [String]) -> Bool {
    (check, watch) = (false, false)
    return operands.isEmpty
  }

  func run(_ context: Context) async throws -> Status {
    guard !watch else {
      try await context.withSession { session in
        try await Interruption.watching {
          do {
            try await StateWatch(session: session, context: context).run()
          } catch  where Task.isCancelled {
            // A signal is how it ends.
          }
        }
      }
      return .ended(usual: SIGINT)
    }
    let (state, snapshot, error, isUnknown) = try await context.withSession { session in
      let (state, error) = try await Self.state(of: session)
      return (
        state, error == nil ? await session.lastSnapshot : nil, error,
        check ? await session.hasUnreadableMode : false
      )
    }
    let showsReadings = context.options.verbose > 0
    try context.output.result(state) {
      StateView.lines(
        state, snapshot, width: $0, showsReadings: showsReadings, names: context.names(snapshot),
        on: context.options.server)
    }
    if let error { return context.output.complain(error) }
    return isUnknown || check && state.hasUnmet ? .unmet : .done
  }

  /// The state; without a server, or with one that does not answer, the stored mode with the reason.
  static func state(of session: AudioSession) async throws -> (SessionState, SessionError?) {
    do throws(SessionError) {
      return (try await session.getSessionState(), nil)
    } catch {
      guard Status(error) == .noServer || error.code == .timedOut else { throw error }
      return (await session.storedState(), error)
    }
  }
}
