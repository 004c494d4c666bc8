/// The position of a channel; raw values are PulseAudio's names (libpulse:
/// `pa_channel_position_t`).
public enum ChannelPosition: String, Sendable, Hashable, Codable, CaseIterable {
  case mono
  case frontLeft = "front-left"
  case frontRight = "front-right"
  case frontCenter = "front-center"
  case rearCenter = "rear-center"
  case rearLeft = "rear-left"
  case rearRight = "rear-right"
  case lfe
  case frontLeftOfCenter = "front-left-of-center"
  case frontRightOfCenter = "front-right-of-center"
  case sideLeft = "side-left"
  case sideRight = "side-right"
  case aux0, aux1, aux2, aux3, aux4, aux5, aux6, aux7
  case aux8, aux9, aux10, aux11, aux12, aux13, aux14, aux15
  case aux16, aux17, aux18, aux19, aux20, aux21, aux22, aux23
  case aux24, aux25, aux26, aux27, aux28, aux29, aux30, aux31
  case topCenter = "top-center"
  case topFrontLeft = "top-front-left"
  case topFrontRight = "top-front-right"
  case topFrontCenter = "top-front-center"
  case topRearLeft = "top-rear-left"
  case topRearRight = "top-rear-right"
  case topRearCenter = "top-rear-center"
}
