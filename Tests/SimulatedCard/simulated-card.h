/* A sound card without hardware for a real PulseAudio daemon: cards, profiles, ports, sinks and
 * sources behave as ALSA's and BlueZ's do, and messages play the user's hand. See README.md. */

#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <pulse/timeval.h>

#include <pulsecore/core.h>
#include <pulsecore/card.h>
#include <pulsecore/device-port.h>
#include <pulsecore/memchunk.h>
#include <pulsecore/module.h>
#include <pulsecore/rtpoll.h>
#include <pulsecore/sink.h>
#include <pulsecore/source.h>
#include <pulsecore/thread.h>
#include <pulsecore/thread-mq.h>

#include "card-kinds.h"

/* The daemon loads modules into one name space: only pa__init and its kin may be seen there. */
#pragma GCC visibility push(hidden)

#define SIM_MAX_RATES 8
#define SIM_MIN_LATENCY ((pa_usec_t) 500)
#define SIM_MAX_LATENCY (2 * PA_USEC_PER_SEC)

/* ---- A card ---- */

typedef struct sim_device sim_device;

typedef struct sim_card {
    pa_core *core;
    pa_module *module;
    pa_card *card;
    const sim_kind *kind;
    char *name; /* the end of the card's name, the middle of its devices' */
    char *message_path;
    char *codec_path; /* Bluetooth only */
    unsigned codec;   /* of those of the present profile */
    uint32_t rates[SIM_MAX_RATES];
    unsigned n_rates;
    bool tone;
    pa_usec_t fixed_latency; /* of every device, as without timer scheduling; 0: follows the streams */
    pa_usec_t min_latency;   /* the least that a device takes */
    pa_usec_t max_latency;   /* the most */
    pa_usec_t period;        /* a batch device moves by whole ones; 0: frame by frame */
    uint32_t volume_steps;   /* of hardware without a decibel scale; 0: any volume, in software */
    bool has_mixer;          /* the daemon takes a level over that the mixer of an input reports */

    sim_device *output; /* of the active profile, NULL: none */
    sim_device *input;

    char *failing_profile; /* the next change to this one fails */
    char *hidden_profile;  /* cannot be used yet, whatever its ports are */
    unsigned dead_sources; /* so many, the present one first, deliver nothing */
    unsigned dead_sinks;   /* so many take nothing */
    pa_usec_t profile_delay;
    pa_time_event *delayed; /* set while devices are still to appear */
} sim_card;

/* Makes the devices those of the profile; the core marks it active. */
int sim_card_set_profile(pa_card *card, pa_card_profile *profile);
/* The first profile's devices, once the card is put. */
void sim_card_create_devices(sim_card *card);
void sim_card_remove_devices(sim_card *card);
/* A profile is unavailable when one of its directions has ports and all are unplugged. */
void sim_card_update_profiles(sim_card *card);

void sim_card_register_messages(sim_card *card);
void sim_card_unregister_messages(sim_card *card);

/* ---- A device: a sink or a source, with its own thread ---- */

/* The device's clock counts frames from a base time, so that rounding never adds up. */
typedef struct sim_clock {
    pa_usec_t base;
    int64_t frames;
} sim_clock;

struct sim_device {
    sim_card *card;
    const sim_mapping *mapping;
    pa_sink *sink; /* either this */
    pa_source *source; /* or this */

    pa_thread *thread;
    pa_thread_mq mq;
    bool mq_ready;
    pa_rtpoll *rtpoll;

    /* Of the device's thread: */
    sim_clock clock;         /* the sink has rendered, the source delivered, up to here */
    pa_usec_t block;         /* the device's latency now */
    pa_usec_t stalled_until; /* it delivers or takes nothing before */

    pa_cvolume mixer_level;        /* of a source, if it has a mixer */
    pa_defer_event *mixer_event;   /* set while that is still to be reported */

    pa_memchunk wave; /* a source's sound: whole periods, played in a loop */
    size_t wave_index;
};

#define SIM_SOURCE_MESSAGE_STALL PA_SOURCE_MESSAGE_MAX
#define SIM_SINK_MESSAGE_STALL PA_SINK_MESSAGE_MAX
#define SIM_STALLED_FOR_EVER (365 * 24 * 3600 * PA_USEC_PER_SEC)

sim_device *sim_device_new(sim_card *card, const sim_mapping *mapping);
void sim_device_free(sim_device *device);

bool sim_sink_create(sim_device *device);
void sim_sink_thread(void *device);
bool sim_source_create(sim_device *device);
void sim_source_thread(void *device);

/* Shared by both (device.c). */
/* The latency that the device has whatever is asked; 0 where it follows its streams. */
pa_usec_t sim_device_fixed_latency(const sim_device *device);
bool sim_device_has_rate(const sim_device *device, uint32_t rate);
uint32_t sim_device_first_rate(const sim_device *device);
char *sim_device_name(const sim_device *device);
void sim_device_describe(const sim_device *device, pa_proplist *properties);
void sim_device_add_ports(const sim_device *device, pa_hashmap *ports);

/* The nearest volume that the hardware has. */
void sim_device_nearest_volume(const sim_device *device, pa_cvolume *volume);

void sim_clock_start(sim_clock *clock, pa_usec_t now);
pa_usec_t sim_clock_time(const sim_clock *clock, uint32_t rate);
int64_t sim_clock_frames_until(const sim_clock *clock, pa_usec_t now, uint32_t rate);

#pragma GCC visibility pop
