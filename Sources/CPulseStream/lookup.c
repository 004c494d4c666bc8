/* Looks up a stream's device before the stream is created.
 *
 * A stream requests the device's rate and channels as numbers, never with PA_STREAM_FIX_RATE: if
 * the graph's rate changes later, PipeWire 0.3.65 delivers frames of the new rate to such a stream,
 * without an event. A stream with a requested rate keeps it, and the server converts. */
#include "stream.h"

#include <stdlib.h>
#include <string.h>

/* Used streams with this property set the rate of PipeWire's graph (PulseAudio has none). */
static const char *const force_rate = "node.force-rate";
/* A session's pin, even if it is corked now, runs as soon as a stream uses its device. */
static const char *const session_pin = "audiosession.pin";

static void asked(ps_stream *stream, pa_operation *operation) {
  if (!operation) return ps_end(stream, pa_context_errno(stream->context));
  pa_operation_unref(operation);
}

/* Notes a stream on the device that forces the rate of its graph. */
static void note_forced(ps_stream *stream, const pa_proplist *properties, bool is_corked) {
  const char *text = pa_proplist_gets(properties, force_rate);
  if (!text || (is_corked && !pa_proplist_contains(properties, session_pin))) return;
  unsigned long rate = strtoul(text, NULL, 10);
  if (rate >= 1000 && rate <= PA_RATE_MAX) stream->found.forced_rate = (uint32_t)rate;
}

/* Whether a stream is on the device that was found. Both may be none: PipeWire's streams without a
 * link, and the monitored sink of a source that is no monitor. */
static bool is_on(uint32_t device, uint32_t found) {
  return device == found && device != PA_INVALID_INDEX;
}

static void on_sink_input(pa_context *context, const pa_sink_input_info *info, int eol, void *user) {
  (void)context;
  ps_stream *stream = user;
  if (stream->is_ended) return;
  if (eol < 0) return ps_end(stream, pa_context_errno(stream->context));
  if (eol > 0) return ps_make_stream(stream);
  if (is_on(info->sink, stream->found.sink)) note_forced(stream, info->proplist, info->corked);
}

static void on_source_output(pa_context *context, const pa_source_output_info *info, int eol,
                             void *user) {
  ps_stream *stream = user;
  if (stream->is_ended) return;
  if (eol < 0) return ps_end(stream, pa_context_errno(stream->context));
  if (eol > 0)
    return asked(stream, pa_context_get_sink_input_info_list(context, on_sink_input, stream));
  if (is_on(info->source, stream->found.source))
    note_forced(stream, info->proplist, info->corked);
}

static void look_for_forced_rate(ps_stream *stream) {
  if (stream->options.rate != 0) return ps_make_stream(stream);
  asked(stream, pa_context_get_source_output_info_list(stream->context, on_source_output, stream));
}

static void on_source(pa_context *context, const pa_source_info *info, int eol, void *user) {
  (void)context;
  ps_stream *stream = user;
  if (stream->is_ended) return;
  if (eol < 0) return ps_end(stream, pa_context_errno(stream->context));
  if (eol > 0) return look_for_forced_rate(stream);
  stream->found = (ps_device){.spec = info->sample_spec, .map = info->channel_map,
                              .source = info->index, .sink = info->monitor_of_sink};
}

static void on_sink(pa_context *context, const pa_sink_info *info, int eol, void *user) {
  (void)context;
  ps_stream *stream = user;
  if (stream->is_ended) return;
  if (eol < 0) return ps_end(stream, pa_context_errno(stream->context));
  if (eol > 0) return look_for_forced_rate(stream);
  stream->found = (ps_device){.spec = info->sample_spec, .map = info->channel_map,
                              .source = info->monitor_source, .sink = info->index};
}

void ps_look_up(ps_stream *stream) {
  bool is_record = stream->options.direction == PS_RECORD;
  const char *name = stream->options.device;
  /* libpulse uses the devices in these variables for a stream without a device. */
  if (!name) name = getenv(is_record ? "PULSE_SOURCE" : "PULSE_SINK");
  if (!name || !*name) name = is_record ? "@DEFAULT_SOURCE@" : "@DEFAULT_SINK@";
  asked(stream, is_record
                    ? pa_context_get_source_info_by_name(stream->context, name, on_source, stream)
                    : pa_context_get_sink_info_by_name(stream->context, name, on_sink, stream));
}
