/* Messages to /card/NAME/sim: what the user's hands, other users and faults do to a card.
 *
 * Parameters are JSON; the daemon turns a bare word into a JSON string by itself. */

#include <string.h>

#include <pulse/rtclock.h>
#include <pulse/xmalloc.h>
#include <pulsecore/core-util.h>
#include <pulsecore/message-handler.h>
#include <pulsecore/strbuf.h>

#include "simulated-card.h"

/* ---- Parameters ---- */

static const char *text_of(const pa_json_object *value) {
    if (!value || pa_json_object_get_type(value) != PA_JSON_TYPE_STRING)
        return NULL;
    return pa_json_object_get_string(value);
}

static int number_of(const pa_json_object *value, int64_t least, int64_t most, int64_t *number) {
    uint32_t parsed;

    if (!value)
        return -PA_ERR_INVALID;
    if (text_of(value)) {
        if (pa_atou(text_of(value), &parsed) < 0)
            return -PA_ERR_INVALID;
        *number = parsed;
    } else if (pa_json_object_get_type(value) == PA_JSON_TYPE_INT) {
        *number = pa_json_object_get_int(value);
    } else {
        return -PA_ERR_INVALID;
    }
    return *number >= least && *number <= most ? 0 : -PA_ERR_INVALID;
}

static int yes_or_no_of(const pa_json_object *value) {
    if (value && pa_json_object_get_type(value) == PA_JSON_TYPE_BOOL)
        return pa_json_object_get_bool(value);
    return text_of(value) ? pa_parse_boolean(text_of(value)) : -1;
}

/* ---- What the messages do ---- */

static int set_available(sim_card *card, const pa_json_object *value, pa_available_t available) {
    pa_device_port *port;

    if (!text_of(value))
        return -PA_ERR_INVALID;
    if (!(port = pa_hashmap_get(card->card->ports, text_of(value))))
        return -PA_ERR_NOENTITY;
    /* The port before the profiles, as a jack does it. */
    pa_device_port_set_available(port, available);
    sim_card_update_profiles(card);
    return 0;
}

static int plug(sim_card *card, const pa_json_object *value) {
    return set_available(card, value, PA_AVAILABLE_YES);
}

static int unplug(sim_card *card, const pa_json_object *value) {
    return set_available(card, value, PA_AVAILABLE_NO);
}

static int forget(sim_card *card, const pa_json_object *value) {
    return set_available(card, value, PA_AVAILABLE_UNKNOWN);
}

static int session_suspend(sim_card *card, const pa_json_object *value) {
    int suspend = yes_or_no_of(value);

    if (suspend < 0)
        return -PA_ERR_INVALID;
    /* Its result is worthless: it tries the monitors too, which follow their sinks and refuse. */
    pa_card_suspend(card->card, suspend, PA_SUSPEND_SESSION);
    return 0;
}

static int note_profile(sim_card *card, const pa_json_object *value, char **noted) {
    const char *name = text_of(value);

    if (!name)
        return -PA_ERR_INVALID;
    if (strcmp(name, "none") == 0)
        name = NULL;
    else if (!pa_hashmap_get(card->card->profiles, name))
        return -PA_ERR_NOENTITY;
    pa_xfree(*noted);
    *noted = pa_xstrdup(name);
    return 0;
}

static int fail_profile(sim_card *card, const pa_json_object *value) {
    return note_profile(card, value, &card->failing_profile);
}

/* As the call side of a headset, which connects a while after its music side. */
static int hide_profile(sim_card *card, const pa_json_object *value) {
    int result = note_profile(card, value, &card->hidden_profile);

    if (result == 0)
        sim_card_update_profiles(card);
    return result;
}

static int profile_delay(sim_card *card, const pa_json_object *value) {
    int64_t milliseconds;
    int result = number_of(value, 0, 60000, &milliseconds);

    if (result == 0)
        card->profile_delay = (pa_usec_t) milliseconds * PA_USEC_PER_MSEC;
    return result;
}

static int stall(sim_card *card, const pa_json_object *value) {
    int64_t milliseconds;
    int result = number_of(value, 0, 60000, &milliseconds);

    if (result < 0)
        return result;
    if (!card->input)
        return -PA_ERR_NOENTITY;
    pa_asyncmsgq_send(card->input->mq.inq, PA_MSGOBJECT(card->input->source),
                      SIM_SOURCE_MESSAGE_STALL, NULL,
                      milliseconds * (int64_t) PA_USEC_PER_MSEC, NULL);
    return 0;
}

/* Notes how many devices are dead, the present one first. */
static int note_dead(const sim_device *device, const pa_json_object *value, unsigned *dead) {
    int64_t count;
    int result = number_of(value, 1, 100, &count);

    if (result < 0)
        return result;
    if (!device)
        return -PA_ERR_NOENTITY;
    *dead = (unsigned) count;
    return 0;
}

/* As some hardware after sleep: only another profile, and back, makes it work again. */
static int die(sim_card *card, const pa_json_object *value) {
    int result = note_dead(card->input, value, &card->dead_sources);

    if (result == 0)
        pa_asyncmsgq_send(card->input->mq.inq, PA_MSGOBJECT(card->input->source),
                          SIM_SOURCE_MESSAGE_STALL, NULL, (int64_t) SIM_STALLED_FOR_EVER, NULL);
    return result;
}

static int die_output(sim_card *card, const pa_json_object *value) {
    int result = note_dead(card->output, value, &card->dead_sinks);

    if (result == 0)
        pa_asyncmsgq_send(card->output->mq.inq, PA_MSGOBJECT(card->output->sink),
                          SIM_SINK_MESSAGE_STALL, NULL, (int64_t) SIM_STALLED_FOR_EVER, NULL);
    return result;
}

static bool has_rate(const sim_device *device, uint32_t rate) {
    return !device || sim_device_has_rate(device, rate);
}

/* The core refuses while a stream runs, exactly as it refuses another client. */
static int set_rate(sim_card *card, const pa_json_object *value) {
    int64_t rate;
    int result = number_of(value, 1, PA_RATE_MAX, &rate);
    pa_sample_spec spec;
    bool done = true;

    if (result < 0)
        return result;
    if (!has_rate(card->output, (uint32_t) rate) || !has_rate(card->input, (uint32_t) rate))
        return -PA_ERR_NOTSUPPORTED;
    if (card->output) {
        spec = card->output->sink->sample_spec;
        spec.rate = (uint32_t) rate;
        pa_sink_reconfigure(card->output->sink, &spec, false);
        done = done && card->output->sink->sample_spec.rate == spec.rate;
    }
    if (card->input) {
        spec = card->input->source->sample_spec;
        spec.rate = (uint32_t) rate;
        pa_source_reconfigure(card->input->source, &spec, false);
        done = done && card->input->source->sample_spec.rate == spec.rate;
    }
    return done ? 0 : -PA_ERR_BUSY;
}

static int remove_card(sim_card *card, const pa_json_object *value) {
    pa_module_unload_request(card->module, true); /* after the reply */
    return 0;
}

/* ---- The handler ---- */

static const struct {
    const char *name;
    int (*act)(sim_card *card, const pa_json_object *value);
} messages[] = {
    { "plug", plug },
    { "unplug", unplug },
    { "unknown", forget },
    { "session-suspend", session_suspend },
    { "fail-profile", fail_profile },
    { "hide-profile", hide_profile },
    { "profile-delay", profile_delay },
    { "stall", stall },
    { "die", die },
    { "die-output", die_output },
    { "rate", set_rate },
    { "remove", remove_card },
};

static int handle(const char *path, const char *message, const pa_json_object *parameters,
                  char **response, void *userdata) {
    for (size_t i = 0; i < PA_ELEMENTSOF(messages); i++)
        if (strcmp(messages[i].name, message) == 0) {
            int result = messages[i].act(userdata, parameters);
            if (result == 0)
                *response = pa_xstrdup("ok");
            return result;
        }
    return -PA_ERR_NOTIMPLEMENTED;
}

/* ---- Codecs, as module-bluez5-device has them ---- */

static const sim_codec *codecs_of(const sim_card *card, uint32_t *count) {
    return sim_codecs_of(card->card->active_profile->name, count);
}

/* The link is set up anew: the devices go and come. */
static int switch_codec(sim_card *card, const pa_json_object *value) {
    uint32_t count;
    const sim_codec *codecs = codecs_of(card, &count);
    pa_card_profile *active = card->card->active_profile;
    pa_card_profile *off = pa_hashmap_get(card->card->profiles, "off");

    if (!text_of(value))
        return -PA_ERR_INVALID;
    for (unsigned i = 0; i < count; i++)
        if (strcmp(codecs[i].name, text_of(value)) == 0) {
            if (i == card->codec % count)
                return 0;
            card->codec = i;
            pa_card_set_profile(card->card, off, false);
            return pa_card_set_profile(card->card, active, false);
        }
    return -PA_ERR_INVALID;
}

static char *list_codecs(sim_card *card) {
    uint32_t count;
    const sim_codec *codecs = codecs_of(card, &count);
    pa_strbuf *text = pa_strbuf_new();

    pa_strbuf_putc(text, '[');
    for (unsigned i = 0; i < count; i++)
        pa_strbuf_printf(text, "%s{\"name\":\"%s\",\"description\":\"%s\"}", i ? "," : "",
                         codecs[i].name, codecs[i].description);
    pa_strbuf_putc(text, ']');
    return pa_strbuf_to_string_free(text);
}

static int handle_codecs(const char *path, const char *message, const pa_json_object *parameters,
                         char **response, void *userdata) {
    sim_card *card = userdata;
    uint32_t count;
    const sim_codec *codecs = codecs_of(card, &count);

    if (strcmp(message, "list-codecs") == 0) {
        *response = list_codecs(card);
        return 0;
    }
    if (strcmp(message, "get-codec") == 0) {
        *response = count ? pa_sprintf_malloc("\"%s\"", codecs[card->codec % count].name)
                          : pa_xstrdup("null");
        return 0;
    }
    if (strcmp(message, "switch-codec") == 0)
        return switch_codec(card, parameters);
    return -PA_ERR_NOTIMPLEMENTED;
}

static void register_codecs(sim_card *card) {
    if (!card->kind->bluetooth)
        return;
    card->codec_path = pa_sprintf_malloc("/card/%s/bluez", card->card->name);
    pa_message_handler_register(card->core, card->codec_path, "Codecs", handle_codecs, card);
}

void sim_card_register_messages(sim_card *card) {
    register_codecs(card);
    card->message_path = pa_sprintf_malloc("/card/%s/sim", card->card->name);
    pa_message_handler_register(
        card->core, card->message_path, "Simulated hardware", handle, card);
}

void sim_card_unregister_messages(sim_card *card) {
    if (card->codec_path)
        pa_message_handler_unregister(card->core, card->codec_path);
    pa_xfree(card->codec_path);
    card->codec_path = NULL;
    if (card->message_path)
        pa_message_handler_unregister(card->core, card->message_path);
    pa_xfree(card->message_path);
    card->message_path = NULL;
}
