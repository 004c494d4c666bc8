import PulseTypes

/// What a link of a chain is made from.
protocol LinkSpec {
  /// The arguments to load the module with.
  var moduleArgument: String { get }
  /// The devices on which it stands.
  var masters: [NamedDevice] { get }
  /// Predicts what its module makes.
  func predict(_ module: Index<Module>, in server: inout PredictedServer)
}
