internal import CPulse
internal import PulseTypes

// Callbacks of libpulse. All of them are at file scope, where nothing is isolated: a C callback in
// main-actor code crashes in the runtime's isolation check. All of them run on the loop's thread.
// The unmanaged references are borrowed; a comment marks each place that retains one.

func borrow<Object: AnyObject>(_ userdata: UnsafeMutableRawPointer?) -> Object {
  guard let userdata else { preconditionFailure("libpulse lost the userdata") }
  return Unmanaged<Object>.fromOpaque(userdata).takeUnretainedValue()
}

/// The request's type is fixed where the callback is passed to libpulse, a line from its call.
private func pending<Request: PendingRequest>(
  _ userdata: UnsafeMutableRawPointer?, as: Request.Type
) -> Request {
  let request: PendingRequest = borrow(userdata)
  return unsafeDowncast(request, to: Request.self)
}

/// A callback of a list: `eol` is 0 with an element, positive at the end, *negative* for an error.
private func receive<Info, Element: Sendable>(
  _ info: UnsafePointer<Info>?, _ eol: Int32, _ userdata: UnsafeMutableRawPointer?,
  _ decode: (Info) -> Element
) {
  let request = pending(userdata, as: Pending<[Element]>.self)
  if eol < 0 {
    request.failWithContextError()
  } else if eol > 0 {
    request.succeed(request.partial ?? [])
  } else if let info {
    request.append(decode(info.pointee))
  }
}

func runLoopThread(_ userdata: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let userdata else { return nil }
  Unmanaged<LoopThread>.fromOpaque(userdata).takeRetainedValue().run()  // retained in start()
  return nil
}

let onReadable: pa_io_event_cb_t = { (borrow($4) as DescriptorSource).fire() }
let onAlarm: pa_time_event_cb_t = { (borrow($3) as Alarm).ring() }

// MARK: - Connection

let onContextState: pa_context_notify_cb_t = { (borrow($1) as Connection).contextStateChanged() }
let onDeadline: pa_time_event_cb_t = { (borrow($3) as Connection).deadlineReached() }

func onSubscriptionEvent(
  _: OpaquePointer?, _ type: pa_subscription_event_type_t, _ index: UInt32,
  _ userdata: UnsafeMutableRawPointer?
) {
  let connection: Connection = borrow(userdata)
  guard let event = PulseEvent(type, index) else { return }
  connection.eventHandler?(event)
  connection.events.send(event)
}

func onOperationState(_ operation: OpaquePointer?, _ userdata: UnsafeMutableRawPointer?) {
  guard let operation, pa_operation_get_state(operation) != PA_OPERATION_RUNNING else { return }
  let request: PendingRequest = borrow(userdata)
  request.operationEnded(operation)
}

// MARK: - Replies

func onSuccess(_: OpaquePointer?, _ success: Int32, _ userdata: UnsafeMutableRawPointer?) {
  pending(userdata, as: Pending<Void>.self).end(success != 0 ? () : nil)
}

func onIndex(_: OpaquePointer?, _ index: UInt32, _ userdata: UnsafeMutableRawPointer?) {
  pending(userdata, as: Pending<UInt32>.self).end(index == invalidIndex ? nil : index)
}

func onString(
  _: OpaquePointer?, _ success: Int32, _ response: UnsafeMutablePointer<CChar>?,
  _ userdata: UnsafeMutableRawPointer?
) {
  let text = response.map { String(cString: $0) }
  pending(userdata, as: Pending<String?>.self).end(success != 0 ? .some(text) : nil)
}

let onServerInfo: pa_server_info_cb_t = {
  pending($2, as: Pending<ServerInfo>.self).end($1.map { ServerInfo($0.pointee) })
}
let onSinks: pa_sink_info_cb_t = { receive($1, $2, $3) { Device($0) } }
let onSources: pa_source_info_cb_t = { receive($1, $2, $3) { Device($0) } }
let onSinkInputs: pa_sink_input_info_cb_t = { receive($1, $2, $3) { Stream($0) } }
let onSourceOutputs: pa_source_output_info_cb_t = { receive($1, $2, $3) { Stream($0) } }
let onCards: pa_card_info_cb_t = { receive($1, $2, $3) { Card($0) } }
let onModules: pa_module_info_cb_t = { receive($1, $2, $3) { Module($0) } }
let onClients: pa_client_info_cb_t = { receive($1, $2, $3) { Client($0) } }
let onSavedStreams: pa_ext_stream_restore_read_cb_t = { receive($1, $2, $3) { SavedStream($0) } }
