/* What a kind of card is made of: constant tables (card-kinds.c), for both servers' cards. */

#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <pulse/channelmap.h>
#include <pulse/def.h>
#include <pulse/sample.h>
#include <pulse/timeval.h>

#pragma GCC visibility push(hidden)

#define SIM_MAX_PORTS 4

/* The numbers are those of both servers, whose names for them differ. */
typedef enum sim_available { SIM_AVAILABLE_UNKNOWN, SIM_AVAILABLE_NO, SIM_AVAILABLE_YES } sim_available;

typedef struct sim_port {
    const char *name;
    const char *description;
    pa_direction_t direction;
    pa_device_port_type_t type;
    sim_available available; /* when the card appears */
    unsigned priority;
} sim_port;

/* One possible sink or source of a card. Profiles that share a mapping share its device. */
typedef struct sim_mapping {
    const char *name;
    const char *description;
    pa_direction_t direction;
    pa_channel_map map;
    uint32_t fixed_rate;      /* 0: the rates= of the module */
    pa_usec_t fixed_latency;  /* 0: follows what the streams ask for */
    const sim_port *ports[SIM_MAX_PORTS];
} sim_mapping;

typedef struct sim_profile {
    const char *name;
    const char *description;
    unsigned priority;
    const sim_mapping *output; /* NULL: none */
    const sim_mapping *input;
    const char *output_name; /* what policy modules compare to keep the other direction */
    const char *input_name;
} sim_profile;

/* A codec of a Bluetooth link. PulseAudio's name for it and the words for people; PipeWire's number. */
typedef struct sim_codec {
    const char *name;
    const char *description;
    uint32_t number;
} sim_codec;

typedef struct sim_property {
    const char *key;
    const char *value;
} sim_property;

typedef struct sim_kind {
    const char *name;
    unsigned channels; /* of the capture device, where the kind can be had with several; or 0 */
    const char *default_name;
    bool bluetooth;
    const sim_property *properties;
    const sim_profile *profiles; /* ends with a NULL name */
} sim_kind;

const sim_kind *sim_kind_find(const char *name, unsigned channels);

/* The codecs that a Bluetooth card offers on one of its profiles. */
const sim_codec *sim_codecs_of(const char *profile, uint32_t *count);

#pragma GCC visibility pop
