/* Cards: made from words, plugged in and pulled out. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "simulated-card.h"

void sim_card_spell(const sim_card *card, const char *name, char *text, size_t size) {
    snprintf(text, size, "%s", name);
    if (card->kind->bluetooth)
        for (char *c = text; *c; c++)
            if (*c == '_')
                *c = '-';
}

sim_card *sim_card_find(sim_program *program, const char *full_name) {
    sim_card *card;

    spa_list_for_each(card, &program->cards, link)
        if (strcmp(card->full_name, full_name) == 0)
            return card;
    return NULL;
}

static sim_route *route_of(sim_card *card, const sim_port *port) {
    for (uint32_t i = 0; i < card->n_routes; i++)
        if (card->routes[i].port == port)
            return &card->routes[i];
    return NULL;
}

static void add_mapping(sim_card *card, const sim_mapping *mapping) {
    sim_device *device;

    if (!mapping)
        return;
    for (uint32_t i = 0; i < card->n_devices; i++)
        if (card->devices[i].mapping == mapping)
            return;
    for (unsigned i = 0; i < SIM_MAX_PORTS && mapping->ports[i]; i++)
        if (!route_of(card, mapping->ports[i]))
            card->routes[card->n_routes++].port = mapping->ports[i];
    device = &card->devices[card->n_devices++];
    device->card = card;
    device->mapping = mapping;
    device->node_id = SPA_ID_INVALID;
}

/* The word's value, to be freed; NULL: it is not there. */
static char *value(const char *words, const char *key) {
    size_t length = strlen(key);

    for (const char *at = words; at && *at; at = strchr(at, ' ')) {
        at += strspn(at, " ");
        if (strncmp(at, key, length) == 0 && at[length] == '=')
            return strndup(at + length + 1, strcspn(at + length + 1, " "));
    }
    return NULL;
}

static uint32_t volume_steps(const char *words) {
    char *word = value(words, "volume_steps");
    int count = word ? atoi(word) : 0;

    free(word);
    return count > 1 ? (uint32_t) count : 0;
}

/* The longest buffer of the devices, from milliseconds, as a node has it; NULL: as long as any. */
static char *max_latency(const char *words) {
    char *word = value(words, "max_latency"), text[64];
    double milliseconds = word ? atof(word) : 0;

    free(word);
    if (milliseconds <= 0)
        return NULL;
    snprintf(text, sizeof(text), "%u/48000", (unsigned) (milliseconds * 48));
    return strdup(text);
}

static char *full_name(sim_card *card) {
    const char *prefix = card->kind->bluetooth ? "bluez_card" : "alsa_card";
    char text[256];

    snprintf(text, sizeof(text), "%s.%s", prefix, card->name);
    for (int number = 2; sim_card_find(card->program, text); number++)
        snprintf(text, sizeof(text), "%s.%s.%d", prefix, card->name, number);
    /* The devices of a second card of a name are told apart by the same number. */
    free(card->name);
    card->name = strdup(text + strlen(prefix) + 1);
    return strdup(text);
}

sim_card *sim_card_new(sim_program *program, const char *words, const char **error) {
    char *kind = value(words, "kind"), *channels = value(words, "channels");
    char *tone = value(words, "tone");
    const sim_kind *found =
        sim_kind_find(kind ? kind : "laptop", channels ? (unsigned) atoi(channels) : 2);
    sim_card *card;

    free(kind);
    free(channels);
    if (!found) {
        *error = "there is no such kind, or not with so many channels";
        free(tone);
        return NULL;
    }
    card = calloc(1, sizeof(*card));
    card->program = program;
    card->kind = found;
    card->tone = !tone || strcmp(tone, "no") != 0;
    free(tone);
    card->name = value(words, "name");
    if (!card->name)
        card->name = strdup(found->default_name);
    card->full_name = full_name(card);
    card->first_profile = value(words, "profile");
    card->serial = value(words, "serial");
    card->factory = value(words, "node");
    if (!card->factory)
        card->factory = strdup("support.null-audio-sink");
    card->rate = value(words, "rate");
    card->volume_steps = volume_steps(words);
    card->max_latency = max_latency(words);
    for (const sim_profile *profile = found->profiles; profile->name; profile++) {
        add_mapping(card, profile->output);
        add_mapping(card, profile->input);
        card->n_profiles++;
    }
    spa_list_append(&program->cards, &card->link);
    return card;
}

/* ---- In and out ---- */

/* The server has numbered the device: its nodes can say whose they are. */
static void on_bound(void *data, uint32_t id) {
    sim_card *card = data, *other;
    bool complete = true;

    card->id = id;
    sim_card_update_nodes(card);
    spa_list_for_each(other, &card->program->cards, link)
        complete = complete && (!other->proxy || other->id != SPA_ID_INVALID);
    if (complete && !sim_control_open(card->program))
        pw_main_loop_quit(card->program->main_loop);
}

static const struct pw_proxy_events proxy_events = {
    PW_VERSION_PROXY_EVENTS, .bound = on_bound };

void sim_card_insert(sim_card *card) {
    if (card->proxy)
        return;
    for (uint32_t i = 0; i < card->n_routes; i++) {
        sim_route *route = &card->routes[i];
        *route = (sim_route) { .port = route->port, .available = route->port->available };
        for (uint32_t channel = 0; channel < SIM_MAX_CHANNELS; channel++)
            route->volumes[channel] = 1;
    }
    for (uint32_t i = 0; i < card->n_devices; i++) {
        card->devices[i].active = NULL;
        card->devices[i].settled = false;
    }
    card->id = SPA_ID_INVALID;
    card->profile_delay = 0;
    card->codec = 0;
    card->profile_settled = false;
    card->changed = sim_now();
    card->profile = sim_profile_best(card);
    if (card->first_profile && sim_profile_find(card, card->first_profile) >= 0)
        card->profile = (uint32_t) sim_profile_find(card, card->first_profile);
    sim_card_init_device(card);
    card->proxy = pw_core_export(
        card->program->core, SPA_TYPE_INTERFACE_Device, card->info.props, &card->device, 0);
    if (card->proxy)
        pw_proxy_add_listener(card->proxy, &card->proxy_listener, &proxy_events, card);
}

void sim_card_remove(sim_card *card) {
    if (!card->proxy)
        return;
    for (uint32_t i = 0; i < card->n_devices; i++)
        sim_node_destroy(&card->devices[i]);
    if (card->timer)
        pw_loop_destroy_source(card->program->loop, card->timer);
    card->timer = NULL;
    spa_hook_remove(&card->proxy_listener);
    pw_proxy_destroy(card->proxy);
    card->proxy = NULL;
    pw_properties_free(card->properties);
    card->properties = NULL;
}
