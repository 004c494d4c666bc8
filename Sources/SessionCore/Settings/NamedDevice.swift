import PulseTypes

struct NamedDevice: Sendable {
  var direction: Direction
  var name: String
}
