import ArgumentParser
import AudioSession

struct DevicesCommand: SessionCommand {
  static let configuration = CommandConfiguration(
    commandName: "devices",
    abstract: "List inputs, outputs and cards.",
    discussion: """
      Shows ports and whether they are plugged in, rate, channel map, and the polar patterns of \
      each input. A star marks what is in use. --tree draws instead how the devices are connected, \
      from the card to the default, in the colours of the verdicts.

      JSON: schema; inputs and outputs: kind (hardware, monitor, own), name, description, default \
      (what has a star), state, sampleRate, channelMap, format, volume, muted, card, ports (name, \
      description, type, availability, active), polarPatterns (inputs); cards: name, description, \
      profile, profiles (name, description, available), ports, codecs (name, description, active; \
      of Bluetooth cards).
      """)

  @Flag(help: "Include monitors and the session's own devices.")
  var all = false

  @Flag(help: "Draw how devices are connected; the JSON is the same.")
  var tree = false

  @OptionGroup(title: "Options for every command") var options: GlobalOptions

  func validate() throws {
    guard !(tree && all) else {
      throw ValidationError("--tree draws no monitors; leave --tree or --all out")
    }
  }

  mutating func setPlain(_ operands: [String]) -> Bool {
    (all, tree) = (false, false)
    return operands.isEmpty
  }

  func run(_ context: Context) async throws -> Status {
    let (snapshot, properties) = try await context.withSession { session in
      (
        try await session.snapshot(),
        tree ? try await session.getSessionState().properties : [:]
      )
    }
    let list = DeviceList(snapshot, isWhole: all)
    return try context.output.result(list) { width in
      guard tree else { return DevicesView.lines(list, width: width) }
      let trees = RouteTree(
        snapshot: snapshot, properties: properties, names: context.names(snapshot)
      ).all()
      return trees.isEmpty ? [Line("no devices")] : trees.flatMap { $0.lines(width: width) }
    }
  }
}
