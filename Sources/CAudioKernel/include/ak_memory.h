/* Memory for the audio thread. */
#ifndef AK_MEMORY_H
#define AK_MEMORY_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Zeroes memory and touches every page of it, because the first touch of a page is a page fault,
 * which the audio thread would have to wait for. memset is not enough: clang folds malloc and
 * memset into calloc, which touches nothing. */
static inline void *ak_touch(void *memory, size_t bytes) {
  if (!memory) return NULL;
  memset(memory, 0, bytes);
  volatile uint8_t *byte = memory;
  for (size_t at = 0; at < bytes; at += 4096) byte[at] = 0;
  if (bytes > 0) byte[bytes - 1] = 0;
  return memory;
}

#endif
