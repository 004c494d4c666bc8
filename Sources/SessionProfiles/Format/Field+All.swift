import SessionCore

extension Field {
  /// The file format: every key, the property it sets, and how its value is written.
  static let all: [Field] = top + input + output

  private static let top: [Field] = [
    Field(nil, "category", .category, \.category, .word()),
    Field(nil, "mode", .mode, \.mode, .word()),
    Field(nil, "echo-canceller", .echoCanceller, \.echoCanceller, .text),
    Field(
      nil, "unload-idle-echo-canceller", .unloadsIdleEchoCanceller, \.unloadsIdleEchoCanceller,
      .boolean),
    Field(nil, "options", .options, \.options, Codec.words(.options)),
    Field(
      nil, "sample-rate", .sampleRate, \.sampleRate, .integer(of: "Hz", example: 48000)),
    Field(nil, "buffer-duration", .ioBufferDuration, \.ioBufferDuration, .buffer),
    Field(nil, "strict", .strict, \.strict, Codec.words()),
    Field(nil, "hold-always", .holdsAlways, \.holdsAlways, .boolean),
    Field(nil, "reapply", .reapply, \.reapply, .word()),
    Field(nil, "on-failure", .onFailure, \.onFailure, .word()),
    Field(nil, "scope", .scope, \.scope, .word()),
  ]

  private static let input: [Field] = [
    Field("input", "prefer", .preferredInput, \.preferredInput, .devices),
    Field("input", "required", .inputRequired, \.inputRequired, .boolean),
    Field("input", "port", .inputPort, \.inputPort, .ports),
    Field("input", "polar-pattern", .polarPattern, \.polarPattern, .word()),
    Field("input", "orientation", .inputOrientation, \.inputOrientation, .word()),
    Field("input", "channel-map", .channelMap, \.channelMap, .channels),
    Field("input", "gain", .inputGain, \.inputGain, .volume),
    Field("input", "gain-lock", .gainLock, \.gainLock, .boolean),
    Field("input", "mute", .inputMuted, \.inputMuted, .boolean),
    Field("input", "move-streams", .moveInputStreams, \.moveInputStreams, .boolean),
    Field("input", "latency-offset", .inputLatencyOffset, \.inputLatencyOffset, .offset),
  ]

  private static let output: [Field] = [
    Field("output", "prefer", .preferredOutput, \.preferredOutput, .devices),
    Field("output", "required", .outputRequired, \.outputRequired, .boolean),
    Field("output", "port", .outputPort, \.outputPort, .ports),
    Field("output", "codec", .outputCodec, \.outputCodec, .text),
    Field("output", "channel-map", .outputChannelMap, \.outputChannelMap, .channels),
    Field("output", "volume", .outputVolume, \.outputVolume, .volume),
    Field("output", "mute", .outputMuted, \.outputMuted, .boolean),
    Field("output", "move-streams", .moveOutputStreams, \.moveOutputStreams, .boolean),
    Field("output", "latency-offset", .outputLatencyOffset, \.outputLatencyOffset, .offset),
  ]

  /// The fields of a table, by key.
  static func of(_ table: String?) -> [String: Field] {
    Dictionary(
      uniqueKeysWithValues: all.filter { $0.table == table }.map { ($0.name, $0) })
  }

  /// The field that sets a property.
  static func of(_ property: Property) -> Field? { all.first { $0.property == property } }
}
