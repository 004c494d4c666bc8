/* What a microphone hears: in channel n a sine of 440 × (n + 1) Hz, as long as somebody listens. A
 * node of this program makes it, and passive links, which keep nothing running, carry it. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "simulated-card.h"

#define AMPLITUDE 0.25f

typedef struct sim_sound sim_sound;

typedef struct sim_link {
    sim_sound *sound;
    struct pw_proxy *proxy; /* NULL: not connected */
    struct spa_hook listener;
    uint32_t from, to; /* the ports that it connects, or last did */
    bool failed;       /* these two cannot be connected */
} sim_link;

struct sim_sound {
    sim_device *device;
    struct pw_filter *filter;
    struct spa_hook listener;
    void *ports[SIM_MAX_CHANNELS];
    sim_link links[SIM_MAX_CHANNELS];
};

/* A port of some node, as the server lists it. */
typedef struct seen_port {
    struct spa_list link;
    uint32_t id, node, number;
    bool is_input;
} seen_port;

/* On the data thread: nothing here allocates or waits. */
static void on_process(void *data, struct spa_io_position *position) {
    sim_sound *sound = data;
    uint32_t frames = (uint32_t) position->clock.duration;
    double rate = position->clock.rate.denom;

    for (unsigned channel = 0; channel < sound->device->mapping->map.channels; channel++) {
        float *samples = pw_filter_get_dsp_buffer(sound->ports[channel], frames);
        double step = 2 * M_PI * 440 * (channel + 1) / rate;
        if (!samples)
            continue;
        for (uint32_t i = 0; i < frames; i++)
            samples[i] = AMPLITUDE
                * (float) sin(fmod(step * (double) (position->clock.position + i), 2 * M_PI));
    }
}

static const struct pw_filter_events filter_events = {
    PW_VERSION_FILTER_EVENTS, .process = on_process };

sim_sound *sim_sound_new(sim_device *device) {
    sim_sound *sound = calloc(1, sizeof(*sound));
    char name[64];

    sound->device = device;
    sound->filter = pw_filter_new(
        device->card->program->core, "simulated-sound",
        pw_properties_new(PW_KEY_NODE_PASSIVE, "true", NULL));
    pw_filter_add_listener(sound->filter, &sound->listener, &filter_events, sound);
    for (unsigned channel = 0; channel < device->mapping->map.channels; channel++) {
        snprintf(name, sizeof(name), "output_%u", channel);
        sound->ports[channel] = pw_filter_add_port(
            sound->filter, PW_DIRECTION_OUTPUT, PW_FILTER_PORT_FLAG_MAP_BUFFERS, 0,
            pw_properties_new(
                PW_KEY_FORMAT_DSP, "32 bit float mono audio", PW_KEY_PORT_NAME, name, NULL),
            NULL, 0);
    }
    pw_filter_connect(sound->filter, PW_FILTER_FLAG_RT_PROCESS, NULL, 0);
    return sound;
}

void sim_sound_free(sim_sound *sound) {
    for (unsigned channel = 0; channel < SIM_MAX_CHANNELS; channel++)
        if (sound->links[channel].proxy)
            pw_proxy_destroy(sound->links[channel].proxy);
    pw_filter_destroy(sound->filter);
    free(sound);
}

/* ---- Links ---- */

static uint32_t port_of(sim_program *program, uint32_t node, bool is_input, uint32_t number) {
    seen_port *port;

    spa_list_for_each(port, &program->ports, link)
        if (port->node == node && port->is_input == is_input && port->number == number)
            return port->id;
    return SPA_ID_INVALID;
}

static void connect_all(sim_program *program);

/* The server took it away: it makes a node's ports anew when it configures the node. */
static void on_link_removed(void *data) {
    sim_link *link = data;
    sim_program *program = link->sound->device->card->program;

    pw_proxy_destroy(link->proxy);
    connect_all(program);
}

/* A port went meanwhile; the one that took its place may have come before this. */
static void on_link_error(void *data, int seq, int result, const char *message) {
    sim_link *link = data;
    sim_program *program = link->sound->device->card->program;

    link->failed = true;
    pw_proxy_destroy(link->proxy);
    connect_all(program);
}

static void on_link_destroy(void *data) {
    sim_link *link = data;

    spa_hook_remove(&link->listener);
    link->proxy = NULL;
}

static const struct pw_proxy_events link_events = {
    PW_VERSION_PROXY_EVENTS, .removed = on_link_removed, .error = on_link_error,
    .destroy = on_link_destroy };

static struct pw_proxy *connect_ports(
    sim_program *program, uint32_t from_node, uint32_t from, uint32_t to_node, uint32_t to) {
    struct pw_properties *properties = pw_properties_new(PW_KEY_LINK_PASSIVE, "true", NULL);
    struct pw_proxy *link;

    pw_properties_setf(properties, PW_KEY_LINK_OUTPUT_NODE, "%u", from_node);
    pw_properties_setf(properties, PW_KEY_LINK_OUTPUT_PORT, "%u", from);
    pw_properties_setf(properties, PW_KEY_LINK_INPUT_NODE, "%u", to_node);
    pw_properties_setf(properties, PW_KEY_LINK_INPUT_PORT, "%u", to);
    link = pw_core_create_object(
        program->core, "link-factory", PW_TYPE_INTERFACE_Link, PW_VERSION_LINK,
        &properties->dict, 0);
    pw_properties_free(properties);
    return link;
}

static void connect_sound(sim_program *program, sim_sound *sound) {
    uint32_t node = pw_filter_get_node_id(sound->filter);

    for (unsigned channel = 0; channel < sound->device->mapping->map.channels; channel++) {
        uint32_t from = port_of(program, node, false, channel);
        uint32_t to = port_of(program, sound->device->node_id, true, channel);
        sim_link *link = &sound->links[channel];
        if (link->proxy || from == SPA_ID_INVALID || to == SPA_ID_INVALID
            || (link->failed && link->from == from && link->to == to))
            continue;
        link->sound = sound;
        link->from = from;
        link->to = to;
        link->failed = false;
        link->proxy = connect_ports(program, node, from, sound->device->node_id, to);
        if (link->proxy)
            pw_proxy_add_listener(link->proxy, &link->listener, &link_events, link);
    }
}

static void connect_all(sim_program *program) {
    sim_card *card;

    spa_list_for_each(card, &program->cards, link)
        for (uint32_t i = 0; i < card->n_devices; i++)
            if (card->devices[i].sound)
                connect_sound(program, card->devices[i].sound);
}

static void on_global(
    void *data, uint32_t id, uint32_t permissions, const char *type, uint32_t version,
    const struct spa_dict *properties) {
    sim_program *program = data;
    const char *node, *number, *direction;

    if (strcmp(type, PW_TYPE_INTERFACE_Port) != 0 || !properties
        || !(node = spa_dict_lookup(properties, PW_KEY_NODE_ID))
        || !(number = spa_dict_lookup(properties, PW_KEY_PORT_ID))
        || !(direction = spa_dict_lookup(properties, PW_KEY_PORT_DIRECTION)))
        return;
    seen_port *port = calloc(1, sizeof(*port));
    port->id = id;
    port->node = (uint32_t) atoi(node);
    port->number = (uint32_t) atoi(number);
    port->is_input = strcmp(direction, "in") == 0;
    spa_list_append(&program->ports, &port->link);
    connect_all(program);
}

static void on_global_remove(void *data, uint32_t id) {
    sim_program *program = data;
    seen_port *port, *next;

    spa_list_for_each_safe(port, next, &program->ports, link)
        if (port->id == id) {
            spa_list_remove(&port->link);
            free(port);
        }
}

static const struct pw_registry_events registry_events = {
    PW_VERSION_REGISTRY_EVENTS, .global = on_global, .global_remove = on_global_remove };

void sim_sound_watch(sim_program *program) {
    program->registry = pw_core_get_registry(program->core, PW_VERSION_REGISTRY, 0);
    pw_registry_add_listener(
        program->registry, &program->registry_listener, &registry_events, program);
}
