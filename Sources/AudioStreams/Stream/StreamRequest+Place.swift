import PulseTypes
import SessionCore

extension StreamRequest {
  /// Adopts where a session of this program places its streams; the program's own requests have
  /// priority.
  mutating func take(_ place: StreamPlace) {
    isOwn = place.isOwn
    role = place.role
    isFixed = device != nil
    device = device ?? place.device
    rate = rate ?? place.rate
    guard !isFixed, let map = place.channels else { return }
    channelMap = map
    mixesChannels = place.areAll
    channels = map.count
  }
}
