import ArgumentParser
import AudioSession

/// `devices`
struct DevicesCommand: SessionCommand {
  static let configuration = CommandConfiguration(
    commandName: "devices",
    abstract: "List inputs, outputs and cards.",
    discussion: """
      With ports and whether something is plugged in, rate, channel map, and the polar patterns \
      that each input can give. A star marks what is in use.

      JSON: schema; inputs and outputs: name, description, default, kind (hardware, monitor, own), \
      state, sampleRate, format, channelMap, volume, muted, card, ports (name, description, type, \
      availability, active), polarPatterns (inputs); cards: name, description, profile, profiles \
      (name, description, available), ports.
      """)

  @Flag(help: "Also monitors and the session's own devices.")
  var all = false

  @OptionGroup(title: "Options for every command") var options: GlobalOptions

  func run(_ context: Context) async throws -> Status {
    let snapshot = try await context.withSession { try await $0.snapshot() }
    let list = DeviceList(snapshot, isWhole: all)
    try context.output.result(list) { DevicesView.lines(list, width: $0) }
    return .done
  }
}
