/* The nodes of a card: the server makes them, without hardware, as long as this program is there. */

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <spa/param/props.h>
#include <spa/utils/type.h>

#include "simulated-card.h"

static const char *position(pa_channel_position_t position) {
    switch (position) {
    case PA_CHANNEL_POSITION_MONO: return "MONO";
    case PA_CHANNEL_POSITION_FRONT_LEFT: return "FL";
    case PA_CHANNEL_POSITION_FRONT_RIGHT: return "FR";
    case PA_CHANNEL_POSITION_REAR_LEFT: return "RL";
    case PA_CHANNEL_POSITION_REAR_RIGHT: return "RR";
    case PA_CHANNEL_POSITION_AUX0: return "AUX0";
    case PA_CHANNEL_POSITION_AUX1: return "AUX1";
    default: return "UNK";
    }
}

/* As WirePlumber names them. */
void sim_node_name(const sim_device *device, char *text, size_t size) {
    bool is_input = device->mapping->direction == PA_DIRECTION_INPUT;
    const char *side = is_input ? "input" : "output", *name = device->card->name;

    if (device->card->kind->bluetooth)
        snprintf(text, size, "bluez_%s.%s.%d", side, name, is_input ? 0 : 1);
    else
        snprintf(text, size, "alsa_%s.%s.%s", side, name, device->mapping->name);
}

static void set_name(sim_device *device, struct pw_properties *properties) {
    sim_card *card = device->card;
    char name[256];

    sim_node_name(device, name, sizeof(name));
    pw_properties_set(properties, PW_KEY_NODE_NAME, name);
    const char *text = pw_properties_get(card->properties, PW_KEY_DEVICE_DESCRIPTION);
    pw_properties_setf(
        properties, PW_KEY_NODE_DESCRIPTION, "%s %s", text ? text : "",
        device->mapping->description);
}

static void set_channels(const sim_mapping *mapping, struct pw_properties *properties) {
    char text[128] = "[";

    for (unsigned i = 0; i < mapping->map.channels; i++) {
        strcat(text, " ");
        strcat(text, position(mapping->map.map[i]));
    }
    strcat(text, " ]");
    pw_properties_set(properties, "audio.position", text);
    pw_properties_setf(properties, PW_KEY_AUDIO_CHANNELS, "%u", mapping->map.channels);
}

/* An input before outputs' monitors, USB's before the built-in one. */
static int priority(const sim_device *device) {
    int base = device->mapping->direction == PA_DIRECTION_INPUT ? 2000 : 1000;
    const char *bus = pw_properties_get(device->card->properties, PW_KEY_DEVICE_BUS);

    if (bus && strcmp(bus, "usb") == 0 && device->mapping->direction == PA_DIRECTION_INPUT)
        base += 50;
    if (strncmp(device->mapping->name, "analog-", 7) == 0)
        base += 9;
    return base;
}

static void on_bound(void *data, uint32_t id) {
    sim_device *device = data;

    device->node_id = id;
    if (device->mapping->direction == PA_DIRECTION_INPUT && device->card->tone)
        device->sound = sim_sound_new(device);
}

/* The server refused it, or took it away. */
static void on_removed(void *data) {
    sim_device *device = data;

    pw_proxy_destroy(device->node);
}

static void on_destroy(void *data) {
    sim_device *device = data;

    spa_hook_remove(&device->node_listener);
    device->node = NULL;
    device->node_id = SPA_ID_INVALID;
    if (device->sound)
        sim_sound_free(device->sound);
    device->sound = NULL;
}

static const struct pw_proxy_events node_events = {
    PW_VERSION_PROXY_EVENTS, .bound = on_bound, .removed = on_removed, .destroy = on_destroy };

void sim_node_stall_file(const sim_device *device, char *path, size_t size) {
    char name[256];

    sim_node_name(device, name, sizeof(name));
    snprintf(path, size, "%s.%s.dead", device->card->program->socket_path, name);
}

/* Whether the node of a device that died delivers something is up to the server's side of it. */
static void set_stall(sim_device *device, struct pw_properties *properties) {
    char path[512];

    sim_node_stall_file(device, path, sizeof(path));
    if (device->dead > 0 && --device->dead == 0)
        unlink(path);
    pw_properties_set(properties, "simulated.dead", path);
}

void sim_node_create(sim_device *device) {
    sim_card *card = device->card;
    const sim_mapping *mapping = device->mapping;
    char name[64];

    if (device->node || card->id == SPA_ID_INVALID)
        return;
    sim_card_spell(card, mapping->name, name, sizeof(name));
    struct pw_properties *properties = pw_properties_new(
        SPA_KEY_FACTORY_NAME, card->factory, PW_KEY_MEDIA_CLASS,
        mapping->direction == PA_DIRECTION_INPUT ? "Audio/Source/Virtual" : "Audio/Sink",
        "monitor.channel-volumes", "true", NULL);
    const char *api = pw_properties_get(card->properties, PW_KEY_DEVICE_API);
    pw_properties_set(properties, PW_KEY_DEVICE_API, api);
    pw_properties_setf(properties, PW_KEY_DEVICE_ID, "%u", card->id);
    pw_properties_setf(properties, "card.profile.device", "%d", (int) (device - card->devices));
    uint32_t routes = 0;
    while (routes < SIM_MAX_PORTS && mapping->ports[routes])
        routes++;
    pw_properties_setf(properties, "device.routes", "%u", routes);
    pw_properties_setf(properties, PW_KEY_PRIORITY_SESSION, "%d", priority(device));
    pw_properties_setf(properties, PW_KEY_PRIORITY_DRIVER, "%d", priority(device));
    if (card->kind->bluetooth) {
        pw_properties_set(properties, "api.bluez5.profile", name);
    } else {
        pw_properties_set(properties, "device.profile.name", name);
        pw_properties_set(properties, "device.profile.description", mapping->description);
    }
    pw_properties_set(properties, PW_KEY_AUDIO_RATE, card->rate);
    pw_properties_set(properties, PW_KEY_NODE_MAX_LATENCY, card->max_latency);
    set_name(device, properties);
    set_channels(mapping, properties);
    set_stall(device, properties);
    device->node = pw_core_create_object(
        card->program->core, "adapter", PW_TYPE_INTERFACE_Node, PW_VERSION_NODE,
        &properties->dict, 0);
    pw_properties_free(properties);
    if (!device->node)
        return;
    pw_proxy_add_listener(device->node, &device->node_listener, &node_events, device);
    sim_node_update_volume(device);
}

void sim_node_destroy(sim_device *device) {
    if (device->node)
        pw_proxy_destroy(device->node);
}

void sim_node_update_volume(sim_device *device) {
    uint8_t buffer[512];
    struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(buffer, sizeof(buffer));

    if (!device->node || !device->active)
        return;
    pw_node_set_param(
        (struct pw_node *) device->node, SPA_PARAM_Props, 0,
        spa_pod_builder_add_object(
            &builder, SPA_TYPE_OBJECT_Props, SPA_PARAM_Props,
            SPA_PROP_mute, SPA_POD_Bool(device->active->mute), SPA_PROP_channelVolumes,
            SPA_POD_Array(sizeof(float), SPA_TYPE_Float, device->mapping->map.channels,
                device->active->volumes)));
}
