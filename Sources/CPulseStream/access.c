/* The functions for other threads than the audio thread. */
#include "stream.h"

#include <math.h>
#include <pulse/error.h>
#include <unistd.h>

static void command(ps_stream *stream) {
  uint64_t one = 1;
  ssize_t written = write(stream->command_fd, &one, sizeof one);
  (void)written;
}

int ps_stream_signal(const ps_stream *stream) { return stream->signal_fd; }

ps_state ps_stream_state(const ps_stream *stream) {
  return atomic_load_explicit(&stream->state, memory_order_acquire);
}

int ps_stream_error(const ps_stream *stream) {
  return atomic_load_explicit(&stream->error, memory_order_relaxed);
}

const char *ps_error_text(int error) {
  return error == PS_ERROR_RATE ? "its frames do not come at the rate that the server says"
                                : pa_strerror(error);
}

ps_failure ps_error_kind(int error) {
  switch (error) {
  case PA_ERR_ACCESS:
  case PA_ERR_AUTHKEY: return PS_DENIED;
  case PA_ERR_CONNECTIONREFUSED: return PS_REFUSED; /* no server, or too many programs wait for it */
  case PA_ERR_TIMEOUT: return PS_TIMED_OUT;
  case PA_ERR_CONNECTIONTERMINATED:
  case PA_ERR_INVALIDSERVER:
  case PA_ERR_NOTIMPLEMENTED: return PS_NO_SERVER;
  case PA_ERR_NOENTITY:
  case PA_ERR_IO: return PS_NO_DEVICE; /* pipewire-pulse without a device says IO */
  case PA_ERR_KILLED: return PS_KILLED;
  case PA_ERR_INVALID: return PS_INVALID;
  case PS_ERROR_RATE: return PS_WRONG_RATE;
  default: return PS_OTHER;
  }
}

bool ps_stream_was_ready(const ps_stream *stream) {
  return atomic_load_explicit(&stream->was_ready, memory_order_acquire);
}

const ps_info *ps_stream_info(const ps_stream *stream) { return &stream->info; }

const char *ps_stream_device_name(const ps_stream *stream) { return stream->device_name; }

uint32_t ps_stream_device(const ps_stream *stream) {
  return atomic_load_explicit(&stream->device, memory_order_relaxed);
}

bool ps_stream_is_paused(const ps_stream *stream) {
  return atomic_load_explicit(&stream->is_paused, memory_order_relaxed);
}

ps_scheduling ps_stream_scheduling(const ps_stream *stream) { return stream->scheduling; }

void ps_stream_stats(const ps_stream *stream, ps_stats *stats) {
  stats->callbacks = atomic_load_explicit(&stream->callbacks, memory_order_relaxed);
  stats->underflows = atomic_load_explicit(&stream->underflows, memory_order_relaxed);
  stats->underflow_ns = atomic_load_explicit(&stream->underflow_ns, memory_order_relaxed);
  stats->dropped_frames = atomic_load_explicit(&stream->dropped_frames, memory_order_relaxed);
  stats->violations = stream->ring ? ak_ring_violations(stream->ring) : 0;
  stats->longest_ns = atomic_load_explicit(&stream->longest_ns, memory_order_relaxed);
  for (int i = 0; i < PS_TIME_BUCKETS; i++)
    stats->buckets[i] = atomic_load_explicit(&stream->buckets[i], memory_order_relaxed);
}

uint32_t ps_stream_take_events(ps_stream *stream) {
  return atomic_exchange_explicit(&stream->events, 0, memory_order_acquire);
}

void ps_stream_start(ps_stream *stream, ps_render render, void *context) {
  stream->render = render;
  stream->render_context = context;
  atomic_store_explicit(&stream->start, true, memory_order_release);
  command(stream);
}

void ps_stream_ask_latency(ps_stream *stream) {
  atomic_store_explicit(&stream->ask_latency, true, memory_order_release);
  command(stream);
}

int64_t ps_stream_latency(const ps_stream *stream) {
  return atomic_load_explicit(&stream->latency_ns, memory_order_relaxed);
}

void ps_stream_drain(ps_stream *stream) {
  atomic_store_explicit(&stream->drain, true, memory_order_release);
  command(stream);
}

void ps_stream_stop(ps_stream *stream) {
  atomic_store_explicit(&stream->stop, true, memory_order_release);
  command(stream);
}

bool ps_stream_read(ps_stream *stream, ps_chunk *chunk, float *samples) {
  if (!ak_ring_read(stream->ring, chunk, sizeof *chunk)) return false;
  if (!ak_ring_read(stream->ring, samples, chunk->frames * stream->frame_bytes)) return false;
  /* A filter of the server may deliver what is no number, or is infinite; converters and encoders would
     spread it. */
  size_t count = chunk->frames * (size_t)stream->info.channels;
  for (size_t i = 0; i < count; i++) samples[i] = isfinite(samples[i]) ? samples[i] : 0;
  return true;
}
