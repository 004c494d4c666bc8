/* The node of a simulated device, loaded by PipeWire's server: its null sink, which follows the rate
 * of the graph as ALSA's nodes do. Those offer the rate that the graph is to have when they are opened
 * (spa/plugins/alsa/alsa-pcm.c, add_rate), and are opened anew when it changes. The null sink by
 * itself did so up to 0.3, by what its converter proposed; in 1.4 it proposes 48000 Hz, always. */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <spa/node/command.h>
#include <spa/node/node.h>
#include <spa/node/io.h>
#include <spa/param/audio/format-utils.h>
#include <spa/support/plugin.h>
#include <spa/support/plugin-loader.h>
#include <spa/utils/keys.h>
#include <spa/utils/names.h>
#include <spa/utils/string.h>

#define FACTORY_NAME "simulated.node"

struct impl {
    struct spa_handle handle;
    struct spa_plugin_loader *loader;
    struct spa_handle *null;
    struct spa_node *node;                    /* the null sink's, with the methods below */
    const struct spa_node_methods *methods;   /* its own */
    struct spa_node_methods ours;             /* the same, but for three */
    struct spa_io_position *position;
    bool is_fixed; /* audio.rate: hardware of one rate */
    char dead[512]; /* while this file is there it starts, and delivers or takes nothing */
    struct impl *next;
};

/* All nodes, to find one by what its methods are called with; the server's main thread alone. */
static struct impl *nodes;

static struct impl *find(void *object) {
    struct impl *node = nodes;

    while (node && node->node->iface.cb.data != object)
        node = node->next;
    return node;
}

static int set_io(void *object, uint32_t id, void *data, size_t size) {
    struct impl *this = find(object);

    if (id == SPA_IO_Position)
        this->position = data;
    return this->methods->set_io(object, id, data, size);
}

/* Newer servers say behind what 0.3.65 has of the clock which rate comes next; that one has zeros. */
static uint32_t graph_rate(const struct spa_io_position *position) {
    const struct spa_fraction *target = (const void *) (&position->clock.next_nsec + 1);

    return target->denom ? target->denom : position->clock.rate.denom;
}

/* Whoever proposes another rate than the graph's gets the nearest one that there is: that. */
static int port_set_param(
    void *object, enum spa_direction direction, uint32_t port, uint32_t id, uint32_t flags,
    const struct spa_pod *param) {
    struct impl *this = find(object);
    uint32_t rate = this->position ? graph_rate(this->position) : 0;
    struct spa_audio_info_raw info = { 0 };
    uint8_t buffer[1024];
    struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(buffer, sizeof(buffer));
    int result;

    if (id != SPA_PARAM_Format || !param || this->is_fixed || rate == 0
        || spa_format_audio_raw_parse(param, &info) < 0 || info.rate == rate)
        return this->methods->port_set_param(object, direction, port, id, flags, param);
    info.rate = rate;
    param = spa_format_audio_raw_build(&builder, id, &info);
    result = this->methods->port_set_param(object, direction, port, id, flags, param);
    return result < 0 ? result : 1;
}

static int send_command(void *object, const struct spa_command *command) {
    struct impl *this = find(object);

    if (SPA_NODE_COMMAND_ID(command) == SPA_NODE_COMMAND_Start && *this->dead
        && access(this->dead, F_OK) == 0)
        return 0;
    return this->methods->send_command(object, command);
}

static int get_interface(struct spa_handle *handle, const char *type, void **interface) {
    return spa_handle_get_interface(((struct impl *) handle)->null, type, interface);
}

static int clear(struct spa_handle *handle) {
    struct impl *this = (struct impl *) handle;

    for (struct impl **link = &nodes; *link; link = &(*link)->next)
        if (*link == this) {
            *link = this->next;
            break;
        }
    return spa_plugin_loader_unload(this->loader, this->null);
}

static size_t get_size(const struct spa_handle_factory *factory, const struct spa_dict *params) {
    return sizeof(struct impl);
}

static int init(
    const struct spa_handle_factory *factory, struct spa_handle *handle, const struct spa_dict *info,
    const struct spa_support *support, uint32_t n_support) {
    struct impl *this = (struct impl *) handle;
    void *node = NULL;

    this->handle.version = SPA_VERSION_HANDLE;
    this->handle.get_interface = get_interface;
    this->handle.clear = clear;
    this->is_fixed = info && spa_dict_lookup(info, SPA_KEY_AUDIO_RATE);
    const char *dead = info ? spa_dict_lookup(info, "simulated.dead") : NULL;
    snprintf(this->dead, sizeof(this->dead), "%s", dead ? dead : "");
    this->loader = spa_support_find(support, n_support, SPA_TYPE_INTERFACE_PluginLoader);
    if (!this->loader)
        return -ENOTSUP;
    this->null = spa_plugin_loader_load(this->loader, "support.null-audio-sink", info);
    if (!this->null)
        return -errno;
    if (spa_handle_get_interface(this->null, SPA_TYPE_INTERFACE_Node, &node) < 0) {
        spa_plugin_loader_unload(this->loader, this->null);
        return -ENOTSUP;
    }
    this->node = node;
    this->methods = this->node->iface.cb.funcs;
    this->ours = *this->methods;
    this->ours.set_io = set_io;
    this->ours.port_set_param = port_set_param;
    this->ours.send_command = send_command;
    this->node->iface.cb.funcs = &this->ours;
    this->next = nodes;
    nodes = this;
    return 0;
}

static const struct spa_interface_info interfaces[] = { { SPA_TYPE_INTERFACE_Node } };

static int enum_interface_info(
    const struct spa_handle_factory *factory, const struct spa_interface_info **info,
    uint32_t *index) {
    if (*index >= SPA_N_ELEMENTS(interfaces))
        return 0;
    *info = &interfaces[(*index)++];
    return 1;
}

static const struct spa_handle_factory node_factory = {
    SPA_VERSION_HANDLE_FACTORY, FACTORY_NAME, NULL, get_size, init, enum_interface_info };

SPA_EXPORT int spa_handle_factory_enum(
    const struct spa_handle_factory **factory, uint32_t *index) {
    if (*index > 0)
        return 0;
    *factory = &node_factory;
    (*index)++;
    return 1;
}
