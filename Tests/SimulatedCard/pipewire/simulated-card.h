/* Sound cards without hardware for a real PipeWire: a client that exports devices with profiles and
 * routes, and has the server make their nodes. Lines on a socket play the user's hand. */

#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <pipewire/filter.h>
#include <pipewire/pipewire.h>
#include <spa/monitor/device.h>
#include <spa/pod/builder.h>

#include "../card-kinds.h"

#define SIM_MAX_DEVICES 8
#define SIM_MAX_ROUTES 8
#define SIM_MAX_PROFILES 8
#define SIM_MAX_CHANNELS 4
#define SIM_N_PARAMS 6

typedef struct sim_card sim_card;

/* ---- The program: one connection for all cards ---- */

typedef struct sim_program {
    struct pw_main_loop *main_loop;
    struct pw_loop *loop;
    struct pw_context *context;
    struct pw_core *core;
    struct spa_hook core_listener;
    struct pw_registry *registry;
    struct spa_hook registry_listener;
    struct spa_list cards;
    struct spa_list ports; /* of all nodes, to link a microphone's sound */
    const char *socket_path;
    int socket;
    bool listening;
} sim_program;

/* Opens the socket; its being there means that all cards are. */
bool sim_control_open(sim_program *program);

/* ---- A card ---- */

/* The name of a route is its port's, unique in a card. */
typedef struct sim_route {
    const sim_port *port;
    uint32_t available; /* enum spa_param_availability */
    float volumes[SIM_MAX_CHANNELS];
    uint32_t n_volumes;
    bool mute;
    int64_t latency_offset;
    bool save;
} sim_route;

/* A sink or source that some profile has. Its place in the card's table is its number. */
typedef struct sim_device {
    sim_card *card;
    const sim_mapping *mapping;
    sim_route *active;
    bool settled; /* the session manager has chosen a route since it last had to */
    struct pw_proxy *node; /* NULL while the profile does not have it */
    struct spa_hook node_listener;
    uint32_t node_id;
    struct sim_sound *sound; /* what a microphone records; NULL: silence */
    unsigned dead; /* so many nodes of it, the present one first, deliver or take nothing */
} sim_device;

struct sim_card {
    struct spa_list link; /* sim_program.cards */
    sim_program *program;
    const sim_kind *kind;
    char *name;  /* the end of the card's name, the middle of its devices' */
    char *full_name;
    char *first_profile; /* NULL: the best available one */
    char *serial;
    char *factory; /* of its nodes, in the server */
    char *rate;    /* the one that its devices have; NULL: the graph's */
    char *max_latency; /* of its devices, as a fraction of a second; NULL: any */
    uint32_t volume_steps; /* of hardware without a decibel scale; 0: any volume */
    bool tone;

    /* While it is plugged in: */
    struct spa_device device;
    struct spa_hook_list hooks;
    struct spa_device_info info;
    struct pw_properties *properties;
    struct spa_param_info params[SIM_N_PARAMS];
    struct pw_proxy *proxy;
    struct spa_hook proxy_listener;
    uint32_t id; /* SPA_ID_INVALID until the server has numbered it */
    uint32_t profile;
    uint32_t codec; /* of those of the present profile; Bluetooth only */
    bool codec_pending; /* it is told once the nodes are there */
    bool profile_save;
    bool profile_settled; /* likewise, a profile */
    uint64_t changed; /* when something was set or plugged last, in ns */

    sim_device devices[SIM_MAX_DEVICES];
    uint32_t n_devices;
    sim_route routes[SIM_MAX_ROUTES];
    uint32_t n_routes;
    uint32_t n_profiles;

    char *failing_profile; /* the next change to this one fails */
    char *hidden_profile;  /* cannot be used yet, whatever its ports are */
    uint32_t profile_delay; /* ms */
    struct spa_source *timer;
    struct spa_source *reminder; /* tells of changes again */
    unsigned reminders;
};

/* Makes a card from words such as "kind=laptop"; an error is a message for people. */
sim_card *sim_card_new(sim_program *program, const char *words, const char **error);
/* Plugs the card in, or pulls it out. */
void sim_card_insert(sim_card *card);
void sim_card_remove(sim_card *card);
sim_card *sim_card_find(sim_program *program, const char *full_name);
/* Bluetooth's names have dashes here, as BlueZ's profiles have in PipeWire. */
void sim_card_spell(const sim_card *card, const char *name, char *text, size_t size);

/* ---- Profiles and routes (card-profile.c) ---- */

bool sim_profile_has(const sim_card *card, uint32_t profile, const sim_mapping *mapping);
uint32_t sim_profile_available(const sim_card *card, uint32_t profile);
uint32_t sim_profile_best(const sim_card *card);
int sim_profile_set(sim_card *card, uint32_t profile, bool save);
/* Sets the link up anew with a codec of PipeWire's number: the nodes go, and come a while later. */
int sim_codec_set(sim_card *card, uint32_t number);
/* Those that the present profile offers. */
const sim_codec *sim_codecs(const sim_card *card, uint32_t *count);
int sim_profile_find(const sim_card *card, const char *name);
bool sim_route_fits(const sim_route *route, const sim_device *device);
void sim_route_set_available(sim_card *card, sim_route *route, uint32_t available);
/* Lets the nodes be those of the active profile. */
void sim_card_update_nodes(sim_card *card);
/* The session manager is to choose routes again: it does when the profile or a port changes. (0.5
 * sets only what it would have otherwise, so that silence has to do.) */
void sim_card_unsettle(sim_card *card);

/* ---- The device as its clients see it (card-params.c) ---- */

void sim_card_init_device(sim_card *card);
uint64_t sim_now(void); /* ns */
/* Tells that the parameters of these kinds are others now. */
void sim_card_params_changed(sim_card *card, uint32_t first, uint32_t second);
/* Tells of all of them again a while later, twice: where two clients ask at once for what has changed,
 * PipeWire 0.3.65 may answer one of them with what was before, for good. */
void sim_card_remind(sim_card *card);

/* ---- Nodes (card-nodes.c) ---- */

void sim_node_create(sim_device *device);
void sim_node_destroy(sim_device *device);
void sim_node_name(const sim_device *device, char *text, size_t size);
/* The file that lets the server's node of a device deliver nothing, from its next start on. */
void sim_node_stall_file(const sim_device *device, char *path, size_t size);
/* Gives the node the volume of the active route. */
void sim_node_update_volume(sim_device *device);

/* ---- A microphone's sound (sound.c) ---- */

struct sim_sound *sim_sound_new(sim_device *device);
void sim_sound_free(struct sim_sound *sound);
void sim_sound_watch(sim_program *program);
