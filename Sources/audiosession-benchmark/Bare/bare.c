/* The floor of the benchmark: what a client of a few lines does with libpulse alone.
 *
 *   bare start                                 load the library, and end
 *   bare info                                  connect, ask for the server, and end
 *   bare list                                  connect, list everything, and end
 *   bare heal SOURCE [PORT CARD PROFILE]       set a default, port or profile again when it changes
 *   bare change SOURCE OTHER [PORT OTHER CARD PROFILE OTHER]
 *                                              for each line (d, p or c) on standard input: change it, wait
 *                                              until it is back, and print the microseconds
 *   bare apply SOURCE REMAP [FRAMES]           for each line: ask SOURCE for 10 ms, load a remap that swaps its
 *                                              channels, make that the default, and print the microseconds;
 *                                              then undo it. On PipeWire 10 ms are FRAMES of the graph, which
 *                                              only a stream that runs forces and shows
 *   bare podcast SOURCE FOLDER                 list everything; ask SOURCE for 48 kHz and for 10 ms, unmute it and
 *                                              make it the default, each read back; and replace files in FOLDER,
 *                                              synced as often as a first apply syncs its own
 */
#include <fcntl.h>
#include <pulse/pulseaudio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static pa_mainloop *loop;
static pa_context *context;
static int pending, changes, is_equal;

static void turn(void) {
  if (pa_mainloop_iterate(loop, 1, NULL) < 0) exit(1);
}

static void finish(pa_operation *operation) {
  if (!operation) exit(1);
  while (pa_operation_get_state(operation) == PA_OPERATION_RUNNING) turn();
  pa_operation_unref(operation);
}

static void open_context(void) {
  loop = pa_mainloop_new();
  context = pa_context_new(pa_mainloop_get_api(loop), "bare");
  if (pa_context_connect(context, NULL, PA_CONTEXT_NOAUTOSPAWN, NULL) < 0) exit(1);
  while (pa_context_get_state(context) != PA_CONTEXT_READY) {
    if (!PA_CONTEXT_IS_GOOD(pa_context_get_state(context))) exit(1);
    turn();
  }
}

static void on_event(pa_context *c, pa_subscription_event_type_t type, uint32_t index, void *mask) {
  (void)c, (void)index, (void)mask;
  changes |= 1 << (type & PA_SUBSCRIPTION_EVENT_FACILITY_MASK);
}

static void listen(void) {
  pa_context_set_subscribe_callback(context, on_event, NULL);
  finish(pa_context_subscribe(context, PA_SUBSCRIPTION_MASK_ALL, NULL, NULL));
}

/* Whether a value is as wanted, by a new reading. */

static void on_server(pa_context *c, const pa_server_info *info, void *wanted) {
  (void)c;
  is_equal = info && info->default_source_name && !strcmp(info->default_source_name, wanted);
}

static void on_source(pa_context *c, const pa_source_info *info, int end, void *wanted) {
  (void)c;
  if (end == 0) is_equal = info->active_port && !strcmp(info->active_port->name, wanted);
}

static void on_card(pa_context *c, const pa_card_info *info, int end, void *wanted) {
  (void)c;
  if (end == 0) is_equal = info->active_profile2 && !strcmp(info->active_profile2->name, wanted);
}

static int has_default(char *source) {
  finish(pa_context_get_server_info(context, on_server, source));
  return is_equal;
}

static int has_port(const char *source, char *port) {
  is_equal = 0;
  finish(pa_context_get_source_info_by_name(context, source, on_source, port));
  return is_equal;
}

static int has_profile(const char *card, char *profile) {
  is_equal = 0;
  finish(pa_context_get_card_info_by_name(context, card, on_card, profile));
  return is_equal;
}

static void set_default(const char *source) {
  finish(pa_context_set_default_source(context, source, NULL, NULL));
}

static void set_port(const char *source, const char *port) {
  finish(pa_context_set_source_port_by_name(context, source, port, NULL, NULL));
}

static void set_profile(const char *card, const char *profile) {
  finish(pa_context_set_card_profile_by_name(context, card, profile, NULL, NULL));
}

static void heal(char **words) {
  char *source = words[0], *port = words[1];
  char *card = port ? words[2] : NULL, *profile = port ? words[3] : NULL;
  listen();
  for (;;) {
    while (!changes) turn();
    int now = changes;
    changes = 0;
    if (now >> PA_SUBSCRIPTION_EVENT_SERVER & 1 && !has_default(source)) set_default(source);
    if (!port) continue;
    if (now >> PA_SUBSCRIPTION_EVENT_SOURCE & 1 && !has_port(source, port)) set_port(source, port);
    if (now >> PA_SUBSCRIPTION_EVENT_CARD & 1 && !has_profile(card, profile))
      set_profile(card, profile);
  }
}

static int is_back(int kind, char **words) {
  if (kind == 'd') return has_default(words[0]);
  if (!words[2]) return 1;
  if (kind == 'p') return has_port(words[0], words[2]);
  return has_profile(words[4], words[5]);
}

static long long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void change(char **words) {
  char line[8];
  listen();
  while (fgets(line, sizeof line, stdin)) {
    /* Only events from now on. */
    while (pa_mainloop_iterate(loop, 0, NULL) > 0) {}
    changes = 0;
    long long start = now();
    if (line[0] == 'd') set_default(words[1]);
    else if (line[0] == 'p') set_port(words[0], words[3]);
    else set_profile(words[4], words[6]);
    /* PipeWire answers before it acts: only an event shows that it did. */
    int facility = line[0] == 'd'   ? PA_SUBSCRIPTION_EVENT_SERVER
                   : line[0] == 'p' ? PA_SUBSCRIPTION_EVENT_SOURCE
                                    : PA_SUBSCRIPTION_EVENT_CARD;
    while (!(changes >> facility & 1)) turn();
    while (!is_back(line[0], words)) {
      while (!changes) turn();
      changes = 0;
    }
    printf("%lld\n", (now() - start) / 1000);
    fflush(stdout);
    while (!(is_back('d', words) && is_back('p', words) && is_back('c', words))) turn();
  }
}

static void on_index(pa_context *c, uint32_t index, void *place) {
  (void)c;
  *(uint32_t *)place = index;
}

static void make_default(char *source) {
  /* PipeWire refuses a source that it does not list yet. */
  for (;;) {
    set_default(source);
    if (has_default(source)) return;
    while (!changes) turn();
    changes = 0;
  }
}

/* Until a stream has run for two cycles of so many frames. */
static void await_cycles(pa_stream *pin, int64_t frames) {
  int64_t last = -1;
  for (int seen = 0; seen < 2;) {
    finish(pa_stream_update_timing_info(pin, NULL, NULL));
    const pa_timing_info *timing = pa_stream_get_timing_info(pin);
    int64_t at = timing ? timing->write_index / 4 : 0;
    if (last >= 0 && at != last) seen = at - last == frames ? seen + 1 : 0;
    last = at;
  }
}

static void apply(char *source, char *remap, const char *frames) {
  pa_sample_spec spec = {.format = PA_SAMPLE_S16LE, .rate = 44100, .channels = 2};
  pa_buffer_attr buffer = {.maxlength = (uint32_t)-1, .fragsize = 1764};
  char line[8], words[512];
  snprintf(words, sizeof words, "source_name=%s master=%s channels=2 remix=no channel_map=front-left,front-right "
           "master_channel_map=front-right,front-left", remap, source);
  listen();
  while (fgets(line, sizeof line, stdin)) {
    uint32_t module = PA_INVALID_INDEX;
    long long start = now();
    pa_proplist *properties = pa_proplist_new();
    if (frames) {
      pa_proplist_sets(properties, "node.force-quantum", frames);
      spec.rate = 48000;
    }
    pa_stream *pin = pa_stream_new_with_proplist(context, "pin", &spec, NULL, properties);
    pa_proplist_free(properties);
    pa_stream_connect_record(pin, source, &buffer,
                             PA_STREAM_ADJUST_LATENCY | (frames ? 0 : PA_STREAM_START_CORKED));
    while (pa_stream_get_state(pin) != PA_STREAM_READY) turn();
    if (frames) await_cycles(pin, atol(frames));
    finish(pa_context_load_module(context, "module-remap-source", words, on_index, &module));
    make_default(remap);
    printf("%lld\n", (now() - start) / 1000);
    fflush(stdout);
    pa_stream_disconnect(pin);
    pa_stream_unref(pin);
    finish(pa_context_unload_module(context, module, NULL, NULL));
    make_default(source);
  }
}

static void on_list(pa_context *c, const void *info, int end, void *data) {
  (void)c, (void)info, (void)data;
  if (end) --pending;
}

/* A source, and its rate once it was listed. */
struct rated {
  const char *name;
  uint32_t rate;
};

static void on_listed_source(pa_context *c, const pa_source_info *info, int end, void *data) {
  struct rated *source = data;
  if (!end && source && !strcmp(info->name, source->name)) source->rate = info->sample_spec.rate;
  on_list(c, info, end, NULL);
}

static void list(struct rated *source) {
  pa_operation *operations[] = {
    pa_context_get_server_info(context, on_server, ""),
    pa_context_get_sink_info_list(context, (pa_sink_info_cb_t)on_list, NULL),
    pa_context_get_source_info_list(context, on_listed_source, source),
    pa_context_get_card_info_list(context, (pa_card_info_cb_t)on_list, NULL),
    pa_context_get_sink_input_info_list(context, (pa_sink_input_info_cb_t)on_list, NULL),
    pa_context_get_source_output_info_list(context, (pa_source_output_info_cb_t)on_list, NULL),
    pa_context_get_module_info_list(context, (pa_module_info_cb_t)on_list, NULL),
    pa_context_get_client_info_list(context, (pa_client_info_cb_t)on_list, NULL),
  };
  pending = 7;
  while (pending) turn();
  for (unsigned at = 0; at < sizeof operations / sizeof *operations; at++)
    pa_operation_unref(operations[at]);
}

/* Replaces a file: a reader finds the old content or the new. */
static void save(const char *folder, const char *name, int is_synced) {
  static char text[1024];
  char path[4096], draft[4096];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  snprintf(draft, sizeof draft, "%s/%s.draft", folder, name);
  int file = open(draft, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (file < 0 || write(file, text, sizeof text) != (ssize_t)sizeof text) exit(1);
  if (is_synced && fsync(file)) exit(1);
  if (close(file) || rename(draft, path)) exit(1);
}

static void sync_names(const char *folder) {
  int file = open(folder, O_RDONLY | O_DIRECTORY);
  if (file < 0 || fsync(file) || close(file)) exit(1);
}

/* A corked stream that asks a source for a rate and, with a fragment, for a latency; read back. */
static pa_stream *open_pin(const char *source, uint32_t rate, uint32_t fragment) {
  pa_sample_spec spec = {.format = PA_SAMPLE_S16LE, .rate = rate, .channels = 2};
  pa_buffer_attr buffer = {.maxlength = (uint32_t)-1, .fragsize = fragment ? fragment : (uint32_t)-1};
  pa_stream *pin = pa_stream_new(context, "pin", &spec, NULL);
  if (!pin) exit(1);
  pa_stream_connect_record(pin, source, &buffer,
                           PA_STREAM_START_CORKED | PA_STREAM_DONT_MOVE | (fragment ? PA_STREAM_ADJUST_LATENCY : 0));
  while (pa_stream_get_state(pin) != PA_STREAM_READY) {
    if (!PA_STREAM_IS_GOOD(pa_stream_get_state(pin))) exit(1);
    turn();
  }
  has_port(source, "");
  return pin;
}

static void on_muted(pa_context *c, const pa_source_info *info, int end, void *data) {
  (void)c, (void)data;
  if (!end) is_equal = !info->mute;
}

static void podcast(char *name, const char *folder) {
  struct rated source = {name, 0};
  listen();
  list(&source);
  save(folder, "baseline", 1);
  sync_names(folder);
  save(folder, "status", 0);
  pa_stream *rate = source.rate == 48000 ? NULL : open_pin(name, 48000, 0);
  pa_stream *latency = open_pin(name, 48000, 1920);
  if (rate) {
    pa_stream_disconnect(rate);
    pa_stream_unref(rate);
  }
  finish(pa_context_set_source_mute_by_name(context, name, 0, NULL, NULL));
  is_equal = 0;
  finish(pa_context_get_source_info_by_name(context, name, on_muted, NULL));
  if (!is_equal) exit(1);
  set_default(name);
  if (!has_default(name)) exit(1);
  save(folder, "baseline", 1);
  save(folder, "mode", 1);
  sync_names(folder);
  pa_stream_disconnect(latency);
  pa_stream_unref(latency);
}

int main(int count, char **words) {
  const char *work = count > 1 ? words[1] : "";
  if (!strcmp(work, "start")) return pa_get_library_version() == NULL;
  open_context();
  if (!strcmp(work, "info")) has_default("");
  else if (!strcmp(work, "list")) list(NULL);
  else if (!strcmp(work, "heal") && (count == 3 || count == 6)) heal(words + 2);
  else if (!strcmp(work, "change") && (count == 4 || count == 9)) change(words + 2);
  else if (!strcmp(work, "apply") && (count == 4 || count == 5)) apply(words[2], words[3], count == 5 ? words[4] : NULL);
  else if (!strcmp(work, "podcast") && count == 4) podcast(words[2], words[3]);
  else return 2;
  pa_context_disconnect(context);
  return 0;
}
