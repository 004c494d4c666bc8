/* A lock-free ring of bytes between two threads.
 *
 * One thread writes (the producer) and one reads (the consumer); neither ever waits. The
 * ring counts each call from another thread than the first call of its side. */
#ifndef AUDIOSESSION_AK_RING_H
#define AUDIOSESSION_AK_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct ak_ring ak_ring;

/* The owner, before the ring is shared and after. */

/* Makes a ring for at least this number of bytes, with every page touched; NULL without memory. */
ak_ring *ak_ring_create(size_t bytes);
void ak_ring_destroy(ak_ring *ring);

/* Any thread, at any time. */

/* The number of calls from a wrong thread. */
uint64_t ak_ring_violations(const ak_ring *ring);

/* The producer. Realtime safe: no allocation, no lock, no system call. */

size_t ak_ring_writable(const ak_ring *ring);
/* Writes all the bytes, or none if they do not fit. */
bool ak_ring_write(ak_ring *ring, const void *bytes, size_t count);
/* Writes a head and a body as one record: the consumer gets both or neither. */
bool ak_ring_write_record(ak_ring *ring, const void *head, size_t head_count, const void *body,
                          size_t body_count);

/* The consumer. Realtime safe: no allocation, no lock, no system call. */

size_t ak_ring_readable(const ak_ring *ring);
/* Reads exactly this number of bytes, or none if there are fewer. */
bool ak_ring_read(ak_ring *ring, void *bytes, size_t count);

#endif
