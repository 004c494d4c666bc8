import JSONCoding
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

    enum CodingKeys: String, CodingKey {
      case source
      case ownerModule = "owner_module"
    }
  }

  private struct Module: Decodable {
    var name: String
    var argument: String?
  }

  /// Lists what differs from the profile according to `pactl -f json`, which shares no code with
  /// the session.
  func flawsByPactl() async throws -> [String] {
    let name = try await sandbox.capture(["pactl", "get-default-source"]).standardOutput
    let sources: [Source] = try await pactl("sources")
    let modules: [Module] = try await pactl("modules")
    var flaws: [String] = []
    if name != "audiosession.input\n" { flaws.append("pactl: the default source is \(name)") }
    let remaps = modules.filter {
      $0.name == "module-remap-source" && $0.argument?.contains("audiosession") == true
    }
    if remaps.count != 1 { flaws.append("pactl: \(remaps.count) remaps") }
    let module = sources.first { $0.name == "audiosession.input" }?.ownerModule.map(String.init)
    let streams: [Stream] = try await pactl("source-outputs")
    let link = streams.first { $0.ownerModule == module }
    let master = sources.first { $0.index == link?.source }?.name
    if master != Self.mic { flaws.append("pactl: the remap is on \(master ?? "nothing")") }
    let mic = sources.first { $0.name == Self.mic }
    if mic?.volume.values.allSatisfy({ $0.percent == "80%" }) != true {
      flaws.append("pactl: the gain is \(mic.map { "\($0.volume)" } ?? "none")")
    }
    if mic?.specification.hasSuffix("48000Hz") != true {
      flaws.append("pactl: the microphone is at \(mic?.specification ?? "none")")
    }
    return flaws
  }

  private func pactl<Element: Decodable>(_ list: String) async throws -> [Element] {
    let result = try await sandbox.capture(["pactl", "-f", "json", "list", list])
    return try JSON.decode([Element].self, from: result.standardOutput.utf8)
  }
}
