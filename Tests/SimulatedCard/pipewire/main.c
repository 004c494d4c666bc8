/* simulated-card SOCKET CARD…: exports cards into the PipeWire that XDG_RUNTIME_DIR leads to, until
 * that ends or a signal comes. A CARD is words such as "kind=laptop tone=no". */

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include <spa/utils/result.h>

#include "simulated-card.h"

static void on_signal(void *data, int number) {
    pw_main_loop_quit(data);
}

/* The server's end is this program's, as hardware is nothing without its driver. */
static void on_error(void *data, uint32_t id, int seq, int result, const char *message) {
    sim_program *program = data;

    if (id == PW_ID_CORE && result == -EPIPE) {
        pw_main_loop_quit(program->main_loop);
        return;
    }
    fprintf(stderr, "simulated-card: object %u: %s (%s)\n", id, message, spa_strerror(result));
}

static const struct pw_core_events core_events = { PW_VERSION_CORE_EVENTS, .error = on_error };

int main(int argc, char **argv) {
    sim_program program = { .socket = -1 };
    const char *error = NULL;
    sim_card *card;

    /* A caller may be gone before it gets its answer. */
    signal(SIGPIPE, SIG_IGN);
    if (argc < 2) {
        fprintf(stderr, "usage: simulated-card SOCKET CARD…\n");
        return 64;
    }
    pw_init(&argc, &argv);
    spa_list_init(&program.cards);
    spa_list_init(&program.ports);
    program.socket_path = argv[1];
    program.main_loop = pw_main_loop_new(NULL);
    program.loop = pw_main_loop_get_loop(program.main_loop);
    pw_loop_add_signal(program.loop, SIGINT, on_signal, program.main_loop);
    pw_loop_add_signal(program.loop, SIGTERM, on_signal, program.main_loop);
    program.context = pw_context_new(program.loop, NULL, 0);
    program.core = program.context ? pw_context_connect(program.context, NULL, 0) : NULL;
    if (!program.core) {
        fprintf(stderr, "simulated-card: cannot connect: %s\n", strerror(errno));
        return 69;
    }
    pw_core_add_listener(program.core, &program.core_listener, &core_events, &program);
    sim_sound_watch(&program);
    for (int i = 2; i < argc; i++) {
        if (!(card = sim_card_new(&program, argv[i], &error))) {
            fprintf(stderr, "simulated-card: '%s': %s\n", argv[i], error);
            return 64;
        }
        sim_card_insert(card);
    }
    pw_main_loop_run(program.main_loop);
    return 0;
}
