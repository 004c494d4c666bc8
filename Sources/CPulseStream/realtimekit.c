/* Realtime scheduling from rtkit (org.freedesktop.RealtimeKit1 on the system bus), which grants it
 * to a desktop's users, who lack the permission themselves. */
#include "stream.h"

#include <errno.h>

#ifdef PS_DBUS
#include <dbus/dbus.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#define SERVICE "org.freedesktop.RealtimeKit1"
#define OBJECT "/org/freedesktop/RealtimeKit1"

/* The limit of each answer; the bus may be frozen while a stream waits to start. */
enum { ANSWER_MS = 500, TURN_MS = 20 };

/* libdbus's own blocking calls wait for ever while a connection is not authenticated yet. */
static DBusMessage *await(DBusConnection *bus, DBusPendingCall *pending) {
  int64_t deadline = ps_now() + ANSWER_MS * 1000000LL;
  while (!dbus_pending_call_get_completed(pending) && ps_now() < deadline
         && dbus_connection_read_write_dispatch(bus, TURN_MS)) {
  }
  if (!dbus_pending_call_get_completed(pending)) {
    dbus_pending_call_cancel(pending);
    return NULL;
  }
  return dbus_pending_call_steal_reply(pending);
}

/* Sends a message and releases it; NULL if the answer is an error, or is late. */
static DBusMessage *call(DBusConnection *bus, DBusMessage *question) {
  DBusPendingCall *pending = NULL;
  if (!question) return NULL;
  DBusMessage *answer =
      dbus_connection_send_with_reply(bus, question, &pending, ANSWER_MS) && pending
          ? await(bus, pending) : NULL;
  if (pending) dbus_pending_call_unref(pending);
  dbus_message_unref(question);
  if (answer && dbus_message_get_type(answer) == DBUS_MESSAGE_TYPE_ERROR) {
    dbus_message_unref(answer);
    return NULL;
  }
  return answer;
}

/* Whether the socket of an address accepts a connection now. libdbus waits for ever for a bus that is frozen
 * and whose queue is full. (If there was one place left, it is the probe's, until the bus continues.) */
static bool accepts(const char *address) {
  const char *prefix = "unix:path=";
  if (strncmp(address, prefix, strlen(prefix)) != 0) return true;
  const char *path = address + strlen(prefix);
  size_t length = strcspn(path, ",");
  struct sockaddr_un name = {.sun_family = AF_UNIX};
  if (length >= sizeof name.sun_path || memchr(path, '%', length) || strchr(path, ';')) return true;
  memcpy(name.sun_path, path, length);
  int probe = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (probe < 0) return false;
  bool is_accepted = connect(probe, (struct sockaddr *)&name, sizeof name) == 0;
  close(probe);
  return is_accepted;
}

/* A private connection: the program may use the shared one, with its own loop. */
static DBusConnection *connect_bus(void) {
  const char *address = getenv("DBUS_SYSTEM_BUS_ADDRESS");
  if (!address) address = "unix:path=/run/dbus/system_bus_socket";
  if (!accepts(address)) return NULL;
  dbus_connection_set_change_sigpipe(false); /* the program decides how to handle that signal */
  DBusConnection *bus = dbus_connection_open_private(address, NULL);
  if (!bus) return NULL;
  dbus_connection_set_exit_on_disconnect(bus, false);
  DBusMessage *hello = call(bus, dbus_message_new_method_call(
      DBUS_SERVICE_DBUS, DBUS_PATH_DBUS, DBUS_INTERFACE_DBUS, "Hello"));
  if (hello) {
    dbus_message_unref(hello);
    return bus;
  }
  dbus_connection_close(bus);
  dbus_connection_unref(bus);
  return NULL;
}

/* A number from rtkit; -1 if there is no answer. */
static int64_t property(DBusConnection *bus, const char *name) {
  const char *interface = SERVICE;
  DBusMessage *question = dbus_message_new_method_call(
      SERVICE, OBJECT, DBUS_INTERFACE_PROPERTIES, "Get");
  if (question)
    dbus_message_append_args(question, DBUS_TYPE_STRING, &interface, DBUS_TYPE_STRING, &name,
                             DBUS_TYPE_INVALID);
  DBusMessage *answer = call(bus, question);
  if (!answer) return -1;
  int64_t result = -1;
  DBusMessageIter outer, inner;
  if (dbus_message_iter_init(answer, &outer)
      && dbus_message_iter_get_arg_type(&outer) == DBUS_TYPE_VARIANT) {
    dbus_int32_t small;
    dbus_int64_t large;
    dbus_message_iter_recurse(&outer, &inner);
    switch (dbus_message_iter_get_arg_type(&inner)) {
      case DBUS_TYPE_INT32: dbus_message_iter_get_basic(&inner, &small); result = small; break;
      case DBUS_TYPE_INT64: dbus_message_iter_get_basic(&inner, &large); result = large; break;
    }
  }
  dbus_message_unref(answer);
  return result;
}

/* rtkit requires that the kernel stops the thread if it runs for too long. */
static int limit_runaways(DBusConnection *bus) {
  int64_t most = property(bus, "RTTimeUSecMax");
  struct rlimit limit;
  if (most < 0) return EHOSTUNREACH; /* the bus has no rtkit */
  if (getrlimit(RLIMIT_RTTIME, &limit) < 0) return errno;
  /* rtkit checks the hard limit. */
  if (limit.rlim_max <= (rlim_t)most) return 0;
  limit.rlim_cur = limit.rlim_max = (rlim_t)most;
  return setrlimit(RLIMIT_RTTIME, &limit) < 0 ? errno : 0;
}

static int make_realtime(DBusConnection *bus, int *priority) {
  int64_t highest = property(bus, "MaxRealtimePriority");
  if (highest < 0) return EHOSTUNREACH; /* the bus has no rtkit, or it does not answer */
  int error = limit_runaways(bus);
  if (error) return error;
  if (highest > 0 && *priority > highest) *priority = (int)highest;

  dbus_uint64_t thread = (dbus_uint64_t)syscall(SYS_gettid);
  dbus_uint32_t asked = (dbus_uint32_t)*priority;
  DBusMessage *question = dbus_message_new_method_call(SERVICE, OBJECT, SERVICE, "MakeThreadRealtime");
  if (question)
    dbus_message_append_args(question, DBUS_TYPE_UINT64, &thread, DBUS_TYPE_UINT32, &asked,
                             DBUS_TYPE_INVALID);
  DBusMessage *answer = call(bus, question);
  if (!answer) return EPERM;
  dbus_message_unref(answer);
  return 0;
}

int ps_ask_realtimekit(int *priority) {
  DBusConnection *bus = connect_bus();
  if (!bus) return EHOSTUNREACH;
  int error = make_realtime(bus, priority);
  dbus_connection_close(bus);
  dbus_connection_unref(bus);
  return error;
}

#else

int ps_ask_realtimekit(int *priority) {
  (void)priority;
  return ENOSYS;
}

#endif
