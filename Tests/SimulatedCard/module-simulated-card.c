/* The module: reads its arguments, and makes one card. All state hangs on the module, so that any
 * number of cards can be loaded at once. */

#include <string.h>

#include <pulse/xmalloc.h>
#include <pulsecore/core-util.h>
#include <pulsecore/log.h>
#include <pulsecore/modargs.h>

#include "simulated-card.h"

PA_MODULE_AUTHOR("AudioSession");
PA_MODULE_DESCRIPTION("A sound card without hardware, for tests");
PA_MODULE_VERSION(PACKAGE_VERSION);
PA_MODULE_LOAD_ONCE(false);
PA_MODULE_USAGE(
    "kind=<laptop|usb-mic|usb-headset|bluetooth|hdmi> "
    "name=<what follows alsa_card. or bluez_card.> "
    "rates=<rates the devices can switch to, the default first> "
    "channels=<1, 2 or 4: of a usb-mic> "
    "profile=<the first profile> "
    "tone=<yes|no> "
    "fixed_latency=<milliseconds that every device has> "
    "min_latency=<milliseconds that a device has at least> "
    "max_latency=<milliseconds that a device has at most> "
    "batch=<milliseconds of each period of a batch device> "
    "volume_steps=<how many volumes the hardware has> "
    "mixer=<yes|no: the mixer of an input reports its own level after a change> "
    "serial=<device.serial> "
    "card_properties=<further properties>");

static const char *const valid_arguments[] = {
    "kind", "name", "rates", "channels", "profile", "tone", "fixed_latency", "min_latency",
    "max_latency", "batch", "volume_steps", "mixer", "serial", "card_properties", NULL
};

/* ---- Arguments ---- */

static int parse_rates(sim_card *card, const char *list) {
    const char *state = NULL;
    char *word;
    int result = 0;

    while (result == 0 && (word = pa_split(list, ",", &state))) {
        uint32_t rate;

        if (card->n_rates == SIM_MAX_RATES || pa_atou(word, &rate) < 0
            || !pa_sample_rate_valid(rate))
            result = -1;
        else
            card->rates[card->n_rates++] = rate;
        pa_xfree(word);
    }
    return card->n_rates > 0 ? result : -1;
}

/* In milliseconds; the range is that of a device that follows its streams. */
static int parse_latency(pa_modargs *arguments, const char *name, pa_usec_t *latency) {
    uint32_t milliseconds = (uint32_t) (*latency / PA_USEC_PER_MSEC);

    if (!pa_modargs_get_value(arguments, name, NULL))
        return 0;
    if (pa_modargs_get_value_u32(arguments, name, &milliseconds) < 0 || milliseconds < 1
        || milliseconds * PA_USEC_PER_MSEC > SIM_MAX_LATENCY) {
        pa_log("%s= is a number of milliseconds from 1 to 2000.", name);
        return -1;
    }
    *latency = milliseconds * PA_USEC_PER_MSEC;
    return 0;
}

static int parse_arguments(sim_card *card, pa_modargs *arguments) {
    const char *kind = pa_modargs_get_value(arguments, "kind", "laptop");
    uint32_t channels = 2;

    card->tone = true;
    card->min_latency = SIM_MIN_LATENCY;
    card->max_latency = SIM_MAX_LATENCY;
    if (pa_modargs_get_value_u32(arguments, "channels", &channels) < 0
        || !(card->kind = sim_kind_find(kind, channels))) {
        pa_log("No such kind of card: kind=%s with %u channels.", kind, channels);
        return -1;
    }
    if (parse_rates(card, pa_modargs_get_value(arguments, "rates", "44100,48000")) < 0) {
        pa_log("rates= is not a list of sample rates.");
        return -1;
    }
    if (pa_modargs_get_value_boolean(arguments, "tone", &card->tone) < 0) {
        pa_log("tone= is yes or no.");
        return -1;
    }
    if (parse_latency(arguments, "fixed_latency", &card->fixed_latency) < 0
        || parse_latency(arguments, "min_latency", &card->min_latency) < 0
        || parse_latency(arguments, "max_latency", &card->max_latency) < 0
        || parse_latency(arguments, "batch", &card->period) < 0)
        return -1;
    if (card->min_latency > card->max_latency) {
        pa_log("min_latency= is more than max_latency=.");
        return -1;
    }
    if (card->period && !card->fixed_latency) /* as many periods as PulseAudio asks ALSA for */
        card->fixed_latency = PA_MIN(4 * card->period, SIM_MAX_LATENCY);
    if (pa_modargs_get_value_u32(arguments, "volume_steps", &card->volume_steps) < 0
        || card->volume_steps == 1) {
        pa_log("volume_steps= is a number from 2.");
        return -1;
    }
    if (pa_modargs_get_value_boolean(arguments, "mixer", &card->has_mixer) < 0) {
        pa_log("mixer= is yes or no.");
        return -1;
    }
    card->name = pa_xstrdup(pa_modargs_get_value(arguments, "name", card->kind->default_name));
    return 0;
}

/* ---- The card's parts ---- */

static pa_device_port *new_port(pa_core *core, const sim_port *port) {
    pa_device_port_new_data data;
    pa_device_port *result;

    pa_device_port_new_data_init(&data);
    pa_device_port_new_data_set_name(&data, port->name);
    pa_device_port_new_data_set_description(&data, port->description);
    pa_device_port_new_data_set_available(&data, (pa_available_t) port->available);
    pa_device_port_new_data_set_direction(&data, port->direction);
    pa_device_port_new_data_set_type(&data, port->type);
    result = pa_device_port_new(core, &data, 0);
    result->priority = port->priority;
    pa_device_port_new_data_done(&data);
    return result;
}

/* A port is made once for all the profiles it belongs to. */
static void add_ports(
    pa_core *core, pa_hashmap *ports, pa_card_profile *profile, const sim_mapping *mapping) {
    for (unsigned i = 0; mapping && i < SIM_MAX_PORTS && mapping->ports[i]; i++) {
        pa_device_port *port = pa_hashmap_get(ports, mapping->ports[i]->name);

        if (!port) {
            port = new_port(core, mapping->ports[i]);
            pa_hashmap_put(ports, port->name, port);
        }
        pa_hashmap_put(port->profiles, profile->name, profile);
    }
}

static void add_profile(pa_core *core, pa_card_new_data *data, const sim_profile *parts) {
    pa_card_profile *profile =
        pa_card_profile_new(parts->name, parts->description, sizeof(const sim_profile *));

    *(const sim_profile **) PA_CARD_PROFILE_DATA(profile) = parts;
    profile->priority = parts->priority;
    profile->output_name = pa_xstrdup(parts->output_name);
    profile->input_name = pa_xstrdup(parts->input_name);
    if (parts->output) {
        profile->n_sinks = 1;
        profile->max_sink_channels = parts->output->map.channels;
    }
    if (parts->input) {
        profile->n_sources = 1;
        profile->max_source_channels = parts->input->map.channels;
    }
    pa_hashmap_put(data->profiles, profile->name, profile);
    add_ports(core, data->ports, profile, parts->output);
    add_ports(core, data->ports, profile, parts->input);
}

static void add_address(sim_card *card, pa_proplist *properties) {
    char *address = pa_replace(card->name, "_", ":");

    pa_proplist_sets(properties, PA_PROP_DEVICE_STRING, address);
    pa_proplist_setf(properties, "bluez.path", "/org/bluez/hci0/dev_%s", card->name);
    pa_xfree(address);
}

static int add_properties(sim_card *card, pa_modargs *arguments, pa_proplist *properties) {
    const char *serial = pa_modargs_get_value(arguments, "serial", NULL);

    for (const sim_property *property = card->kind->properties; property->key; property++)
        pa_proplist_sets(properties, property->key, property->value);
    if (card->kind->bluetooth)
        add_address(card, properties);
    if (serial)
        pa_proplist_sets(properties, PA_PROP_DEVICE_SERIAL, serial);
    return pa_modargs_get_proplist(arguments, "card_properties", properties, PA_UPDATE_REPLACE);
}

static pa_card *new_card(sim_card *card, pa_modargs *arguments) {
    pa_card_new_data data;
    pa_card *result = NULL;
    char *name = pa_sprintf_malloc(
        "%s.%s", card->kind->bluetooth ? "bluez_card" : "alsa_card", card->name);

    pa_card_new_data_init(&data);
    data.driver = __FILE__;
    data.module = card->module;
    data.namereg_fail = false; /* a second one of the same name becomes NAME.2, as with ALSA */
    pa_card_new_data_set_name(&data, name);
    if (add_properties(card, arguments, data.proplist) < 0) {
        pa_log("card_properties= is not a list of properties.");
    } else {
        for (const sim_profile *profile = card->kind->profiles; profile->name; profile++)
            add_profile(card->core, &data, profile);
        result = pa_card_new(card->core, &data);
    }
    pa_card_new_data_done(&data);
    pa_xfree(name);
    return result;
}

static int choose_profile(sim_card *card, const char *name) {
    pa_card_profile *profile;

    pa_card_choose_initial_profile(card->card);
    if (!name)
        return 0;
    if (!(profile = pa_hashmap_get(card->card->profiles, name))) {
        pa_log("The card has no profile %s.", name);
        return -1;
    }
    return pa_card_set_profile(card->card, profile, false);
}

/* ---- Life ---- */

static int start(sim_card *card, pa_modargs *arguments) {
    if (parse_arguments(card, arguments) < 0 || !(card->card = new_card(card, arguments)))
        return -1;
    card->card->userdata = card;
    card->card->set_profile = sim_card_set_profile;
    sim_card_update_profiles(card);
    if (choose_profile(card, pa_modargs_get_value(arguments, "profile", NULL)) < 0)
        return -1;
    pa_card_put(card->card);
    sim_card_create_devices(card);
    sim_card_register_messages(card);
    return 0;
}

int pa__init(pa_module *module) {
    pa_modargs *arguments = pa_modargs_new(module->argument, valid_arguments);
    sim_card *card;
    int result;

    if (!arguments) {
        pa_log("Cannot parse the arguments of the module.");
        return -1;
    }
    module->userdata = card = pa_xnew0(sim_card, 1);
    card->core = module->core;
    card->module = module;
    result = start(card, arguments);
    pa_modargs_free(arguments);
    if (result < 0)
        pa__done(module);
    return result;
}

int pa__get_n_used(pa_module *module) {
    sim_card *card = module->userdata;
    int used = 0;

    if (card->output)
        used += (int) pa_sink_linked_by(card->output->sink);
    if (card->input)
        used += (int) pa_source_linked_by(card->input->source);
    return used;
}

void pa__done(pa_module *module) {
    sim_card *card = module->userdata;

    if (!card)
        return;
    module->userdata = NULL;
    sim_card_unregister_messages(card);
    sim_card_remove_devices(card);
    if (card->card)
        pa_card_free(card->card);
    pa_xfree(card->failing_profile);
    pa_xfree(card->hidden_profile);
    pa_xfree(card->name);
    pa_xfree(card);
}
