/* Profiles: which devices a card has, and whether a profile can be used now. */

#include <string.h>

#include <pulse/rtclock.h>
#include <pulse/xmalloc.h>
#include <pulsecore/core-util.h>
#include <pulsecore/log.h>
#include <pulsecore/sink-input.h>
#include <pulsecore/source-output.h>

#include "simulated-card.h"

static const sim_profile *profile_of(pa_card_profile *profile) {
    return *(const sim_profile **) PA_CARD_PROFILE_DATA(profile);
}

/* ---- Devices ---- */

static bool create_missing(sim_card *card, const sim_profile *profile) {
    if (profile->output && !card->output)
        card->output = sim_device_new(card, profile->output);
    if (profile->input && !card->input)
        card->input = sim_device_new(card, profile->input);
    return !profile->output == !card->output && !profile->input == !card->input;
}

void sim_card_create_devices(sim_card *card) {
    create_missing(card, profile_of(card->card->active_profile));
}

static void cancel_delay(sim_card *card) {
    if (card->delayed)
        card->core->mainloop->time_free(card->delayed);
    card->delayed = NULL;
}

void sim_card_remove_devices(sim_card *card) {
    cancel_delay(card);
    if (card->output)
        sim_device_free(card->output);
    if (card->input)
        sim_device_free(card->input);
    card->output = card->input = NULL;
}

/* By now the core has made the profile active. */
static void delay_over(
    pa_mainloop_api *api, pa_time_event *event, const struct timeval *time, void *userdata) {
    sim_card *card = userdata;

    cancel_delay(card);
    sim_card_create_devices(card);
}

/* Takes the streams off the devices that go, so that they can follow to those that come: the
 * core would otherwise send them to the default device. A device of both profiles stays. */
static void remove_obsolete(
    sim_card *card, const sim_profile *next, pa_queue **inputs, pa_queue **outputs) {
    if (card->output && card->output->mapping != next->output) {
        *inputs = pa_sink_move_all_start(card->output->sink, NULL);
        sim_device_free(card->output);
        card->output = NULL;
    }
    if (card->input && card->input->mapping != next->input) {
        *outputs = pa_source_move_all_start(card->input->source, NULL);
        sim_device_free(card->input);
        card->input = NULL;
    }
}

/* Streams that the card has no device for go to the default device, if they may. Where there is no
 * default device the core must not be asked: PulseAudio 16.1 aborts then. */
static void rescue_inputs(pa_core *core, pa_queue *inputs) {
    pa_sink_input *input;

    while ((input = pa_queue_pop(inputs))) {
        if (PA_SINK_INPUT_IS_LINKED(input->state)) {
            if (core->default_sink)
                pa_sink_input_fail_move(input);
            else
                pa_sink_input_kill(input);
        }
        pa_sink_input_unref(input);
    }
    pa_queue_free(inputs, NULL);
}

static void rescue_outputs(pa_core *core, pa_queue *outputs) {
    pa_source_output *output;

    while ((output = pa_queue_pop(outputs))) {
        if (PA_SOURCE_OUTPUT_IS_LINKED(output->state)) {
            if (core->default_source)
                pa_source_output_fail_move(output);
            else
                pa_source_output_kill(output);
        }
        pa_source_output_unref(output);
    }
    pa_queue_free(outputs, NULL);
}

static void settle_streams(sim_card *card, pa_queue *inputs, pa_queue *outputs) {
    if (inputs && card->output)
        pa_sink_move_all_finish(card->output->sink, inputs, false);
    else if (inputs)
        rescue_inputs(card->core, inputs);

    if (outputs && card->input)
        pa_source_move_all_finish(card->input->source, outputs, false);
    else if (outputs)
        rescue_outputs(card->core, outputs);
}

int sim_card_set_profile(pa_card *pulse_card, pa_card_profile *profile) {
    sim_card *card = pulse_card->userdata;
    const sim_profile *next = profile_of(profile);
    pa_queue *inputs = NULL, *outputs = NULL;
    bool complete = true;

    if (card->failing_profile && strcmp(card->failing_profile, next->name) == 0) {
        pa_xfree(card->failing_profile);
        card->failing_profile = NULL;
        return -PA_ERR_IO;
    }

    cancel_delay(card);
    remove_obsolete(card, next, &inputs, &outputs);
    if (card->profile_delay)
        card->delayed = pa_core_rttime_new(
            card->core, pa_rtclock_now() + card->profile_delay, delay_over, card);
    else
        complete = create_missing(card, next);
    settle_streams(card, inputs, outputs);
    return complete ? 0 : -PA_ERR_IO;
}

/* ---- Availability ---- */

static bool usable(sim_card *card, const sim_mapping *mapping) {
    if (!mapping || !mapping->ports[0])
        return true;
    for (unsigned i = 0; i < SIM_MAX_PORTS && mapping->ports[i]; i++) {
        pa_device_port *port = pa_hashmap_get(card->card->ports, mapping->ports[i]->name);
        if (port->available != PA_AVAILABLE_NO)
            return true;
    }
    return false;
}

static void update(sim_card *card, pa_card_profile *profile) {
    const sim_profile *parts = profile_of(profile);
    bool is_hidden = card->hidden_profile && strcmp(card->hidden_profile, parts->name) == 0;
    pa_available_t available =
        usable(card, parts->output) && usable(card, parts->input) && !is_hidden
        ? PA_AVAILABLE_UNKNOWN : PA_AVAILABLE_NO;

    if (card->card->linked)
        pa_card_profile_set_available(profile, available);
    else
        profile->available = available; /* no events for a card that nobody can see yet */
}

void sim_card_update_profiles(sim_card *card) {
    pa_card_profile *profile, *active = card->card->active_profile;
    void *state;

    PA_HASHMAP_FOREACH(profile, card->card->profiles, state)
        if (profile != active)
            update(card, profile);
    /* The active one last: when it goes, policy modules choose among the others. */
    if (active)
        update(card, card->card->active_profile);
}
