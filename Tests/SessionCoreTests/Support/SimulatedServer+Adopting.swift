import PulseTypes
import SessionCore

extension SimulatedServer {
  /// A model that goes on from what was read from a real server.
  init(adopting snapshot: ServerSnapshot) {
    self.init(kind: snapshot.server.kind)
    self.snapshot = snapshot
    let devices = snapshot.sinks + snapshot.sources
    let streams = snapshot.sinkInputs + snapshot.sourceOutputs
    let indexes =
      devices.map(\.index.rawValue) + streams.map(\.index.rawValue)
      + snapshot.modules.map(\.index.rawValue) + snapshot.cards.map(\.index.rawValue)
    lastIndex = max(lastIndex, indexes.max() ?? 0)
    for direction in Direction.allCases {
      configured[direction] = snapshot.server.defaultName(direction)
    }
    for device in devices {
      let switches = device.card != nil && !snapshot.has(.forcedGraph)
      rates[device.name] = switches ? [device.sampleSpec.rate, 48000] : []
    }
    for card in snapshot.cards {
      let made = devices.filter { $0.card == card.index && !$0.isMonitor }.map { device in
        Make(
          direction: device.direction, name: device.name, map: device.channelMap,
          ports: device.ports.map(\.name), rates: rates[device.name] ?? [], driver: device.driver)
      }
      makes[card.name] = [card.activeProfile ?? "": made]
    }
  }
}
