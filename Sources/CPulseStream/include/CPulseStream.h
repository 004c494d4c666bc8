/* A record or playback stream with a thread, a libpulse loop and a connection of its own.
 *
 * The thread runs C only. In steady state its callbacks allocate nothing, take no lock, never wait,
 * never log and never enter Swift: recorded sound goes into a ring without a lock, sound to play
 * comes from a C function. Opening, moving and ending are libpulse's business, which allocates.
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
  PS_OPENING, /* connecting, or waiting for the server to make the stream */
  PS_READY,   /* the stream is there; playback waits for ps_stream_start */
  PS_ENDED    /* it failed, was killed, or was closed: see ps_stream_error */
} ps_state;

/* What an error means for who asked. */
typedef enum {
  PS_NO_SERVER,
  PS_DENIED,
  PS_NO_DEVICE,
  PS_KILLED,
  PS_INVALID,
  PS_WRONG_RATE, /* its frames came, or were asked for, at another rate than the server had said */
  PS_OTHER
} ps_failure;

/* An error that libpulse does not have, beside its numbers. */
enum { PS_ERROR_RATE = 1000 };

/* What happened to a stream since it was asked last: bits. */
typedef enum {
  PS_MOVED = 1,     /* it is on another device */
  PS_SUSPENDED = 2, /* its device was suspended */
  PS_RESUMED = 4,   /* its device runs again */
  PS_DRAINED = 8,   /* all that was written has been played */
  PS_CORK_REQUESTED = 16,
  PS_UNCORK_REQUESTED = 32
} ps_event;

typedef struct {
  ps_direction direction;
  const char *server;     /* NULL: the environment's */
  const char *client;     /* what the program is listed as */
  const char *name;       /* what the stream is listed as */
  const char *device;     /* NULL: the default, and along with it */
  uint32_t rate;          /* Hz; 0: the device's */
  uint32_t channels;      /* 0: the device's */
  const char *channel_map; /* NULL: the standard one. Else just these of the device's, in this order,
                              and nothing mixed but for "mono"; `channels` is their number */
  const char *role;       /* the stream's media.role; NULL: what is played has "audiosession" */
  bool is_own;            /* the program has a session of its own */
  bool is_fixed;          /* the program chose the device: nobody is to move the stream */
  bool stays_put;         /* nor the server: the stream ends with its device */
  uint32_t latency_us;    /* record: the device's; playback: the whole buffer's; 0: the server's */
  uint32_t request_us;    /* playback: the least that is asked for at once; 0: a quarter of latency */
  uint32_t ring_ms;       /* record: how much sound the ring holds */
  bool signals_requests;  /* playback: signal after each request as well */
  bool no_realtime;       /* do not ask for realtime scheduling */
} ps_options;

/* What the server granted; valid once the state has been PS_READY. */
typedef struct {
  uint32_t rate;
  uint32_t channels;
  int32_t positions[PS_MAX_CHANNELS]; /* pa_channel_position_t */
  uint32_t buffer_frames;             /* record: a fragment; playback: the target */
  uint32_t request_frames;            /* playback: the least that is asked for at once */
  uint32_t index;                     /* the stream's number on the server */
} ps_info;

/* How the audio thread is scheduled. */
typedef struct {
  bool is_realtime;
  bool by_rtkit;
  int priority;
  int error;       /* errno of the kernel's refusal where it is not realtime */
  int rtkit_error; /* and of rtkit's: ENOSYS, EHOSTUNREACH, EPERM, or another */
} ps_scheduling;

/* Recorded frames that follow each other without a gap, with what comes before them. */
typedef struct {
  int64_t arrival_ns; /* CLOCK_MONOTONIC, when they came */
  int64_t host_ns;    /* about when the first frame was captured, if they came at once */
  uint32_t frames;    /* at most PS_CHUNK_FRAMES */
  uint32_t lost;      /* frames missing just before: holes, or a full ring */
  bool discontinuity; /* they do not follow what came before: the clock says what is missing */
} ps_chunk;

typedef struct {
  uint64_t callbacks;
  uint64_t underflows;
  uint64_t dropped_frames; /* record: the ring was full */
  uint64_t violations;     /* calls on the ring from a wrong thread (debug builds) */
  uint64_t longest_ns;
  uint64_t buckets[PS_TIME_BUCKETS]; /* callbacks by duration: 8 buckets for each doubling of ns */
} ps_stats;

/* Any thread. Each of these returns at once. */

/* Starts the thread, which connects; NULL, with errno set, where it cannot be started. */
ps_stream *ps_stream_open(const ps_options *options);
/* The eventfd; read it to make it unreadable again. */
int ps_stream_signal(const ps_stream *stream);
ps_state ps_stream_state(const ps_stream *stream);
/* libpulse's number of the error that ended the stream, or PS_ERROR_RATE; 0 after ps_stream_stop. */
int ps_stream_error(const ps_stream *stream);
const char *ps_error_text(int error);
ps_failure ps_error_kind(int error);
/* Whether the stream was ready before it ended. */
bool ps_stream_was_ready(const ps_stream *stream);
const ps_info *ps_stream_info(const ps_stream *stream);
/* The name of the device it was made on; valid once the state has been PS_READY. NULL: no memory. */
const char *ps_stream_device_name(const ps_stream *stream);
/* The number of the device it is on now. */
uint32_t ps_stream_device(const ps_stream *stream);
ps_scheduling ps_stream_scheduling(const ps_stream *stream);
void ps_stream_stats(const ps_stream *stream, ps_stats *stats);
/* The events since the last call. */
uint32_t ps_stream_take_events(ps_stream *stream);
/* Playback: from now on `render` is called, and the stream plays. Once, when ready. */
void ps_stream_start(ps_stream *stream, ps_render render, void *context);
/* Playback: render is called no more; PS_DRAINED comes when all is played. */
void ps_stream_drain(ps_stream *stream);
/* Asks the thread to end the stream; PS_ENDED comes soon. */
void ps_stream_stop(ps_stream *stream);

/* One thread: the consumer. */

/* Reads a chunk of at most PS_CHUNK_FRAMES frames; false where there is none. */
bool ps_stream_read(ps_stream *stream, ps_chunk *chunk, float *samples);

/* Stops the stream and waits for its thread, some milliseconds; the figures can still be asked. */
void ps_stream_join(ps_stream *stream);

/* The last call: joins, if nobody has, and frees everything. */
void ps_stream_free(ps_stream *stream);

/* For tests, and in debug builds only: what is called on every audio thread before (true) and after
 * (false) each callback; NULL for nothing. */
typedef void (*ps_probe)(bool begins);
void ps_set_probe(ps_probe probe);

/* The upper end of a bucket of ps_stats, in nanoseconds. */
uint64_t ps_bucket_ns(unsigned bucket);

#endif
