import PulseTypes

extension RealtimeStream {
  /// Whether a recording stays on a device that is gone: PipeWire 1.4 neither ends such a stream nor
  /// reports anything. A device of its name that is plugged in again is another one.
  func isLost(in snapshot: ServerSnapshot) -> Bool {
    guard snapshot.device(.input, at: device) == nil else { return false }
    let listed = snapshot.sourceOutputs.first { $0.index == index }?.device
    return snapshot.device(.input, at: listed) == nil
  }
}
