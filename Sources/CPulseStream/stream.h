/* Declarations that the files of this target share. */
#ifndef AUDIOSESSION_CPULSESTREAM_STREAM_H
#define AUDIOSESSION_CPULSESTREAM_STREAM_H

#if !__has_include(<pulse/pulseaudio.h>)
#error "libpulse's headers are missing; on Debian: apt-get install libpulse-dev"
#endif

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <pthread.h>
#include <pulse/pulseaudio.h>
#include <stdatomic.h>

#include "CAudioKernel.h"
#include "CPulsePoll.h"
#include "CPulseStream.h"

/* The stream's device, as read just before the stream was created. */
typedef struct {
  pa_sample_spec spec;
  pa_channel_map map;
  uint32_t source, sink; /* its index, and that of its monitor or monitored sink */
  uint32_t forced_rate;  /* the graph's rate once the device is used; 0: unchanged */
} ps_device;

/* Playback: when the server ran out of sound. Zero before the first sound, and after a move. */
typedef struct {
  int64_t end_ns;  /* when the sound that the server has ends, unless it gets more */
  int64_t late_ns; /* by how much sound was late, at `late_at`; the underflow may be told after it */
  int64_t late_at;
  bool is_dry;     /* told, and no sound has followed */
} ps_dryness;

struct ps_stream {
  /* Set before the thread starts, and read only from then on. */
  ps_options options; /* the strings are copies */
  ak_ring *ring;
  int signal_fd;
  int command_fd;
  pthread_t thread;
  bool is_joined; /* used by the consumer only */

  /* Used by the audio thread only. */
  pa_mainloop *mainloop;
  char *server; /* for pp_poll */
  pa_context *context;
  pa_stream *stream;
  ps_device found;
  size_t frame_bytes;
  uint32_t buffer_frames;  /* as granted for the device in use */
  uint32_t request_frames;
  ps_clock clock;
  ps_dryness dryness;
  bool is_ended;
  bool is_started;
  bool is_suspended; /* its device */
  uint32_t pending_lost;
  bool pending_gap;
  ps_render active_render;

  /* Written by the caller before the command that publishes them. */
  ps_render render;
  void *render_context;
  atomic_bool stop, start, drain, ask_latency;

  /* Written by the audio thread, read by others. */
  _Atomic ps_state state;
  ps_info info; /* before was_ready and PS_READY are stored */
  char *device_name; /* the same */
  ps_scheduling scheduling; /* before PS_READY or PS_ENDED is stored */
  atomic_int error;
  atomic_bool was_ready, is_paused;
  _Atomic uint32_t device;
  _Atomic uint32_t events;
  _Atomic int64_t latency_ns;
  _Atomic uint64_t callbacks, underflows, underflow_ns, dropped_frames, longest_ns;
  _Atomic uint64_t buckets[PS_TIME_BUCKETS];
};

/* Nanoseconds of CLOCK_MONOTONIC; no system call if the kernel has a vDSO. */
int64_t ps_now(void);
/* Makes the stream's eventfd readable; never waits. */
void ps_notify(ps_stream *stream);
void ps_add_event(ps_stream *stream, ps_event event);
/* Ends the stream once, with libpulse's number of the error. */
void ps_end(ps_stream *stream, int error);
/* Looks up the device's rate and channels, then creates the stream. */
void ps_look_up(ps_stream *stream);
/* Creates the stream for the device. */
void ps_make_stream(ps_stream *stream);
/* Sets the callbacks that run in steady state. */
void ps_set_callbacks(ps_stream *stream);
/* Removes them: a stream that ends may be made, moved and changed until the server has ended it. */
void ps_clear_callbacks(ps_stream *stream);
void ps_note_buffers(ps_stream *stream);
/* Renders what the server requests now, and notes how late it is. */
void ps_fill(ps_stream *stream, size_t bytes);
/* Requests realtime scheduling of the calling thread. */
ps_scheduling ps_schedule(void);
/* Requests it from rtkit; 0, or an errno: ENOSYS if this was built without libdbus, EHOSTUNREACH
 * without a bus or rtkit, EPERM if rtkit refuses. It grants at most the requested priority, and
 * requires that the process's RLIMIT_RTTIME is lowered to its limit. */
int ps_ask_realtimekit(int *priority);

#endif
