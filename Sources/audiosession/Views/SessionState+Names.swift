import AudioSession

extension SessionState {
  /// The names for users of the devices in use, by their names on the server.
  var deviceNames: [String: String] {
    (route.inputs + route.outputs).reduce(into: [:]) { names, device in
      if !device.description.isEmpty { names[device.name] = device.description }
    }
  }
}
