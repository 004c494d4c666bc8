/* The user's hand: a line on a socket, "CARD MESSAGE [PARAMETER]", answered by "ok" or what is wrong
 * with it; or "settled". */

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <spa/node/command.h>
#include <spa/param/param.h>

#include "simulated-card.h"

static const char *set_available(sim_card *card, const char *name, uint32_t available) {
    for (uint32_t i = 0; i < card->n_routes; i++)
        if (strcmp(card->routes[i].port->name, name) == 0) {
            sim_route_set_available(card, &card->routes[i], available);
            return "ok";
        }
    return "no such port";
}

static const char *note_profile(sim_card *card, const char *name, char **noted) {
    bool none = strcmp(name, "none") == 0;

    if (!none && sim_profile_find(card, name) < 0)
        return "no such profile";
    free(*noted);
    *noted = none ? NULL : strdup(name);
    return "ok";
}

/* As the call side of a headset, which connects a while after its music side. */
static const char *hide_profile(sim_card *card, const char *name) {
    const char *answer = note_profile(card, name, &card->hidden_profile);

    card->profile_settled = false;
    sim_card_params_changed(card, SPA_PARAM_EnumProfile, SPA_ID_INVALID);
    sim_card_remind(card);
    return answer;
}

/* As some hardware after sleep: only another profile, and back, makes it work again. */
static const char *die(sim_card *card, pa_direction_t direction, const char *count) {
    for (uint32_t i = 0; i < card->n_devices; i++) {
        sim_device *device = &card->devices[i];
        char path[512];
        if (device->mapping->direction != direction || !device->node || atoi(count) < 1)
            continue;
        device->dead = (unsigned) atoi(count);
        sim_node_stall_file(device, path, sizeof(path));
        FILE *file = fopen(path, "w");
        return file && fclose(file) == 0 ? "ok" : strerror(errno);
    }
    return "no such device";
}

/* Lets the microphones deliver nothing while they run: the server's node waits, and the file keeps it
 * from being started again. */
static const char *stall(sim_card *card, const char *time) {
    bool stalls = atoi(time) > 0;
    const char *answer = "no such device";

    for (uint32_t i = 0; i < card->n_devices; i++) {
        sim_device *device = &card->devices[i];
        if (device->mapping->direction != PA_DIRECTION_INPUT || !device->node)
            continue;
        char path[512];
        sim_node_stall_file(device, path, sizeof(path));
        if (stalls) {
            FILE *file = fopen(path, "w");
            if (!file || fclose(file) != 0)
                return strerror(errno);
        } else
            unlink(path);
        struct spa_command command = SPA_NODE_COMMAND_INIT(
            stalls ? SPA_NODE_COMMAND_Pause : SPA_NODE_COMMAND_Start);
        pw_node_send_command((struct pw_node *) device->node, &command);
        answer = "ok";
    }
    return answer;
}

/* How many cards are plugged in, and of each device the port and the volume in percent (as
 * PulseAudio counts it), once the session manager has chosen them, or has been silent for a second. */
static const char *settled(sim_program *program) {
    static char answer[4096];
    size_t length = 0;
    unsigned count = 0;
    char name[256];
    sim_card *card;

    spa_list_for_each(card, &program->cards, link)
        count += !!card->proxy;
    length += (size_t) snprintf(answer, sizeof(answer), "ok %u", count);
    spa_list_for_each(card, &program->cards, link) {
        bool is_quiet = sim_now() - card->changed > SPA_NSEC_PER_SEC;
        if (card->proxy && !card->profile_settled && !is_quiet)
            return "not yet";
        for (uint32_t i = 0; card->proxy && i < card->n_devices; i++) {
            sim_device *device = &card->devices[i];
            if (!sim_profile_has(card, card->profile, device->mapping))
                continue;
            if (device->node_id == SPA_ID_INVALID
                || (device->active && !device->settled && !is_quiet))
                return "not yet";
            sim_node_name(device, name, sizeof(name));
            if (device->active)
                length += (size_t) snprintf(
                    answer + length, sizeof(answer) - length, " %s=%s=%.0f", name,
                    device->active->port->name, 100 * cbrt(device->active->volumes[0]));
        }
    }
    return answer;
}

static const char *act(sim_program *program, char *line) {
    if (strcmp(line, "settled") == 0)
        return settled(program);
    char *rest = line, *name = strsep(&rest, " "), *message = strsep(&rest, " ");
    sim_card *card = sim_card_find(program, name);

    if (!message)
        return "a card, a message and its parameter are needed";
    if (!card)
        return "no such card";
    if (strcmp(message, "insert") == 0)
        return sim_card_insert(card), "ok";
    if (!card->proxy)
        return "the card is pulled out";
    if (strcmp(message, "remove") == 0)
        return sim_card_remove(card), "ok";
    if (strcmp(message, "announce") == 0)
        return sim_card_params_changed(card, SPA_PARAM_EnumProfile, SPA_PARAM_Profile), "ok";
    if (!rest)
        return "the message needs a parameter";
    if (strcmp(message, "plug") == 0)
        return set_available(card, rest, SPA_PARAM_AVAILABILITY_yes);
    if (strcmp(message, "unplug") == 0)
        return set_available(card, rest, SPA_PARAM_AVAILABILITY_no);
    if (strcmp(message, "unknown") == 0)
        return set_available(card, rest, SPA_PARAM_AVAILABILITY_unknown);
    if (strcmp(message, "fail-profile") == 0)
        return note_profile(card, rest, &card->failing_profile);
    if (strcmp(message, "hide-profile") == 0)
        return hide_profile(card, rest);
    if (strcmp(message, "die") == 0)
        return die(card, PA_DIRECTION_INPUT, rest);
    if (strcmp(message, "die-output") == 0)
        return die(card, PA_DIRECTION_OUTPUT, rest);
    if (strcmp(message, "stall") == 0)
        return stall(card, rest);
    if (strcmp(message, "profile-delay") == 0)
        return card->profile_delay = (uint32_t) atoi(rest), "ok";
    return "no such message";
}

/* A line comes at once, or its sender is not worth waiting for. */
static void on_connection(void *data, int socket, uint32_t mask) {
    sim_program *program = data;
    struct timeval backoff = { .tv_sec = 1 };
    char line[512];
    size_t length = 0;
    int connection = accept4(socket, NULL, NULL, SOCK_CLOEXEC);

    if (connection < 0)
        return;
    setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &backoff, sizeof(backoff));
    while (length < sizeof(line) - 1 && !memchr(line, '\n', length)) {
        ssize_t count = read(connection, line + length, sizeof(line) - 1 - length);
        if (count <= 0)
            break;
        length += (size_t) count;
    }
    char *end = memchr(line, '\n', length);
    if (end) {
        *end = 0;
        dprintf(connection, "%s\n", act(program, line));
    }
    close(connection);
}

bool sim_control_open(sim_program *program) {
    struct sockaddr_un address = { .sun_family = AF_UNIX };

    if (program->listening)
        return true;
    program->listening = true;
    snprintf(address.sun_path, sizeof(address.sun_path), "%s", program->socket_path);
    unlink(program->socket_path);
    program->socket = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (program->socket < 0
        || bind(program->socket, (struct sockaddr *) &address, sizeof(address)) < 0
        || listen(program->socket, 16) < 0) {
        fprintf(stderr, "simulated-card: %s: %s\n", program->socket_path, strerror(errno));
        return false;
    }
    pw_loop_add_io(program->loop, program->socket, SPA_IO_IN, true, on_connection, program);
    return true;
}
