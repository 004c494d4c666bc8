/* A record or playback stream with its own thread, libpulse loop and connection.
 *
 * The thread runs only C. In steady state its callbacks do not allocate, lock, wait, log or call
 * Swift: recorded sound goes into a lock-free ring, and a C function renders the sound to play.
 * While a stream is opened, moved or ended, libpulse allocates memory.
 *
 * Signals: `ps_stream_signal` is an eventfd that becomes readable when the stream's state changes,
 * when there are new events, and (record) when there is new sound. */
#ifndef AUDIOSESSION_CPULSESTREAM_H
#define AUDIOSESSION_CPULSESTREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ps_clock.h"

typedef struct ps_stream ps_stream;

/* Fills `out` with interleaved samples; called on the audio thread. It must not allocate, lock,
 * wait, log or call Swift. */
typedef void (*ps_render)(void *context, float *out, size_t frames);

enum { PS_MAX_CHANNELS = 32, PS_CHUNK_FRAMES = 4096, PS_TIME_BUCKETS = 128 };

typedef enum { PS_RECORD, PS_PLAYBACK } ps_direction;

typedef enum {
  PS_OPENING, /* connecting, or waiting for the server to create the stream */
  PS_READY,   /* the stream exists; playback waits for ps_stream_start */
  PS_ENDED    /* it failed, was killed, or was closed: see ps_stream_error */
} ps_state;

/* What an error means for the caller. */
typedef enum {
  PS_NO_SERVER,
  PS_REFUSED,
  PS_TIMED_OUT,
  PS_DENIED,
  PS_NO_DEVICE,
  PS_KILLED,
  PS_INVALID,
  PS_WRONG_RATE, /* the server delivered or requested frames at another rate than it reported */
  PS_OTHER
} ps_failure;

/* An error that libpulse does not have; outside the range of its numbers. */
enum { PS_ERROR_RATE = 1000 };

/* What happened to a stream since the last query, as bits. */
typedef enum {
  PS_MOVED = 1,     /* it is on another device */
  PS_SUSPENDED = 2, /* its device was suspended */
  PS_RESUMED = 4,   /* its device runs again */
  PS_DRAINED = 8,   /* all that was written has been played */
  PS_TIMED = 16     /* ps_stream_latency has an answer */
} ps_event;

typedef struct {
  ps_direction direction;
  const char *server;     /* NULL: the environment's */
  const char *name;       /* the name under which the program and the stream are listed */
  const char *device;     /* NULL: follows the default */
  uint32_t rate;          /* Hz; 0: the device's */
  uint32_t channels;      /* 0: the device's */
  const char *channel_map; /* NULL: the standard one. `channels`: how many */
  const char *former_map;  /* the order in which the device's channels are taken, if it has just these */
  bool mixes;             /* the server mixes the channels of `channel_map` to the device's;
                             otherwise they are exactly these of the device; only "mono" mixes */
  const char *role;       /* the stream's media.role; NULL: "audiosession" for playback */
  bool is_own;            /* the program has its own session */
  bool is_fixed;          /* the program chose the device: sessions must not move the stream */
  bool stays_put;         /* the server must not move it either: the stream ends with its device */
  uint32_t latency_us;    /* record: the device's; playback: the whole buffer's; 0: the server's */
  uint32_t ring_ms;       /* record: how much sound the ring holds */
  bool signals_requests;  /* playback: also signal after each request */
  bool pauses;            /* playback: pauses while the server requests it */
} ps_options;

/* What the server granted; valid once the state has been PS_READY. */
typedef struct {
  uint32_t rate;
  uint32_t channels;
  int32_t positions[PS_MAX_CHANNELS]; /* pa_channel_position_t */
  uint32_t buffer_frames;             /* record: a fragment; playback: the target */
  uint32_t request_frames;            /* playback: the minimum per request */
  uint32_t index;                     /* the stream's number on the server */
} ps_info;

/* How the audio thread is scheduled. */
typedef struct {
  bool is_realtime;
  bool by_rtkit;
  int priority;
  int error;       /* errno of the kernel's refusal if it is not realtime */
  int rtkit_error; /* errno of rtkit's refusal: ENOSYS, EHOSTUNREACH, EPERM, or another */
} ps_scheduling;

/* Recorded frames without a gap between them, and the gap before them. */
typedef struct {
  int64_t arrival_ns; /* CLOCK_MONOTONIC, when they arrived */
  int64_t host_ns;    /* about when the first frame was captured, if they arrived at once */
  uint32_t frames;    /* at most PS_CHUNK_FRAMES */
  uint32_t lost;      /* frames missing just before: holes, or a full ring */
  bool discontinuity; /* they do not follow the previous frames: the clock shows what is missing */
} ps_chunk;

typedef struct {
  uint64_t callbacks;
  uint64_t underflows;     /* playback: how often the server ran out of sound */
  uint64_t underflow_ns;   /* for how long, by the clock */
  uint64_t dropped_frames; /* record: the ring was full */
  uint64_t violations;     /* calls on the ring from a wrong thread */
  uint64_t longest_ns;
  uint64_t buckets[PS_TIME_BUCKETS]; /* callbacks by duration: 8 buckets for each doubling of ns */
} ps_stats;

/* Any thread may call these functions; each returns at once. */

/* Starts the thread, which connects; NULL, with errno set, if it cannot be started. */
ps_stream *ps_stream_open(const ps_options *options);
/* The eventfd; reading it resets it. */
int ps_stream_signal(const ps_stream *stream);
ps_state ps_stream_state(const ps_stream *stream);
/* libpulse's number of the error that ended the stream, or PS_ERROR_RATE; 0 after ps_stream_stop. */
int ps_stream_error(const ps_stream *stream);
const char *ps_error_text(int error);
ps_failure ps_error_kind(int error);
/* Whether the stream was ready before it ended. */
bool ps_stream_was_ready(const ps_stream *stream);
const ps_info *ps_stream_info(const ps_stream *stream);
/* The device on which it was created; valid once the state was PS_READY. NULL: no memory. */
const char *ps_stream_device_name(const ps_stream *stream);
/* The index of the device it is on now. */
uint32_t ps_stream_device(const ps_stream *stream);
/* Whether it is paused, which only happens with the option `pauses`. */
bool ps_stream_is_paused(const ps_stream *stream);
ps_scheduling ps_stream_scheduling(const ps_stream *stream);
void ps_stream_stats(const ps_stream *stream, ps_stats *stats);
/* The events since the last call. */
uint32_t ps_stream_take_events(ps_stream *stream);
/* Playback: starts to call `render` and to play. Call it once, when the stream is ready. */
void ps_stream_start(ps_stream *stream, ps_render render, void *context);
/* Playback: asks the server how long sound that is written now takes until it is heard. */
void ps_stream_ask_latency(ps_stream *stream);
/* The last answer in nanoseconds; negative without one. */
int64_t ps_stream_latency(const ps_stream *stream);
/* Playback: stops calling `render`; PS_DRAINED follows when everything has been played. */
void ps_stream_drain(ps_stream *stream);
/* Asks the thread to end the stream; PS_ENDED follows soon. */
void ps_stream_stop(ps_stream *stream);

/* Only one thread, the consumer, may call these functions. */

/* Reads a chunk of at most PS_CHUNK_FRAMES frames; false if there is none. */
bool ps_stream_read(ps_stream *stream, ps_chunk *chunk, float *samples);

/* Stops the stream and waits for its thread: some milliseconds, but up to two seconds if the thread has just
 * begun to ask rtkit on a bus that does not answer. Its figures remain readable. */
void ps_stream_join(ps_stream *stream);

/* The last call: joins the thread if that was not done, and frees everything. */
void ps_stream_free(ps_stream *stream);

/* For tests: a function that every audio thread calls before (true) and after
 * (false) each callback; NULL for none. */
typedef void (*ps_probe)(bool begins);
void ps_set_probe(ps_probe probe);

/* The upper end of a bucket of ps_stats, in nanoseconds; the last bucket also has what is longer. */
uint64_t ps_bucket_ns(unsigned bucket);

#endif
