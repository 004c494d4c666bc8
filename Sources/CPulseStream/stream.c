/* The life of a stream: its thread, its connection, its end. */
#include "stream.h"

#include <ak_memory.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

void ps_end(ps_stream *stream, int error) {
  if (stream->is_ended) return;
  stream->is_ended = true;
  atomic_store_explicit(&stream->error, error, memory_order_relaxed);
  atomic_store_explicit(&stream->state, PS_ENDED, memory_order_release);
  ps_notify(stream);
}

/* The buffers in bytes of a spec. Playback: each request is for a quarter at least. */
static pa_buffer_attr buffers(const ps_options *options, const pa_sample_spec *spec) {
  pa_buffer_attr attributes = {-1, -1, -1, -1, -1};
  if (options->latency_us == 0) return attributes;
  uint32_t latency = (uint32_t)pa_usec_to_bytes(options->latency_us, spec);
  if (options->direction == PS_RECORD) {
    attributes.fragsize = latency;
    return attributes;
  }
  attributes.tlength = latency;
  attributes.minreq = (uint32_t)pa_usec_to_bytes(options->latency_us / 4, spec);
  return attributes;
}

void ps_note_buffers(ps_stream *stream) {
  const pa_buffer_attr *granted = pa_stream_get_buffer_attr(stream->stream);
  if (!granted) return;
  bool is_record = stream->options.direction == PS_RECORD;
  stream->buffer_frames =
      (uint32_t)((is_record ? granted->fragsize : granted->tlength) / stream->frame_bytes);
  stream->request_frames = (uint32_t)(granted->minreq / stream->frame_bytes);
}

static void become_ready(ps_stream *stream) {
  const pa_channel_map *map = pa_stream_get_channel_map(stream->stream);
  stream->info.index = pa_stream_get_index(stream->stream);
  for (int i = 0; i < map->channels && i < PS_MAX_CHANNELS; i++)
    stream->info.positions[i] = map->map[i];
  ps_note_buffers(stream);
  stream->info.buffer_frames = stream->buffer_frames;
  stream->info.request_frames = stream->request_frames;
  stream->is_suspended = pa_stream_is_suspended(stream->stream) > 0;
  stream->device_name = strdup(pa_stream_get_device_name(stream->stream));
  atomic_store_explicit(&stream->device, pa_stream_get_device_index(stream->stream),
                        memory_order_relaxed);
  atomic_store_explicit(&stream->was_ready, true, memory_order_release);
  atomic_store_explicit(&stream->state, PS_READY, memory_order_release);
  ps_notify(stream);
}

static void on_stream_state(pa_stream *native, void *user) {
  ps_stream *stream = user;
  switch (pa_stream_get_state(native)) {
  case PA_STREAM_READY: {
    const pa_sample_spec *spec = pa_stream_get_sample_spec(native);
    stream->frame_bytes = pa_frame_size(spec);
    stream->info.rate = spec->rate;
    stream->info.channels = spec->channels;
    return become_ready(stream);
  }
  case PA_STREAM_FAILED:
  case PA_STREAM_TERMINATED: {
    int error = pa_context_errno(stream->context);
    /* A stream that existed, and ended while the connection works, was killed. */
    bool is_alive = pa_context_get_state(stream->context) == PA_CONTEXT_READY;
    bool was_ready = atomic_load_explicit(&stream->was_ready, memory_order_relaxed);
    ps_end(stream, is_alive && was_ready ? PA_ERR_KILLED : error ? error : PA_ERR_KILLED);
    return;
  }
  default: return;
  }
}

static int connect_stream(ps_stream *stream, const pa_sample_spec *spec) {
  const ps_options *options = &stream->options;
  pa_buffer_attr attributes = buffers(options, spec);
  int flags = 0;
  if (options->latency_us) flags |= PA_STREAM_ADJUST_LATENCY;
  if (options->stays_put) flags |= PA_STREAM_DONT_MOVE;
  if (options->channel_map && !options->mixes && strcmp(options->channel_map, "mono") != 0)
    flags |= PA_STREAM_NO_REMIX_CHANNELS;
  if (options->direction == PS_RECORD)
    return pa_stream_connect_record(stream->stream, options->device, &attributes,
                                    (pa_stream_flags_t)flags);
  flags |= PA_STREAM_START_CORKED;
  return pa_stream_connect_playback(stream->stream, options->device, &attributes,
                                    (pa_stream_flags_t)flags, NULL, NULL);
}

/* The requested format; what was not requested is the device's. */
static pa_sample_spec wanted_spec(const ps_stream *stream) {
  const ps_options *options = &stream->options;
  const ps_device *found = &stream->found;
  uint32_t own = found->forced_rate ? found->forced_rate : found->spec.rate;
  return (pa_sample_spec){
      .format = PA_SAMPLE_FLOAT32NE,
      .rate = options->rate ? options->rate : own,
      .channels = options->channels ? (uint8_t)options->channels : found->spec.channels};
}

static int count_of(const pa_channel_map *map, pa_channel_position_t position) {
  int count = 0;
  for (int i = 0; i < map->channels; i++) count += map->map[i] == position;
  return count;
}

/* Whether a map has the positions of another one, in any order. */
static bool has_positions_of(const pa_channel_map *map, const pa_channel_map *other) {
  if (map->channels != other->channels) return false;
  for (int i = 0; i < other->channels; i++)
    if (count_of(map, other->map[i]) != count_of(other, other->map[i])) return false;
  return true;
}

void ps_make_stream(ps_stream *stream) {
  const ps_options *options = &stream->options;
  pa_sample_spec spec = wanted_spec(stream);
  /* libpulse aborts the program over an invalid spec or map. */
  if (options->channels > PS_MAX_CHANNELS || !pa_sample_spec_valid(&spec))
    return ps_end(stream, PA_ERR_INVALID);
  pa_channel_map map = stream->found.map;
  if (options->channels != 0 || !pa_channel_map_valid(&map) || map.channels != spec.channels)
    pa_channel_map_init_extend(&map, spec.channels, PA_CHANNEL_MAP_DEFAULT);
  if (options->channel_map && !pa_channel_map_parse(&map, options->channel_map))
    return ps_end(stream, PA_ERR_INVALID);
  pa_channel_map former;
  if (!options->channel_map && options->former_map &&
      pa_channel_map_parse(&former, options->former_map) && has_positions_of(&map, &former))
    map = former;
  /* Streams are silenced or ducked by role; this role marks the session's own stream. */
  pa_proplist *properties = pa_proplist_new();
  if (options->role)
    pa_proplist_sets(properties, PA_PROP_MEDIA_ROLE, options->role);
  else if (options->direction == PS_PLAYBACK)
    pa_proplist_sets(properties, PA_PROP_MEDIA_ROLE, "audiosession");
  if (options->is_own) pa_proplist_sets(properties, "audiosession.scope", "application");
  if (options->is_fixed) pa_proplist_sets(properties, "audiosession.fixed", "yes");
  stream->stream =
      pa_stream_new_with_proplist(stream->context, options->name, &spec, &map, properties);
  pa_proplist_free(properties);
  if (!stream->stream) return ps_end(stream, pa_context_errno(stream->context));
  pa_stream_set_state_callback(stream->stream, on_stream_state, stream);
  ps_set_callbacks(stream);
  if (connect_stream(stream, &spec) < 0) ps_end(stream, pa_context_errno(stream->context));
}

static void on_context_state(pa_context *context, void *user) {
  ps_stream *stream = user;
  switch (pa_context_get_state(context)) {
  case PA_CONTEXT_READY:
    pa_mainloop_set_poll_func(stream->mainloop, NULL, NULL);
    ps_look_up(stream);
    return;
  case PA_CONTEXT_FAILED:
  case PA_CONTEXT_TERMINATED: {
    int error = pa_context_errno(context); /* 0 means that the stream was closed */
    return ps_end(stream, error ? error : PA_ERR_CONNECTIONTERMINATED);
  }
  default: return;
  }
}

static void drain(ps_stream *stream);

static void on_drained(pa_stream *native, int success, void *user) {
  (void)native;
  ps_stream *stream = user;
  if (success) return ps_add_event(stream, PS_DRAINED);
  /* libpulse waits half a minute for the answer; a stream that the server pauses has none until it runs. */
  int error = pa_context_errno(stream->context);
  if (error != PA_ERR_TIMEOUT) return ps_end(stream, error);
  drain(stream);
}

static void drain(ps_stream *stream) {
  pa_operation *done = pa_stream_drain(stream->stream, on_drained, stream);
  if (done) pa_operation_unref(done);
}

static void on_timing(pa_stream *native, int success, void *user) {
  ps_stream *stream = user;
  pa_usec_t latency = 0;
  int is_negative = 0;
  bool is_known = success && pa_stream_get_latency(native, &latency, &is_negative) >= 0;
  atomic_store_explicit(&stream->latency_ns, is_known && !is_negative ? (int64_t)latency * 1000 : -1,
                        memory_order_relaxed);
  ps_add_event(stream, PS_TIMED);
}

/* Carries out the requests of other threads. */
static void on_command(pa_mainloop_api *api, pa_io_event *event, int fd, pa_io_event_flags_t flags,
                       void *user) {
  (void)api;
  (void)event;
  (void)flags;
  ps_stream *stream = user;
  uint64_t count;
  if (read(fd, &count, sizeof count) < 0) return;
  if (atomic_load_explicit(&stream->stop, memory_order_acquire)) return ps_end(stream, 0);
  bool is_ready = atomic_load_explicit(&stream->state, memory_order_relaxed) == PS_READY;
  if (!is_ready || stream->options.direction != PS_PLAYBACK) return;
  pa_operation *done = NULL;
  if (!stream->is_started && atomic_load_explicit(&stream->start, memory_order_acquire)) {
    stream->is_started = true;
    ps_clock_reset(&stream->clock);
    stream->active_render = stream->render;
    size_t room = pa_stream_writable_size(stream->stream);
    if (room != (size_t)-1) ps_fill(stream, room);
    done = pa_stream_cork(stream->stream, 0, NULL, NULL);
    if (done) pa_operation_unref(done);
  }
  if (atomic_exchange_explicit(&stream->ask_latency, false, memory_order_acquire)) {
    done = pa_stream_update_timing_info(stream->stream, on_timing, stream);
    if (done) pa_operation_unref(done);
  }
  if (atomic_exchange_explicit(&stream->drain, false, memory_order_acquire)) {
    stream->active_render = NULL;
    drain(stream);
  }
}

/* How long a stream that is closed waits for the server to end it. */
#define END_NS 200000000

/* Carries out what the loop waits for while the server makes or ends the stream, or until a deadline. */
static void wait_while(ps_stream *stream, pa_stream_state_t state, int64_t deadline) {
  pa_mainloop *loop = stream->mainloop;
  while (pa_stream_get_state(stream->stream) == state) {
    int64_t left = deadline - ps_now();
    if (left <= 0 || pa_mainloop_prepare(loop, (int)(left / 1000)) < 0 || pa_mainloop_poll(loop) < 0 ||
        pa_mainloop_dispatch(loop) < 0)
      return;
  }
}

/* Ends the stream on the server, and waits for the answer. With the connection alone it would not end
 * while another process has that, such as a child of this program that was forked. */
static void end_stream(ps_stream *stream) {
  int64_t deadline = ps_now() + END_NS;
  wait_while(stream, PA_STREAM_CREATING, deadline); /* libpulse can end only what the server made */
  if (pa_stream_disconnect(stream->stream) < 0) return;
  wait_while(stream, PA_STREAM_READY, deadline);
}

static void disconnect(ps_stream *stream) {
  if (stream->context) pa_context_set_state_callback(stream->context, NULL, NULL);
  if (stream->stream) {
    pa_stream_set_state_callback(stream->stream, NULL, NULL);
    ps_clear_callbacks(stream);
    end_stream(stream);
    pa_stream_unref(stream->stream);
  }
  if (stream->context) {
    pa_context_disconnect(stream->context);
    pa_context_unref(stream->context);
  }
}

static bool start_connecting(ps_stream *stream) {
  pa_mainloop_api *api = pa_mainloop_get_api(stream->mainloop);
  if (!api->io_new(api, stream->command_fd, PA_IO_EVENT_INPUT, on_command, stream)) return false;
  stream->context = pa_context_new(api, stream->options.name);
  if (!stream->context) return false;
  pa_context_set_state_callback(stream->context, on_context_state, stream);
  if (pa_context_connect(stream->context, stream->options.server, PA_CONTEXT_NOAUTOSPAWN, NULL) < 0)
    ps_end(stream, pa_context_errno(stream->context));
  stream->server = pa_xstrdup(pa_context_get_server(stream->context));
  if (stream->server) pa_mainloop_set_poll_func(stream->mainloop, pp_poll, stream->server);
  return true;
}

/* Touches the stack that the callbacks will use. */
static __attribute__((noinline)) void touch_stack(void) {
  uint8_t stack[1 << 16];
  ak_touch(stack, sizeof stack);
}

static void *run(void *user) {
  ps_stream *stream = user;
  pthread_setname_np(pthread_self(), "audio stream");
  touch_stack();
  stream->scheduling = ps_schedule();
  stream->mainloop = pa_mainloop_new();
  if (!stream->mainloop || !start_connecting(stream)) ps_end(stream, PA_ERR_INTERNAL);
  while (!stream->is_ended && pa_mainloop_iterate(stream->mainloop, 1, NULL) >= 0) {
  }
  ps_end(stream, PA_ERR_INTERNAL); /* if it has not ended, the loop itself failed */
  disconnect(stream);
  if (stream->mainloop) pa_mainloop_free(stream->mainloop);
  pa_xfree(stream->server);
  return NULL;
}

static char *copy(const char *text) { return text ? strdup(text) : NULL; }

static void release(ps_stream *stream) {
  ak_ring_destroy(stream->ring);
  if (stream->signal_fd >= 0) close(stream->signal_fd);
  if (stream->command_fd >= 0) close(stream->command_fd);
  free((char *)stream->options.server);
  free((char *)stream->options.name);
  free((char *)stream->options.device);
  free((char *)stream->options.channel_map);
  free((char *)stream->options.former_map);
  free((char *)stream->options.role);
  free(stream->device_name);
  free(stream);
}

/* The ring is made before the rate is known, for a usual device; for a device with more data it
 * holds a shorter time. */
static size_t ring_bytes(const ps_options *options) {
  size_t rate = options->rate ? options->rate : 96000;
  size_t channels = options->channels ? options->channels : 4;
  return rate * channels * sizeof(float) / 1000 * (options->ring_ms ? options->ring_ms : 1000);
}

ps_stream *ps_stream_open(const ps_options *options) {
  ps_stream *stream = calloc(1, sizeof *stream);
  if (!stream) return NULL;
  stream->options = *options;
  stream->options.server = copy(options->server);
  stream->options.name = copy(options->name ? options->name : "audio stream");
  stream->options.device = copy(options->device);
  stream->options.channel_map = copy(options->channel_map);
  stream->options.former_map = copy(options->former_map);
  stream->options.role = copy(options->role);
  stream->pending_gap = true; /* the first frames follow none */
  stream->latency_ns = -1;
  stream->signal_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  stream->command_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  int error = stream->signal_fd < 0 || stream->command_fd < 0 ? errno : 0;
  bool has_ring = options->direction == PS_PLAYBACK ||
                  (stream->ring = ak_ring_create(ring_bytes(options))) != NULL;
  if (error == 0 && !has_ring) error = ENOMEM;
  if (error == 0) {
    sigset_t all, former; /* signals belong to the program's own threads */
    sigfillset(&all);
    const int own[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGSYS}; /* for crash reporters */
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) sigdelset(&all, own[i]);
    pthread_sigmask(SIG_BLOCK, &all, &former);
    error = pthread_create(&stream->thread, NULL, run, stream);
    pthread_sigmask(SIG_SETMASK, &former, NULL);
  }
  if (error == 0) return stream;
  release(stream);
  errno = error;
  return NULL;
}

void ps_stream_join(ps_stream *stream) {
  if (stream->is_joined) return;
  ps_stream_stop(stream);
  pthread_join(stream->thread, NULL);
  stream->is_joined = true;
}

void ps_stream_free(ps_stream *stream) {
  ps_stream_join(stream);
  release(stream);
}
