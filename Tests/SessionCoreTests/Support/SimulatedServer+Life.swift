import PulseTypes
import SessionCore

/// What happens to a server while sessions use it.
extension SimulatedServer {
  mutating func addCard(_ card: Card, makes: [String: [Make]]) {
    snapshot.cards.append(card)
    self.makes[card.name] = makes
    for make in makes[card.activeProfile ?? ""] ?? [] { create(make, on: card) }
  }

  /// A card is pulled out.
  mutating func unplug(_ name: String) {
    guard let card = snapshot.card(named: name) else { return }
    for device in snapshot.sinks + snapshot.sources
    where device.card == card.index && !device.isMonitor {
      keepLevels(of: device)
      remove(device)
    }
    snapshot.cards.removeAll { $0.index == card.index }
    unplugged[name] = card
    updateDefaults()
    rescueStreams()
    updateStates()
  }

  /// A card is plugged in. PulseAudio shows its devices with their last levels; PipeWire shows them
  /// at 100 %, and its session manager restores the levels later (`settleArrivals`).
  mutating func plug(_ name: String) {
    guard var card = unplugged.removeValue(forKey: name) else { return }
    card.index = Index(newIndex())
    addCard(card, makes: makes[name] ?? [:])
    for device in snapshot.sinks + snapshot.sources where device.card == card.index {
      arrive(device)
    }
    updateDefaults()
    rescueStreams()
    updateStates()
  }

  /// Another program, or a person, chooses a card's profile.
  mutating func choose(_ profile: String, of card: String) throws(Refusal) {
    try setProfile(card, profile)
    updateStates()
  }

  /// Something is plugged into a jack, or pulled out: its device takes the best port that is usable.
  mutating func setJack(_ port: String, _ availability: PortAvailability) {
    for card in snapshot.cards.indices {
      for index in snapshot.cards[card].ports.indices
      where snapshot.cards[card].ports[index].name == port {
        snapshot.cards[card].ports[index].availability = availability
      }
    }
    for device in snapshot.sinks + snapshot.sources {
      guard let index = device.ports.firstIndex(where: { $0.name == port }) else { continue }
      try? edit(device.direction, device.name) { $0.ports[index].availability = availability }
      let isChosen = availability == .yes
      let other = device.ports.filter { $0.name != port && $0.availability.isUsable }
        .max { $0.priority < $1.priority }
      guard isChosen || device.activePort == port, let next = isChosen ? port : other?.name else {
        continue
      }
      try? setPort(device.direction, device.name, next)
    }
    updateDefaults()
    updateStates()
  }

  /// WirePlumber ends: the cards that it found are gone with their devices from the lists at once, until it
  /// is back; modules and their devices stay, as does a default that is still there.
  ///
  /// - Parameter keepsCards: whether the cards are those of another program, such as simulated ones.
  @discardableResult
  mutating func endManager(keepsCards: Bool = false) -> [String] {
    let cards = keepsCards ? [] : snapshot.cards.map(\.name)
    while let manager = snapshot.sessionManager {
      snapshot.clients.removeAll { $0.index == manager.index }
    }
    for card in cards { unplug(card) }
    return cards
  }

  mutating func startManager(_ cards: [String]) {
    var client = Self.manager
    client.index = Index(newIndex())
    snapshot.clients.append(client)
    for card in cards { plug(card) }
  }

  /// The server ends and starts: other indexes, no streams and no modules of clients.
  ///
  /// - Parameter keeps: whether it has its memory of levels and of the default.
  mutating func restart(keeps: Bool) {
    let hardware = (snapshot.sinks + snapshot.sources).filter {
      $0.ownerModule == nil && !$0.isMonitor
    }
    for device in hardware { keepLevels(of: device) }
    let loose = hardware.filter { $0.card == nil }
    let cards = snapshot.cards
    snapshot.cards = []
    snapshot.sinks = []
    snapshot.sources = []
    snapshot.sinkInputs = []
    snapshot.sourceOutputs = []
    snapshot.modules = []
    snapshot.server.cookie += 1
    snapshot.server.defaultSinkName = nil
    snapshot.server.defaultSourceName = nil
    for at in snapshot.clients.indices { snapshot.clients[at].index = Index(newIndex()) }
    acknowledged = []
    askedLatency = [:]
    shownCycles = [:]
    linkStreams = [:]
    if !keeps {
      remembered = [:]
      muted = [:]
      configured = [:]
    }
    for var card in cards {
      card.index = Index(newIndex())
      addCard(card, makes: makes[card.name] ?? [:])
    }
    for device in loose {
      create(
        Make(
          direction: device.direction, name: device.name, map: device.channelMap,
          rates: rates[device.name] ?? [44100], priority: priorities[device.name] ?? 100,
          driver: device.driver),
        on: nil)
    }
    for device in snapshot.sinks + snapshot.sources where !device.isMonitor { arrive(device) }
    updateDefaults()
    updateStates()
  }

  /// The session manager restores the levels of devices that arrived.
  mutating func settleArrivals() {
    let names = arrivals
    arrivals = []
    for device in snapshot.sinks + snapshot.sources where names.contains(device.name) {
      restore(device)
    }
  }

  private mutating func arrive(_ device: Device) {
    guard snapshot.has(.lateRestoring) else { return restore(device) }
    arrivals.insert(device.name)
    try? edit(device.direction, device.name) { device in
      device.volume = ChannelVolumes(.norm, channels: device.channelMap.count)
      device.isMuted = false
    }
  }

  private mutating func restore(_ device: Device) {
    let key = "\(device.name):\(device.activePort ?? "")"
    let (volume, isMuted) = (remembered[key], muted[key])
    try? edit(device.direction, device.name) { device in
      if let volume { device.volume = volume }
      if let isMuted { device.isMuted = isMuted }
    }
  }

  private mutating func keepLevels(of device: Device) {
    // What was not restored yet is not learnt.
    guard !arrivals.contains(device.name) else { return }
    let key = "\(device.name):\(device.activePort ?? "")"
    (remembered[key], muted[key]) = (device.volume, device.isMuted)
  }
}
