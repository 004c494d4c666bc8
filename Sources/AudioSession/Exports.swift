// `import AudioSession` brings the session's own types and these values of the server, each by its
// name. The rest of `PulseTypes` belongs to `Pulse`. `.ci/front` counts what is visible.
@_exported public import struct PulseTypes.ChannelMap
@_exported public import enum PulseTypes.ChannelPosition
@_exported public import struct PulseTypes.ChannelVolumes
@_exported public import struct PulseTypes.Codec
@_exported public import struct PulseTypes.Device
@_exported public import struct PulseTypes.DeviceFlags
@_exported public import struct PulseTypes.DevicePort
@_exported public import enum PulseTypes.DeviceState
@_exported public import enum PulseTypes.Direction
@_exported public import enum PulseTypes.PortAvailability
@_exported public import enum PulseTypes.PortKind
@_exported public import struct PulseTypes.SampleSpec
@_exported public import enum PulseTypes.ServerKind
@_exported public import struct PulseTypes.Volume
@_exported public import SessionCore
