package struct SettingTraits: OptionSet, Sendable {
  package let rawValue: Int

  package init(rawValue: Int) { self.rawValue = rawValue }

  /// The server may leave it unmet without a failure.
  package static let hint = SettingTraits(rawValue: 1 << 0)
  /// It is a module of the session.
  package static let module = SettingTraits(rawValue: 1 << 1)
  /// Its object is a stream of another program, which may end at any time.
  package static let stream = SettingTraits(rawValue: 1 << 3)
  /// It is a change of another program's stream that the session makes only while it holds.
  package static let others = SettingTraits(rawValue: 1 << 4)
  /// It is a stream of the session.
  package static let ownStream = SettingTraits(rawValue: 1 << 5)
  /// A session of one program changes it, too, because programs do not share it.
  package static let ofOneProgram = SettingTraits(rawValue: 1 << 6)
  /// Writing it creates and removes objects: the server can answer the next request before it sends
  /// the events that name them.
  package static let makesObjects = SettingTraits(rawValue: 1 << 7)
  /// A lazy server may lose it: values that PipeWire keeps in a card's routes if the device has a
  /// card, and values of a stream that is just being connected.
  package static let isLostAtTimes = SettingTraits(rawValue: 1 << 8)
  /// On some servers a device without a card shows it only once it has run.
  package static let showsWhenAwake = SettingTraits(rawValue: 1 << 9)
  /// It is the volume or mute of a device; each port has separate ones.
  package static let level = SettingTraits(rawValue: 1 << 10)
  /// It exists without the session, too, so it has a previous value. Other settings are modules,
  /// streams or pins of the session, or changes of other programs' streams.
  package static let outlivesSession = SettingTraits(rawValue: 1 << 11)
  /// It vanishes or changes with the devices of a card.
  package static let followsCard = SettingTraits(rawValue: 1 << 12)
  /// It is a value of a card's port, which the server shows whether or not the port is in use.
  package static let ofPort = SettingTraits(rawValue: 1 << 13)
}
