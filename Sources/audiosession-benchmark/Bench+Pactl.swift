import JSONCoding
import PulseSandbox

extension Bench {
  private struct Source: Decodable {
    struct Level: Decodable {
      var percent: String

      enum CodingKeys: String, CodingKey { case percent = "value_percent" }
    }
    var name: String
    var specification: String
    var volume: [String: Level]
    var properties: [String: String]

    enum CodingKeys: String, CodingKey {
      case name, volume, properties
      case specification = "sample_specification"
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
    let master = sources.first { $0.name == "audiosession.input" }?.properties[
      "device.master_device"]
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
