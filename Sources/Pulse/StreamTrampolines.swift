internal import CPulse
internal import Glibc

// Callbacks of libpulse for streams; the rules of Trampolines.swift apply here, too. A stream drops
// what it records and plays silence.

let onStreamState: pa_stream_notify_cb_t = { (borrow($1) as StreamHandle).stateChanged() }

/// Disconnects an abandoned stream that the server has created after all.
///
/// After half a minute libpulse waits for the answer no longer. Nothing would end a stream that the server
/// creates then, so the connection ends, and with it all that it has.
func onAbandonedStreamState(_ stream: OpaquePointer?, _ userdata: UnsafeMutableRawPointer?) {
  guard let stream, let userdata else { return }
  let state = pa_stream_get_state(stream)
  if state == PA_STREAM_READY { pa_stream_disconnect(stream) }
  guard state == PA_STREAM_FAILED || state == PA_STREAM_TERMINATED else { return }
  pa_stream_set_state_callback(stream, nil, nil)
  let connection = Unmanaged<Connection>.fromOpaque(userdata).takeRetainedValue()
  guard state == PA_STREAM_FAILED, let context = connection.context,
    pa_context_get_state(context) == PA_CONTEXT_READY,
    pa_context_errno(context) == Int32(PA_ERR_TIMEOUT.rawValue)
  else { return }
  connection.thread.add(.call { connection.endUnanswered() })
}

/// Drops all recorded data.
func onStreamReadable(_ stream: OpaquePointer?, _: Int, _ userdata: UnsafeMutableRawPointer?) {
  guard let stream else { return }
  let handle: StreamHandle = borrow(userdata)
  var data: UnsafeRawPointer?
  var count = 0
  while pa_stream_peek(stream, &data, &count) == 0, count > 0 {
    // Without data it is a hole.
    if data != nil { handle.noteData() }
    pa_stream_drop(stream)
  }
}

/// Writes as much silence as the server requests.
func onStreamWritable(_ stream: OpaquePointer?, _ wanted: Int, _: UnsafeMutableRawPointer?) {
  guard let stream, let spec = pa_stream_get_sample_spec(stream) else { return }
  let frame = pa_frame_size(spec)
  var left = wanted
  while left >= frame {
    var data: UnsafeMutableRawPointer?
    var count = left
    guard pa_stream_begin_write(stream, &data, &count) == 0, let data else { return }
    count = min(count, left) / frame * frame
    guard count > 0 else {
      pa_stream_cancel_write(stream)
      return
    }
    memset(data, silence(spec.pointee.format), count)
    guard pa_stream_write(stream, data, count, nil, 0, PA_SEEK_RELATIVE) == 0 else { return }
    left -= count
  }
}

private func silence(_ format: pa_sample_format_t) -> Int32 {
  switch format {
  case PA_SAMPLE_U8: 0x80
  case PA_SAMPLE_ALAW: 0xd5
  case PA_SAMPLE_ULAW: 0xff
  default: 0
  }
}
