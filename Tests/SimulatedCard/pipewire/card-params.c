/* The device as its clients see it: parameters to read and to set. */

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <spa/param/audio/raw.h>
#include <spa/param/param.h>
#include <spa/param/profile.h>
#include <spa/param/props.h>
#include <spa/monitor/utils.h>
#include <spa/param/route.h>
#include <spa/pod/filter.h>
#include <spa/pod/parser.h>

#include "simulated-card.h"

/* ---- Profiles ---- */

static void add_class(
    sim_card *card, struct spa_pod_builder *builder, const char *class,
    const sim_mapping *mapping) {
    struct spa_pod_frame frame;
    int number = 0;

    if (!mapping)
        return;
    while (card->devices[number].mapping != mapping)
        number++;
    spa_pod_builder_push_struct(builder, &frame);
    spa_pod_builder_string(builder, class);
    spa_pod_builder_int(builder, 1);
    spa_pod_builder_string(builder, "card.profile.devices");
    spa_pod_builder_array(builder, sizeof(int32_t), SPA_TYPE_Int, 1, &number);
    spa_pod_builder_pop(builder, &frame);
}

static struct spa_pod *build_profile(
    sim_card *card, struct spa_pod_builder *builder, uint32_t id, uint32_t index) {
    const sim_profile *profile = &card->kind->profiles[index];
    struct spa_pod_frame object, classes;
    char name[128];

    sim_card_spell(card, profile->name, name, sizeof(name));
    spa_pod_builder_push_object(builder, &object, SPA_TYPE_OBJECT_ParamProfile, id);
    spa_pod_builder_add(
        builder, SPA_PARAM_PROFILE_index, SPA_POD_Int((int) index),
        SPA_PARAM_PROFILE_name, SPA_POD_String(name),
        SPA_PARAM_PROFILE_description, SPA_POD_String(profile->description),
        SPA_PARAM_PROFILE_priority, SPA_POD_Int((int) profile->priority),
        SPA_PARAM_PROFILE_available, SPA_POD_Id(sim_profile_available(card, index)), 0);
    spa_pod_builder_prop(builder, SPA_PARAM_PROFILE_classes, 0);
    spa_pod_builder_push_struct(builder, &classes);
    spa_pod_builder_int(builder, !!profile->output + !!profile->input);
    add_class(card, builder, "Audio/Source", profile->input);
    add_class(card, builder, "Audio/Sink", profile->output);
    spa_pod_builder_pop(builder, &classes);
    if (id == SPA_PARAM_Profile) {
        spa_pod_builder_prop(builder, SPA_PARAM_PROFILE_save, 0);
        spa_pod_builder_bool(builder, card->profile_save);
    }
    return spa_pod_builder_pop(builder, &object);
}

/* ---- Routes ---- */

static const char *port_type(pa_device_port_type_t type) {
    switch (type) {
    case PA_DEVICE_PORT_TYPE_SPEAKER: return "speaker";
    case PA_DEVICE_PORT_TYPE_HEADPHONES: return "headphones";
    case PA_DEVICE_PORT_TYPE_LINE: return "line";
    case PA_DEVICE_PORT_TYPE_MIC: return "mic";
    case PA_DEVICE_PORT_TYPE_HEADSET: return "headset";
    case PA_DEVICE_PORT_TYPE_HDMI: return "hdmi";
    default: return "unknown";
    }
}

/* Numbers of the profiles that have a device with the route, or of the devices. */
static uint32_t fitting(sim_card *card, const sim_route *route, bool profiles, int32_t *numbers) {
    uint32_t count = 0;

    for (uint32_t i = 0; i < (profiles ? card->n_profiles : card->n_devices); i++) {
        bool fits = false;
        for (uint32_t device = 0; device < card->n_devices; device++)
            fits = fits || (sim_route_fits(route, &card->devices[device])
                && (profiles ? sim_profile_has(card, i, card->devices[device].mapping)
                             : device == i));
        if (fits)
            numbers[count++] = (int32_t) i;
    }
    return count;
}

static void add_props(
    sim_card *card, struct spa_pod_builder *builder, const sim_route *route,
    const sim_device *device) {
    struct spa_pod_frame frame;

    spa_pod_builder_prop(builder, SPA_PARAM_ROUTE_props, 0);
    spa_pod_builder_push_object(builder, &frame, SPA_TYPE_OBJECT_Props, SPA_PARAM_Route);
    spa_pod_builder_add(
        builder, SPA_PROP_mute, SPA_POD_Bool(route->mute), SPA_PROP_channelVolumes,
        SPA_POD_Array(sizeof(float), SPA_TYPE_Float, device->mapping->map.channels,
            route->volumes),
        SPA_PROP_volumeBase, SPA_POD_Float(1.0), SPA_PROP_volumeStep,
        SPA_POD_Float(1.0 / (card->volume_steps ? card->volume_steps : 65536)),
        SPA_PROP_latencyOffsetNsec, SPA_POD_Long(route->latency_offset), 0);
    spa_pod_builder_pop(builder, &frame);
}

/* For `device` an active route, else one of all. */
static struct spa_pod *build_route(
    sim_card *card, struct spa_pod_builder *builder, const sim_route *route,
    const sim_device *device) {
    int32_t profiles[SIM_MAX_PROFILES], devices[SIM_MAX_DEVICES];
    uint32_t n_profiles = fitting(card, route, true, profiles);
    uint32_t n_devices = fitting(card, route, false, devices);
    struct spa_pod_frame object, info;

    spa_pod_builder_push_object(
        builder, &object, SPA_TYPE_OBJECT_ParamRoute,
        device ? SPA_PARAM_Route : SPA_PARAM_EnumRoute);
    spa_pod_builder_add(
        builder, SPA_PARAM_ROUTE_index, SPA_POD_Int((int) (route - card->routes)),
        SPA_PARAM_ROUTE_direction,
        SPA_POD_Id(route->port->direction == PA_DIRECTION_INPUT
            ? SPA_DIRECTION_INPUT : SPA_DIRECTION_OUTPUT),
        SPA_PARAM_ROUTE_name, SPA_POD_String(route->port->name),
        SPA_PARAM_ROUTE_description, SPA_POD_String(route->port->description),
        SPA_PARAM_ROUTE_priority, SPA_POD_Int((int) route->port->priority),
        SPA_PARAM_ROUTE_available, SPA_POD_Id(route->available), 0);
    spa_pod_builder_prop(builder, SPA_PARAM_ROUTE_info, 0);
    spa_pod_builder_push_struct(builder, &info);
    spa_pod_builder_int(builder, 1);
    spa_pod_builder_string(builder, "port.type");
    spa_pod_builder_string(builder, port_type(route->port->type));
    spa_pod_builder_pop(builder, &info);
    spa_pod_builder_add(
        builder, SPA_PARAM_ROUTE_profiles,
        SPA_POD_Array(sizeof(int32_t), SPA_TYPE_Int, n_profiles, profiles), 0);
    if (device) {
        spa_pod_builder_add(
            builder, SPA_PARAM_ROUTE_device, SPA_POD_Int((int) (device - card->devices)), 0);
        add_props(card, builder, route, device);
    }
    spa_pod_builder_add(
        builder, SPA_PARAM_ROUTE_devices,
        SPA_POD_Array(sizeof(int32_t), SPA_TYPE_Int, n_devices, devices), 0);
    if (device)
        spa_pod_builder_add(
            builder, SPA_PARAM_ROUTE_profile, SPA_POD_Int((int) card->profile),
            SPA_PARAM_ROUTE_save, SPA_POD_Bool(route->save), 0);
    return spa_pod_builder_pop(builder, &object);
}

/* ---- Codecs, as PipeWire's own Bluetooth devices have them ---- */

static struct spa_pod *build_codecs(sim_card *card, struct spa_pod_builder *builder) {
    uint32_t count;
    const sim_codec *codecs = sim_codecs(card, &count);
    struct spa_pod_frame object, choice, labels;

    if (count == 0)
        return NULL;
    spa_pod_builder_push_object(builder, &object, SPA_TYPE_OBJECT_PropInfo, SPA_PARAM_PropInfo);
    spa_pod_builder_add(
        builder, SPA_PROP_INFO_id, SPA_POD_Id(SPA_PROP_bluetoothAudioCodec),
        SPA_PROP_INFO_description, SPA_POD_String("Air codec"), 0);
    spa_pod_builder_prop(builder, SPA_PROP_INFO_type, 0);
    spa_pod_builder_push_choice(builder, &choice, SPA_CHOICE_Enum, 0);
    /* The first is the default. */
    spa_pod_builder_int(builder, (int32_t) codecs[card->codec % count].number);
    for (uint32_t i = 0; i < count; i++)
        spa_pod_builder_int(builder, (int32_t) codecs[i].number);
    spa_pod_builder_pop(builder, &choice);
    spa_pod_builder_prop(builder, SPA_PROP_INFO_labels, 0);
    spa_pod_builder_push_struct(builder, &labels);
    for (uint32_t i = 0; i < count; i++) {
        spa_pod_builder_int(builder, (int32_t) codecs[i].number);
        spa_pod_builder_string(builder, codecs[i].description);
    }
    spa_pod_builder_pop(builder, &labels);
    return spa_pod_builder_pop(builder, &object);
}

static struct spa_pod *build_codec(sim_card *card, struct spa_pod_builder *builder) {
    uint32_t count;
    const sim_codec *codecs = sim_codecs(card, &count);

    if (count == 0)
        return NULL;
    return spa_pod_builder_add_object(
        builder, SPA_TYPE_OBJECT_Props, SPA_PARAM_Props, SPA_PROP_bluetoothAudioCodec,
        SPA_POD_Id(codecs[card->codec % count].number));
}

/* ---- Reading ---- */

static struct spa_pod *build(
    sim_card *card, struct spa_pod_builder *builder, uint32_t id, uint32_t index) {
    switch (id) {
    case SPA_PARAM_EnumProfile:
        return index < card->n_profiles ? build_profile(card, builder, id, index) : NULL;
    case SPA_PARAM_Profile:
        return index == 0 ? build_profile(card, builder, id, card->profile) : NULL;
    case SPA_PARAM_EnumRoute:
        return index < card->n_routes
            ? build_route(card, builder, &card->routes[index], NULL) : NULL;
    case SPA_PARAM_PropInfo: return index == 0 ? build_codecs(card, builder) : NULL;
    case SPA_PARAM_Props: return index == 0 ? build_codec(card, builder) : NULL;
    case SPA_PARAM_Route:
        for (uint32_t i = 0; i < card->n_devices; i++) {
            sim_device *device = &card->devices[i];
            if (sim_profile_has(card, card->profile, device->mapping) && device->active
                && index-- == 0)
                return build_route(card, builder, device->active, device);
        }
    }
    return NULL;
}

static int enum_params(
    void *object, int seq, uint32_t id, uint32_t index, uint32_t max,
    const struct spa_pod *filter) {
    sim_card *card = object;
    uint8_t buffer[4096];

    for (uint32_t count = 0; count < max; index++) {
        struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(buffer, sizeof(buffer));
        struct spa_pod *param = build(card, &builder, id, index);
        struct spa_result_device_params result = { .id = id, .index = index, .next = index + 1 };
        if (!param)
            return 0;
        if (spa_pod_filter(&builder, &result.param, param, filter) < 0)
            continue;
        spa_device_emit_result(&card->hooks, seq, 0, SPA_RESULT_TYPE_DEVICE_PARAMS, &result);
        count++;
    }
    return 0;
}

/* ---- Setting ---- */

static int set_profile(sim_card *card, const struct spa_pod *param) {
    int32_t index = -1;
    const char *name = NULL;
    bool save = false;

    if (!param)
        return sim_profile_set(card, sim_profile_best(card), false);
    if (spa_pod_parse_object(
            param, SPA_TYPE_OBJECT_ParamProfile, NULL,
            SPA_PARAM_PROFILE_index, SPA_POD_OPT_Int(&index),
            SPA_PARAM_PROFILE_name, SPA_POD_OPT_String(&name),
            SPA_PARAM_PROFILE_save, SPA_POD_OPT_Bool(&save)) < 0)
        return -EINVAL;
    if (index < 0 && name)
        index = sim_profile_find(card, name);
    return index < 0 ? -EINVAL : sim_profile_set(card, (uint32_t) index, save);
}

/* Hardware without a decibel scale has steps of equal loudness and nothing in software between them. */
static float nearest_volume(const sim_card *card, float volume) {
    double last = card->volume_steps - 1.0;

    return card->volume_steps ? (float) pow(fmin(round(cbrt(volume) * last) / last, 1), 3) : volume;
}

/* What is not named stays. */
static void set_props(const sim_card *card, sim_route *route, const struct spa_pod *props) {
    const struct spa_pod_prop *prop;

    SPA_POD_OBJECT_FOREACH((const struct spa_pod_object *) props, prop) {
        switch (prop->key) {
        case SPA_PROP_mute:
            spa_pod_get_bool(&prop->value, &route->mute);
            break;
        case SPA_PROP_channelVolumes: {
            uint32_t count = spa_pod_copy_array(
                &prop->value, SPA_TYPE_Float, route->volumes, SIM_MAX_CHANNELS);
            /* Too few are as the first. */
            for (uint32_t i = count; count > 0 && i < SIM_MAX_CHANNELS; i++)
                route->volumes[i] = route->volumes[count == 1 ? 0 : i % count];
            for (uint32_t i = 0; i < SIM_MAX_CHANNELS; i++)
                route->volumes[i] = nearest_volume(card, route->volumes[i]);
            break;
        }
        case SPA_PROP_latencyOffsetNsec:
            spa_pod_get_long(&prop->value, &route->latency_offset);
            break;
        }
    }
}

static int set_route(sim_card *card, const struct spa_pod *param) {
    int32_t index = -1, number = -1;
    const struct spa_pod *props = NULL;
    bool save = false;
    sim_device *device;
    sim_route *route;

    if (!param
        || spa_pod_parse_object(
            param, SPA_TYPE_OBJECT_ParamRoute, NULL,
            SPA_PARAM_ROUTE_index, SPA_POD_Int(&index),
            SPA_PARAM_ROUTE_device, SPA_POD_Int(&number),
            SPA_PARAM_ROUTE_props, SPA_POD_OPT_PodObject(&props),
            SPA_PARAM_ROUTE_save, SPA_POD_OPT_Bool(&save)) < 0
        || index < 0 || (uint32_t) index >= card->n_routes
        || number < 0 || (uint32_t) number >= card->n_devices)
        return -EINVAL;
    device = &card->devices[number];
    route = &card->routes[index];
    if (!sim_route_fits(route, device))
        return -EINVAL;
    device->active = route;
    device->settled = true;
    route->save = save;
    if (props)
        set_props(card, route, props);
    sim_node_update_volume(device);
    sim_card_params_changed(card, SPA_PARAM_Route, SPA_ID_INVALID);
    sim_card_remind(card);
    return 0;
}

static int set_codec(sim_card *card, const struct spa_pod *param) {
    uint32_t number = SPA_ID_INVALID;

    if (!param
        || spa_pod_parse_object(
            param, SPA_TYPE_OBJECT_Props, NULL,
            SPA_PROP_bluetoothAudioCodec, SPA_POD_OPT_Id(&number)) < 0)
        return -EINVAL;
    return number == SPA_ID_INVALID ? 0 : sim_codec_set(card, number);
}

static int set_param(void *object, uint32_t id, uint32_t flags, const struct spa_pod *param) {
    switch (id) {
    case SPA_PARAM_Profile: return set_profile(object, param);
    case SPA_PARAM_Route: return set_route(object, param);
    case SPA_PARAM_Props: return set_codec(object, param);
    default: return -ENOENT;
    }
}

/* ---- The interface ---- */

static void emit_info(sim_card *card) {
    spa_device_emit_info(&card->hooks, &card->info);
    card->info.change_mask = 0;
}

static int add_listener(
    void *object, struct spa_hook *listener, const struct spa_device_events *events, void *data) {
    sim_card *card = object;
    struct spa_hook_list saved;

    spa_hook_list_isolate(&card->hooks, &saved, listener, events, data);
    card->info.change_mask = SPA_DEVICE_CHANGE_MASK_PROPS | SPA_DEVICE_CHANGE_MASK_PARAMS;
    emit_info(card);
    spa_hook_list_join(&card->hooks, &saved);
    return 0;
}

static int sync_device(void *object, int seq) {
    sim_card *card = object;

    spa_device_emit_result(&card->hooks, seq, 0, 0, NULL);
    return 0;
}

static const struct spa_device_methods methods = {
    SPA_VERSION_DEVICE_METHODS, .add_listener = add_listener, .sync = sync_device,
    .enum_params = enum_params, .set_param = set_param };

void sim_card_params_changed(sim_card *card, uint32_t first, uint32_t second) {
    for (uint32_t i = 0; i < SIM_N_PARAMS; i++)
        if (card->params[i].id == first || card->params[i].id == second)
            card->params[i].flags ^= SPA_PARAM_INFO_SERIAL;
    card->info.change_mask |= SPA_DEVICE_CHANGE_MASK_PARAMS;
    if (card->properties)
        emit_info(card);
}

static void arm_reminder(sim_card *card) {
    struct timespec delay = { .tv_nsec = card->reminders > 1 ? 50000000L : 250000000L };

    pw_loop_update_timer(card->program->loop, card->reminder, &delay, NULL, false);
}

static void on_reminder(void *data, uint64_t expirations) {
    sim_card *card = data;

    if (!card->proxy)
        return;
    sim_card_params_changed(card, SPA_PARAM_Profile, SPA_PARAM_Route);
    sim_card_params_changed(card, SPA_PARAM_EnumRoute, SPA_ID_INVALID);
    if (--card->reminders > 0)
        arm_reminder(card);
}

uint64_t sim_now(void) {
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t) now.tv_sec * SPA_NSEC_PER_SEC + (uint64_t) now.tv_nsec;
}

void sim_card_remind(sim_card *card) {
    card->changed = sim_now();
    if (!card->reminder)
        card->reminder = pw_loop_add_timer(card->program->loop, on_reminder, card);
    card->reminders = 2;
    arm_reminder(card);
}

/* PipeWire's own spelling, which pipewire-pulse turns back. */
static const char *key_here(const char *key) {
    static const char *const keys[][2] = {
        { "device.bus_path", PW_KEY_DEVICE_BUS_PATH },
        { "device.form_factor", PW_KEY_DEVICE_FORM_FACTOR },
        { "device.string", "api.alsa.path" } };

    for (size_t i = 0; i < SPA_N_ELEMENTS(keys); i++)
        if (strcmp(keys[i][0], key) == 0)
            return keys[i][1];
    return key;
}

static void fill_properties(sim_card *card) {
    card->properties = pw_properties_new(
        PW_KEY_DEVICE_NAME, card->full_name, PW_KEY_MEDIA_CLASS, "Audio/Device", NULL);
    for (const sim_property *one = card->kind->properties; one->key; one++)
        pw_properties_set(card->properties, key_here(one->key), one->value);
    if (card->serial)
        pw_properties_set(card->properties, PW_KEY_DEVICE_SERIAL, card->serial);
    if (card->kind->bluetooth) {
        pw_properties_set(card->properties, PW_KEY_DEVICE_API, "bluez5");
        pw_properties_set(card->properties, "api.bluez5.address", "00:11:22:33:44:55");
    }
}

void sim_card_init_device(sim_card *card) {
    fill_properties(card);
    card->device.iface =
        SPA_INTERFACE_INIT(SPA_TYPE_INTERFACE_Device, SPA_VERSION_DEVICE, &methods, card);
    spa_hook_list_init(&card->hooks);
    card->params[0] = SPA_PARAM_INFO(SPA_PARAM_EnumProfile, SPA_PARAM_INFO_READ);
    card->params[1] = SPA_PARAM_INFO(SPA_PARAM_Profile, SPA_PARAM_INFO_READWRITE);
    card->params[2] = SPA_PARAM_INFO(SPA_PARAM_EnumRoute, SPA_PARAM_INFO_READ);
    card->params[3] = SPA_PARAM_INFO(SPA_PARAM_Route, SPA_PARAM_INFO_READWRITE);
    card->params[4] = SPA_PARAM_INFO(SPA_PARAM_PropInfo, SPA_PARAM_INFO_READ);
    card->params[5] = SPA_PARAM_INFO(SPA_PARAM_Props, SPA_PARAM_INFO_READWRITE);
    card->info = SPA_DEVICE_INFO_INIT();
    card->info.props = &card->properties->dict;
    card->info.params = card->params;
    card->info.n_params = card->kind->bluetooth ? SIM_N_PARAMS : SIM_N_PARAMS - 2;
}
