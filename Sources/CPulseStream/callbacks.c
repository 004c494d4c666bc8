/* The callbacks for each fragment: no allocation, lock, wait, log or Swift. */
#include "stream.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

int64_t ps_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void ps_notify(ps_stream *stream) {
  uint64_t one = 1;
  ssize_t written = write(stream->signal_fd, &one, sizeof one); /* non-blocking */
  (void)written;
}

void ps_add_event(ps_stream *stream, ps_event event) {
  atomic_fetch_or_explicit(&stream->events, event, memory_order_release);
  ps_notify(stream);
}

static inline void add(_Atomic uint64_t *counter, uint64_t count) {
  atomic_fetch_add_explicit(counter, count, memory_order_relaxed);
}

/* Bucket 0 ends at 128 ns; the last one starts at 7.3 ms and has no end. */
static unsigned bucket(uint64_t ns) {
  if (ns < 128) return 0;
  unsigned power = 63 - (unsigned)__builtin_clzll(ns);
  unsigned index = (power - 7) * 8 + (unsigned)((ns >> (power - 3)) & 7) + 1;
  return index < PS_TIME_BUCKETS ? index : PS_TIME_BUCKETS - 1;
}

uint64_t ps_bucket_ns(unsigned bucket) {
  if (bucket == 0) return 128;
  unsigned power = (bucket - 1) / 8 + 7, step = (bucket - 1) % 8 + 1;
  return ((uint64_t)8 + step) << (power - 3);
}

static _Atomic ps_probe current_probe;

void ps_set_probe(ps_probe probe) { atomic_store(&current_probe, probe); }

static inline void tell_probe(bool begins) {
  ps_probe probe = atomic_load_explicit(&current_probe, memory_order_acquire);
  if (probe) probe(begins);
}

static void note_time(ps_stream *stream, int64_t began) {
  uint64_t ns = (uint64_t)(ps_now() - began);
  add(&stream->callbacks, 1);
  add(&stream->buckets[bucket(ns)], 1);
  if (ns > atomic_load_explicit(&stream->longest_ns, memory_order_relaxed))
    atomic_store_explicit(&stream->longest_ns, ns, memory_order_relaxed);
}

/* Counts lost frames; a server may claim any number of them. */
static void lose(ps_stream *stream, size_t frames) {
  size_t room = UINT32_MAX - stream->pending_lost;
  stream->pending_lost += (uint32_t)(frames < room ? frames : room);
}

/* Writes frames to the ring; those that do not fit are counted, and reported with the next chunk. */
static void keep(ps_stream *stream, const float *samples, size_t frames, int64_t arrival_ns,
                 int64_t host_ns) {
  uint32_t channels = stream->info.channels, rate = stream->info.rate;
  while (frames > 0) {
    ps_chunk chunk = {.arrival_ns = arrival_ns,
                      .host_ns = host_ns,
                      .frames = (uint32_t)(frames < PS_CHUNK_FRAMES ? frames : PS_CHUNK_FRAMES),
                      .lost = stream->pending_lost,
                      .discontinuity = stream->pending_gap};
    size_t bytes = chunk.frames * stream->frame_bytes;
    if (ak_ring_write_record(stream->ring, &chunk, sizeof chunk, samples, bytes)) {
      stream->pending_lost = 0;
      stream->pending_gap = false;
    } else {
      lose(stream, chunk.frames);
      add(&stream->dropped_frames, chunk.frames);
    }
    samples += (size_t)chunk.frames * channels;
    frames -= chunk.frames;
    host_ns += (int64_t)chunk.frames * 1000000000 / rate;
  }
}

/* A stream with another actual rate than the reported one is useless. */
static inline void check_rate(ps_stream *stream, int64_t now, size_t frames) {
  if (ps_clock_is_wrong(&stream->clock, now, frames, stream->info.rate))
    ps_end(stream, PS_ERROR_RATE);
}

/* A server may claim holes of any length; no buffer holds a minute. */
static int64_t duration_ns(const ps_stream *stream, size_t frames) {
  size_t minute = (size_t)stream->info.rate * 60;
  return (int64_t)(frames < minute ? frames : minute) * 1000000000 / stream->info.rate;
}

static void on_readable(pa_stream *native, size_t available, void *user) {
  ps_stream *stream = user;
  int64_t began = ps_now();
  const void *data;
  size_t bytes;
  (void)available;
  if (stream->info.rate == 0) return; /* not ready yet: it is read then */
  /* When the last waiting frame was captured: about now. */
  size_t waiting = pa_stream_readable_size(native);
  if (waiting == (size_t)-1) return;
  tell_probe(true);
  int64_t host_ns = began - duration_ns(stream, waiting / stream->frame_bytes);
  size_t delivered = 0;
  while (pa_stream_peek(native, &data, &bytes) == 0 && bytes > 0) {
    size_t frames = bytes / stream->frame_bytes;
    delivered += frames;
    if (data)
      keep(stream, data, frames, began, host_ns);
    else
      lose(stream, frames); /* a hole: the server lost them */
    host_ns += duration_ns(stream, frames);
    pa_stream_drop(native);
  }
  note_time(stream, began);
  ps_notify(stream);
  tell_probe(false);
  check_rate(stream, began, delivered);
}

static int64_t frames_ns(const ps_stream *stream, uint64_t frames) {
  return stream->info.rate ? (int64_t)(frames * 1000000000 / stream->info.rate) : 0;
}

/* Notes that the server gets sound now: its buffer is full again. */
static void note_sound(ps_stream *stream, int64_t now) {
  ps_dryness *dryness = &stream->dryness;
  int64_t late = dryness->end_ns && now > dryness->end_ns ? now - dryness->end_ns : 0;
  if (dryness->is_dry) {
    add(&stream->underflow_ns, (uint64_t)late);
    dryness->is_dry = false;
  } else if (late > 0) {
    dryness->late_ns = late;
    dryness->late_at = now;
  } else if (now - dryness->late_at > frames_ns(stream, stream->request_frames)) {
    dryness->late_ns = 0; /* the server had sound until then */
  }
  dryness->end_ns = now + frames_ns(stream, stream->buffer_frames);
}

void ps_fill(ps_stream *stream, size_t bytes) {
  if (!stream->active_render) return;
  note_sound(stream, ps_now());
  while (bytes >= stream->frame_bytes) {
    void *data;
    size_t room = bytes;
    if (pa_stream_begin_write(stream->stream, &data, &room) < 0 || !data) return;
    if (room > bytes) room = bytes;
    size_t frames = room / stream->frame_bytes;
    if (frames == 0) {
      pa_stream_cancel_write(stream->stream);
      return;
    }
    stream->active_render(stream->render_context, data, frames);
    size_t count = frames * stream->frame_bytes;
    if (pa_stream_write(stream->stream, data, count, NULL, 0, PA_SEEK_RELATIVE) < 0) return;
    bytes -= count;
  }
}

static void on_writable(pa_stream *native, size_t wanted, void *user) {
  ps_stream *stream = user;
  int64_t began = ps_now();
  (void)native;
  if (!stream->active_render) return;
  tell_probe(true);
  ps_fill(stream, wanted);
  note_time(stream, began);
  if (stream->options.signals_requests) ps_notify(stream);
  tell_probe(false);
  check_rate(stream, began, wanted / stream->frame_bytes);
}

static void on_underflow(pa_stream *native, void *user) {
  (void)native;
  ps_stream *stream = user;
  ps_dryness *dryness = &stream->dryness;
  /* Before the first sound, after the last one and in a pause there is nothing to run out of. */
  if (!stream->active_render || !dryness->end_ns || ps_stream_is_paused(stream)) return;
  add(&stream->underflows, 1);
  add(&stream->underflow_ns, (uint64_t)dryness->late_ns);
  dryness->late_ns = 0;
  dryness->is_dry = true;
}

/* What comes next does not follow on what came last. */
static void interrupt(ps_stream *stream) {
  stream->pending_gap = true;
  ps_clock_reset(&stream->clock);
  stream->dryness = (ps_dryness){0};
}

static void pause_stream(ps_stream *stream, bool pauses) {
  interrupt(stream);
  atomic_store_explicit(&stream->is_paused, pauses, memory_order_relaxed);
  pa_operation *done = pa_stream_cork(stream->stream, pauses, NULL, NULL);
  if (done) pa_operation_unref(done);
}

static void note_suspension(ps_stream *stream) {
  stream->is_suspended = pa_stream_is_suspended(stream->stream) > 0;
  ps_add_event(stream, stream->is_suspended ? PS_SUSPENDED : PS_RESUMED);
}

static void on_moved(pa_stream *native, void *user) {
  ps_stream *stream = user;
  atomic_store_explicit(&stream->device, pa_stream_get_device_index(native), memory_order_relaxed);
  ps_note_buffers(stream);
  interrupt(stream);
  if (ps_stream_is_paused(stream)) {
    /* PulseAudio's module-role-cork forgets a stream that moves, and never asks to resume it. */
    pause_stream(stream, false);
    pa_operation *done =
        pa_context_set_sink_input_mute(stream->context, stream->info.index, 0, NULL, NULL);
    if (done) pa_operation_unref(done);
  }
  ps_add_event(stream, PS_MOVED);
  /* The other device may be suspended, or not, which libpulse notes without calling on_suspended. */
  if ((pa_stream_is_suspended(native) > 0) != stream->is_suspended) note_suspension(stream);
}

static void on_buffers(pa_stream *native, void *user) {
  (void)native;
  ps_note_buffers(user);
}

static void on_suspended(pa_stream *native, void *user) {
  ps_stream *stream = user;
  (void)native;
  interrupt(stream);
  note_suspension(stream);
}

/* The server requests a pause, or its end: while a call lasts, say. */
static void on_event(pa_stream *native, const char *name, pa_proplist *list, void *user) {
  (void)native;
  (void)list;
  ps_stream *stream = user;
  bool pauses = strcmp(name, PA_STREAM_EVENT_REQUEST_CORK) == 0;
  if (!pauses && strcmp(name, PA_STREAM_EVENT_REQUEST_UNCORK) != 0) return;
  if (stream->options.pauses && stream->is_started) pause_stream(stream, pauses);
}

void ps_set_callbacks(ps_stream *stream) {
  pa_stream *native = stream->stream;
  pa_stream_set_read_callback(native, on_readable, stream);
  pa_stream_set_write_callback(native, on_writable, stream);
  pa_stream_set_underflow_callback(native, on_underflow, stream);
  pa_stream_set_moved_callback(native, on_moved, stream);
  pa_stream_set_buffer_attr_callback(native, on_buffers, stream);
  pa_stream_set_suspended_callback(native, on_suspended, stream);
  pa_stream_set_event_callback(native, on_event, stream);
}

void ps_clear_callbacks(ps_stream *stream) {
  pa_stream *native = stream->stream;
  pa_stream_set_read_callback(native, NULL, NULL);
  pa_stream_set_write_callback(native, NULL, NULL);
  pa_stream_set_underflow_callback(native, NULL, NULL);
  pa_stream_set_moved_callback(native, NULL, NULL);
  pa_stream_set_buffer_attr_callback(native, NULL, NULL);
  pa_stream_set_suspended_callback(native, NULL, NULL);
  pa_stream_set_event_callback(native, NULL, NULL);
}
