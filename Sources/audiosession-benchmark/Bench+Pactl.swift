import JSONCoding
import POSIX
import PulseSandbox

extension Bench {
  private struct Source: Decodable {
    struct Level: Decodable {
      var percent: String

      enum CodingKeys: String, CodingKey { case percent = "value_percent" }
    }
    var index: Int
    var name: String
    var specification: String
    var volume: [String: Level]
    var ownerModule: Int?

    enum CodingKeys: String, CodingKey {
      case index, name, volume
      case ownerModule = "owner_module"
      case specification = "sample_specification"
    }
  }

  private struct Stream: Decodable {
    var ownerModule: String?
    var source: Int
    var properties: [String: String]
    var isPin: Bool { properties["media.name"]?.contains("pin") == true }

    enum CodingKeys: String, CodingKey {
      case source, properties
      case ownerModule = "owner_module"
    }
  }

  private struct Module: Decodable {
    var name: String
    var argument: String?
  }

  /// Lists what differs from the profile, for a process that plans and according to
  /// `pactl -f json`, which shares no code with the session; empty if nothing does.
  func flaws() async throws -> [String] {
    let plan = try await sandbox.capture(
      [File.programFolder + "/audiosession", "plan", profile, "--json"]
    ).standardOutput
    guard plan.contains("\"steps\": []") else { return ["the plan is \(plan)"] }
    let name = try await sandbox.capture(["pactl", "get-default-source"]).standardOutput
    let sources: [Source] = try await pactl("sources")
    let modules: [Module] = try await pactl("modules")
    var flaws: [String] = []
    if name != "audiosession.input\n" { flaws.append("the default source is \(name)") }
    let remaps = modules.filter {
      $0.name == "module-remap-source" && $0.argument?.contains("audiosession") == true
    }
    if remaps.count != 1 { flaws.append("\(remaps.count) remaps") }
    // By its stream: the server moves it when its master vanishes, and does not update the property.
    let module = sources.first { $0.name == "audiosession.input" }?.ownerModule.map(String.init)
    let streams: [Stream] = try await pactl("source-outputs")
    let link = streams.first { $0.ownerModule == module }
    let master = sources.first { $0.index == link?.source }?.name
    if master != Self.mic { flaws.append("the remap is on \(master ?? "nothing")") }
    let mic = sources.first { $0.name == Self.mic }
    if mic?.volume.values.allSatisfy({ $0.percent == "80%" }) != true {
      flaws.append("the gain is \(mic.map { "\($0.volume)" } ?? "none")")
    }
    if mic?.specification.hasSuffix("48000Hz") != true {
      flaws.append("the microphone is at \(mic?.specification ?? "none")")
    }
    // A pin for the rate may exist beside the one for the buffer.
    let pins = streams.filter(\.isPin)
    let names = pins.compactMap { $0.properties["media.name"] }
    if names.isEmpty || Set(names).count != pins.count
      || pins.contains(where: { $0.source != mic?.index })
    {
      flaws.append("the pins are \(names)")
    }
    return flaws
  }

  private func pactl<Element: Decodable>(_ list: String) async throws -> [Element] {
    let result = try await sandbox.capture(["pactl", "-f", "json", "list", list])
    return try JSON.decode([Element].self, from: result.standardOutput.utf8)
  }
}
