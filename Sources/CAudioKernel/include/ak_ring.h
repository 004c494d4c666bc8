/* A ring of bytes between two threads, without a lock.
 *
 * One thread writes (the producer) and one reads (the consumer); neither ever waits. A debug build
 * counts each call that comes from another thread than the first one of its side did. */
#ifndef AUDIOSESSION_AK_RING_H
#define AUDIOSESSION_AK_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct ak_ring ak_ring;

/* Any thread, before the ring is shared and after. */

/* Makes a ring for at least so many bytes, every page touched; NULL where there is no memory. */
ak_ring *ak_ring_create(size_t bytes);
void ak_ring_destroy(ak_ring *ring);
/* Bytes that the ring holds when it is full. */
size_t ak_ring_capacity(const ak_ring *ring);
/* How many calls came from a wrong thread; always 0 in a release build. */
uint64_t ak_ring_violations(const ak_ring *ring);

/* The producer. Realtime safe: no allocation, no lock, no system call. */

size_t ak_ring_writable(const ak_ring *ring);
/* Writes all the bytes, or none if they do not fit. */
bool ak_ring_write(ak_ring *ring, const void *bytes, size_t count);
/* Writes a head and a body as one record: the consumer sees both or neither. */
bool ak_ring_write_record(ak_ring *ring, const void *head, size_t head_count, const void *body,
                          size_t body_count);

/* The consumer. Realtime safe: no allocation, no lock, no system call. */

size_t ak_ring_readable(const ak_ring *ring);
/* Reads so many bytes, or none if there are fewer. */
bool ak_ring_read(ak_ring *ring, void *bytes, size_t count);
/* Drops up to so many bytes, and says how many. */
size_t ak_ring_skip(ak_ring *ring, size_t count);

#endif
