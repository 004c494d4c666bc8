package import PulseTypes

/// The session's remap: a virtual device that presents a hardware device's channels in another
/// order.
package struct RemapSpec: Sendable, Hashable, Codable, LinkSpec {
  /// Input: a remap-source; output: a remap-sink.
  package var direction: Direction
  /// The hardware device behind it.
  package var master: String
  /// The hardware channels, in order; `mono` mixes all of them.
  package var masterMap: ChannelMap
  /// The positions it presents, a standard layout.
  package var map: ChannelMap

  /// The name of the remap's device; the same after every reload, so that streams return to it.
  package var name: String { Owned.name(direction) }

  package static func moduleName(_ direction: Direction) -> String {
    direction == .input ? "module-remap-source" : "module-remap-sink"
  }

  var masters: [NamedDevice] { [NamedDevice(direction: direction, name: master)] }

  package var moduleArgument: String {
    let kind = direction == .input ? "source" : "sink"
    return ModuleArguments.render([
      ("\(kind)_name", .text(name)),
      (
        "\(kind)_properties",
        .properties([
          (Owned.roleKey, Owned.remapRole),
          ("device.description", "Audio session \(direction.rawValue)"),
        ])
      ),
      ("master", .text(master)),
      ("channels", .text(String(map.count))),
      ("master_channel_map", .text(masterMap.description)),
      ("channel_map", .text(map.description)),
      ("remix", .text(isMix ? "yes" : "no")),
    ])
  }

  /// Whether the channels are mixed to one rather than chosen.
  package var isMix: Bool { masterMap == .mono }
}
