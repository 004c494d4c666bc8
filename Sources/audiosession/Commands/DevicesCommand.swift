import ArgumentParser
import AudioSession

/// `devices`
struct DevicesCommand: SessionCommand {
  static let configuration = CommandConfiguration(
    commandName: "devices",
    abstract: "List inputs, outputs and cards.",
    discussion: """
      With ports and whether something is plugged in, rate, channel map, and the polar patterns \
      that each input can give. A star marks what is in use. --tree draws the way of the sound \
      instead, from the card to the default, coloured by verdict.

      JSON: schema; inputs and outputs: kind (hardware, monitor, own), name, description, default, \
      state, sampleRate, channelMap, format, volume, muted, card, ports (name, description, type, \
      availability, active), polarPatterns (inputs); cards: name, description, profile, profiles \
      (name, description, available), ports, codecs (name, description, active; of Bluetooth cards).
      """)

  @Flag(help: "Also monitors and the session's own devices.")
  var all = false

  @Flag(help: "Draw what hangs on what; the JSON stays the same.")
  var tree = false

  @OptionGroup(title: "Options for every command") var options: GlobalOptions

  func run(_ context: Context) async throws -> Status {
    let (snapshot, properties) = try await context.withSession { session in
      (
        try await session.snapshot(),
        tree ? try await session.getSessionState().properties : [:]
      )
    }
    let list = DeviceList(snapshot, isWhole: all)
    try context.output.result(list) { width in
      guard tree else { return DevicesView.lines(list, width: width) }
      let trees = RouteTree(snapshot: snapshot, properties: properties).all()
      return trees.isEmpty ? [Line("no devices")] : trees.flatMap { $0.lines(width: width) }
    }
    return .done
  }
}
