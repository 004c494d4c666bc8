#include "CPulsePoll.h"

#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

/* Whether a descriptor is connected to the socket at the end of an address ("unix:/run/…/native"). */
static bool leads_to(const char *server, int fd) {
  struct sockaddr_un peer = {0};
  socklen_t size = sizeof peer - 1;
  if (getpeername(fd, (struct sockaddr *)&peer, &size) < 0 || peer.sun_family != AF_UNIX) return false;
  size_t whole = strlen(server), part = strlen(peer.sun_path);
  return part > 0 && part <= whole && strcmp(server + whole - part, peer.sun_path) == 0;
}

int pp_poll(struct pollfd *fds, unsigned long count, int timeout_ms, void *server) {
  int result = poll(fds, count, timeout_ms);
  for (unsigned long i = 0; i < count && result > 0; i++) {
    if (!(fds[i].revents & POLLHUP) || !leads_to(server, fds[i].fd)) continue;
    char rest[4096];
    while (recv(fds[i].fd, rest, sizeof rest, MSG_DONTWAIT) > 0) {}
  }
  return result;
}
