/* Which nodes a card has, and what can be used now. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <spa/param/param.h>

#include "simulated-card.h"

bool sim_profile_has(const sim_card *card, uint32_t profile, const sim_mapping *mapping) {
    const sim_profile *parts = &card->kind->profiles[profile];

    return mapping == parts->output || mapping == parts->input;
}

bool sim_route_fits(const sim_route *route, const sim_device *device) {
    for (unsigned i = 0; i < SIM_MAX_PORTS && device->mapping->ports[i]; i++)
        if (device->mapping->ports[i] == route->port)
            return true;
    return false;
}

int sim_profile_find(const sim_card *card, const char *name) {
    char spelled[128];

    for (uint32_t i = 0; i < card->n_profiles; i++) {
        sim_card_spell(card, card->kind->profiles[i].name, spelled, sizeof(spelled));
        if (strcmp(spelled, name) == 0)
            return (int) i;
    }
    return -1;
}

/* ---- Availability ---- */

static bool usable(const sim_card *card, const sim_mapping *mapping) {
    if (!mapping || !mapping->ports[0])
        return true;
    for (uint32_t i = 0; i < card->n_routes; i++)
        for (unsigned port = 0; port < SIM_MAX_PORTS && mapping->ports[port]; port++)
            if (card->routes[i].port == mapping->ports[port]
                && card->routes[i].available != SPA_PARAM_AVAILABILITY_no)
                return true;
    return false;
}

uint32_t sim_profile_available(const sim_card *card, uint32_t profile) {
    const sim_profile *parts = &card->kind->profiles[profile];
    char spelled[128];

    sim_card_spell(card, parts->name, spelled, sizeof(spelled));
    if (card->hidden_profile && strcmp(card->hidden_profile, spelled) == 0)
        return SPA_PARAM_AVAILABILITY_no;
    if (!usable(card, parts->output) || !usable(card, parts->input))
        return SPA_PARAM_AVAILABILITY_no;
    return parts->output || parts->input
        ? SPA_PARAM_AVAILABILITY_unknown : SPA_PARAM_AVAILABILITY_yes;
}

uint32_t sim_profile_best(const sim_card *card) {
    uint32_t best = card->n_profiles;

    for (uint32_t i = 0; i < card->n_profiles; i++)
        if (sim_profile_available(card, i) != SPA_PARAM_AVAILABILITY_no
            && (best == card->n_profiles
                || card->kind->profiles[i].priority > card->kind->profiles[best].priority))
            best = i;
    return best;
}

void sim_route_set_available(sim_card *card, sim_route *route, uint32_t available) {
    if (route->available == available)
        return;
    route->available = available;
    card->profile_settled = false;
    for (uint32_t i = 0; i < card->n_devices; i++)
        if (sim_profile_has(card, card->profile, card->devices[i].mapping)
            && sim_route_fits(route, &card->devices[i]))
            sim_card_unsettle(card);
    sim_card_params_changed(card, SPA_PARAM_EnumRoute, SPA_PARAM_Route);
    sim_card_params_changed(card, SPA_PARAM_EnumProfile, SPA_ID_INVALID);
    sim_card_remind(card);
}

/* ---- Nodes ---- */

void sim_card_unsettle(sim_card *card) {
    for (uint32_t i = 0; i < card->n_devices; i++)
        card->devices[i].settled = !usable(card, card->devices[i].mapping);
}

static sim_route *best_route(sim_device *device) {
    sim_route *best = NULL;

    for (uint32_t i = 0; i < device->card->n_routes; i++) {
        sim_route *route = &device->card->routes[i];
        if (!sim_route_fits(route, device))
            continue;
        bool better = !best || route->port->priority > best->port->priority;
        bool was = best && best->available != SPA_PARAM_AVAILABILITY_no;
        bool is = route->available != SPA_PARAM_AVAILABILITY_no;
        if (!best || (is && !was) || (is == was && better))
            best = route;
    }
    return best;
}

static void remove_obsolete(sim_card *card) {
    for (uint32_t i = 0; i < card->n_devices; i++)
        if (!sim_profile_has(card, card->profile, card->devices[i].mapping))
            sim_node_destroy(&card->devices[i]);
}

void sim_card_update_nodes(sim_card *card) {
    remove_obsolete(card);
    for (uint32_t i = 0; i < card->n_devices; i++) {
        sim_device *device = &card->devices[i];
        if (device->node || !sim_profile_has(card, card->profile, device->mapping))
            continue;
        if (!device->active || device->active->available == SPA_PARAM_AVAILABILITY_no)
            device->active = best_route(device);
        sim_node_create(device);
    }
    sim_card_params_changed(card, SPA_PARAM_Route, SPA_ID_INVALID);
}

static void on_delay(void *data, uint64_t expirations) {
    sim_card *card = data;

    sim_card_update_nodes(card);
    /* Once: told again it would be asked for while it is being told. */
    if (card->codec_pending)
        sim_card_params_changed(card, SPA_PARAM_Props, SPA_PARAM_PropInfo);
    card->codec_pending = false;
    sim_card_remind(card);
}

static void update_nodes_later(sim_card *card, uint32_t milliseconds) {
    struct timespec delay = { milliseconds / 1000, milliseconds % 1000 * 1000000L };

    if (!card->timer)
        card->timer = pw_loop_add_timer(card->program->loop, on_delay, card);
    pw_loop_update_timer(card->program->loop, card->timer, &delay, NULL, false);
}

const sim_codec *sim_codecs(const sim_card *card, uint32_t *count) {
    *count = 0;
    return card->kind->bluetooth
        ? sim_codecs_of(card->kind->profiles[card->profile].name, count) : NULL;
}

int sim_codec_set(sim_card *card, uint32_t number) {
    uint32_t count;
    const sim_codec *codecs = sim_codecs(card, &count);

    for (uint32_t i = 0; i < count; i++) {
        if (codecs[i].number != number)
            continue;
        if (i == card->codec % count)
            return 0;
        card->codec = i;
        for (uint32_t device = 0; device < card->n_devices; device++)
            sim_node_destroy(&card->devices[device]);
        sim_card_unsettle(card);
        update_nodes_later(card, card->profile_delay ? card->profile_delay : 20);
        card->codec_pending = true;
        return 0;
    }
    return -EINVAL;
}

int sim_profile_set(sim_card *card, uint32_t profile, bool save) {
    char spelled[128];

    if (profile >= card->n_profiles)
        return -EINVAL;
    sim_card_spell(card, card->kind->profiles[profile].name, spelled, sizeof(spelled));
    if (card->failing_profile && strcmp(card->failing_profile, spelled) == 0) {
        free(card->failing_profile);
        card->failing_profile = NULL;
        return -EIO;
    }
    bool changed = profile != card->profile;
    card->profile_save = save;
    card->profile_settled = true;
    if (changed) {
        card->profile = profile;
        sim_card_unsettle(card);
        if (card->profile_delay) {
            remove_obsolete(card);
            update_nodes_later(card, card->profile_delay);
        } else {
            sim_card_update_nodes(card);
        }
    }
    sim_card_params_changed(card, SPA_PARAM_Profile, SPA_PARAM_Route);
    if (changed)
        sim_card_params_changed(card, SPA_PARAM_Props, SPA_PARAM_PropInfo);
    sim_card_remind(card);
    return 0;
}
