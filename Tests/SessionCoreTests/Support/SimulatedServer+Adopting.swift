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
      let switches = device.card != nil && !snapshot.has(.graphRate)
      // A server's own two, and the one that it has.
      let others = [44100, 48000].filter { $0 != device.sampleSpec.rate }
      rates[device.name] = switches ? [device.sampleSpec.rate] + others : []
      // What has a latency that nobody asked for has no other.
      let (latency, streams) = (device.configuredLatency, snapshot.streams(on: device))
      if latency > .zero, streams.isEmpty { latencies[device.name] = latency...latency }
      // Which stream asked for it is not known.
      if let stream = streams.first { askedLatency[stream.index] = latency }
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
