import AudioSession
import CPulseStream
import Glibc
import POSIX
import PulseTypes

/// The C stream, freed with the last reference. Usually its thread has ended by then; otherwise
/// freeing it takes some milliseconds.
final class StreamHandle: @unchecked Sendable {  // the C functions say which thread may call them
  let native: OpaquePointer

  init(_ request: StreamRequest) throws(StreamError) {
    try request.check()
    var options = ps_options()
    options.direction = request.direction == .input ? PS_RECORD : PS_PLAYBACK
    options.rate = UInt32(clamping: request.rate ?? 0)
    options.channels = UInt32(clamping: request.channels ?? 0)
    options.latency_us = UInt32(clamping: request.latency?.microseconds ?? 0)
    options.ring_ms = 2000
    options.signals_requests = request.signalsRequests
    options.pauses = request.pauses
    options.is_own = request.isOwn
    options.is_fixed = request.isFixed || request.staysPut
    options.stays_put = request.staysPut
    options.mixes = request.mixesChannels
    // Copies that are valid during the call.
    var texts: [UnsafeMutablePointer<CChar>] = []
    defer { for text in texts { free(text) } }
    func copy(_ text: String?) -> UnsafePointer<CChar>? {
      guard let text = text.flatMap({ strdup($0) }) else { return nil }
      texts.append(text)
      return UnsafePointer(text)
    }
    options.server = copy(request.server)
    options.device = copy(request.device)
    options.channel_map = copy(request.channelMap?.description)
    options.former_map = copy(request.formerMap?.description)
    options.role = copy(request.role)
    options.name = copy(request.name)
    guard let native = ps_stream_open(&options) else {
      throw StreamError(
        .engineInitFailed, "no audio thread could be started",
        details: SystemError.last.description)
    }
    self.native = native
  }

  deinit { ps_stream_free(native) }

  var grant: StreamGrant {
    StreamGrant(
      ps_stream_info(native).pointee,
      device: ps_stream_device_name(native).map(String.init(cString:)),
      ps_stream_scheduling(native))
  }

  /// Why the stream ended; nil if that was requested.
  func failure(_ request: StreamRequest) -> StreamError? {
    let number = ps_stream_error(native)
    guard number != 0 else { return nil }
    let words = String(cString: ps_error_text(number))
    let device = request.device.map { "'\($0)'" } ?? "the default device"
    let kind = request.direction == .input ? "recording from" : "playing to"
    switch ps_error_kind(number) {
    case PS_REFUSED
    where !ps_stream_was_ready(native) && ServerSocket.hasListener(request.server):
      return StreamError(
        .engineStartFailed, "the server accepts no more connections now, for \(kind) \(device)",
        details: "more programs wait for it than it lets wait; it may be frozen or overloaded",
        is: \.isTimedOut)
    case PS_TIMED_OUT where !ps_stream_was_ready(native):
      return StreamError(
        .engineStartFailed, "timed out waiting for the server to answer, for \(kind) \(device)",
        is: \.isTimedOut)
    case PS_NO_SERVER, PS_REFUSED, PS_TIMED_OUT:
      return StreamError(
        .engineStartFailed, "the server is not there for \(kind) \(device)", details: words,
        is: \.isServerAway)
    case PS_DENIED:
      return StreamError(.permissionDenied, "the server refused \(kind) \(device)", details: words)
    case PS_NO_DEVICE:
      var error = StreamError(
        .deviceNotAvailable, "there is no device for \(kind) \(device)", details: words)
      error.isOfOutput = request.direction == .output
      return error
    case PS_WRONG_RATE:
      return StreamError(
        .engineStartFailed, "\(kind) \(device) ended: it did not run at \(grant.rate) Hz",
        details: words, is: \.isWrongRate)
    case PS_KILLED:
      var error = StreamError(
        .deviceNotAvailable,
        "the server ended \(kind) \(device): the device was removed, or another program ended this")
      error.isOfOutput = request.direction == .output
      return error
    default:
      return StreamError(.engineStartFailed, "\(kind) \(device) failed", details: words)
    }
  }
}
