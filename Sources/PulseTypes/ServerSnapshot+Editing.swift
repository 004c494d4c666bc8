/// Changes of one object. The index of its list stays, unless the object gets other keys.
extension ServerSnapshot {
  /// Changes the device with this name.
  package mutating func edit(
    _ direction: Direction, named name: String, _ change: (inout Device) -> Void
  ) {
    let index = places.devices(direction)
    guard
      let place = firstPlace(devices(direction), index, .name(name), where: { $0.name == name })
    else { return }
    let former = devices(direction)[place]
    var device = former
    change(&device)
    let isAlike = index?.areAlike(former, device) == true
    // The list first: setting it drops its index.
    switch direction {
    case .input:
      sources[place] = device
      if isAlike { places.sources = index }
    case .output:
      sinks[place] = device
      if isAlike { places.sinks = index }
    }
  }

  /// Changes the stream with this index.
  package mutating func edit(
    _ direction: Direction, at number: Index<Stream>, _ change: (inout Stream) -> Void
  ) {
    let index = places.streams(direction)
    guard
      let place = firstPlace(
        streams(direction), index, .number(number.rawValue), where: { $0.index == number })
    else { return }
    let former = streams(direction)[place]
    var stream = former
    change(&stream)
    let isAlike = index?.areAlike(former, stream) == true
    switch direction {
    case .input:
      sourceOutputs[place] = stream
      if isAlike { places.sourceOutputs = index }
    case .output:
      sinkInputs[place] = stream
      if isAlike { places.sinkInputs = index }
    }
  }
}
