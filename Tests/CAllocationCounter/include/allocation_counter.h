/* Counts what a thread allocates and locks: malloc and its family, and pthread_mutex_lock, of the
 * whole test program. */
#ifndef AUDIOSESSION_ALLOCATION_COUNTER_H
#define AUDIOSESSION_ALLOCATION_COUNTER_H

#include <stdbool.h>
#include <stdint.h>

/* Whether anything is counted: not with a sanitizer, which has a malloc of its own. */
bool allocation_counter_works(void);
/* Allocations and frees of the calling thread so far. */
uint64_t allocation_count(void);
/* A probe for callbacks: adds what happens between `true` and `false` on a thread to totals. */
void allocation_probe(bool begins);
/* What the probe has seen: spans, allocations and locks in them. */
uint64_t probed_spans(void);
uint64_t probed_allocations(void);
uint64_t probed_locks(void);
/* Mutexes that the calling thread has locked so far. */
uint64_t lock_count(void);

#endif
