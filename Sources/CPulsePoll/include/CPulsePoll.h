/* What a main loop of libpulse polls with while a connection is made. */
#ifndef CPULSEPOLL_H
#define CPULSEPOLL_H
#include <poll.h>

/* As poll(2), for pa_mainloop_set_poll_func; `server` is the address that libpulse connects to.
 *
 * If that server has died, what it sent is thrown away, so that libpulse reads the end of the connection
 * and nothing else. If libpulse (6.0 to 17.0) reads the request for a shared ring buffer from a server that
 * is gone, its answer cannot be sent, the buffer stays pending, and pa_pstream_unlink waits for ever, on
 * the processor, for a buffer that is not in use. */
int pp_poll(struct pollfd *fds, unsigned long count, int timeout_ms, void *server);
#endif
