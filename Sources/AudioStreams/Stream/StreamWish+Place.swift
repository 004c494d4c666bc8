import PulseTypes
import SessionCore

extension StreamWish {
  /// Takes what a session of this program alone says of its streams; what the program itself asked for
  /// stands.
  mutating func take(_ place: StreamPlace) {
    isOwn = place.isOwn
    role = place.role
    isFixed = device != nil
    device = device ?? place.device
    rate = rate ?? place.rate
    guard !isFixed, let map = place.channels else { return }
    channelMap = map
    channels = map.count
  }
}
