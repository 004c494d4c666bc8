#ifndef AUDIOSESSION_AK_SIDE_H
#define AUDIOSESSION_AK_SIDE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

/* Remembers the first thread of a side, and counts each call from another one. */
static inline void ak_check_side(_Atomic uintptr_t *side, _Atomic uint64_t *violations) {
  uintptr_t me = (uintptr_t)pthread_self();
  uintptr_t owner = atomic_load_explicit(side, memory_order_relaxed);
  if (owner == me) return;
  if (owner == 0 && atomic_compare_exchange_strong_explicit(
                        side, &owner, me, memory_order_relaxed, memory_order_relaxed))
    return;
  atomic_fetch_add_explicit(violations, 1, memory_order_relaxed);
}

#endif
