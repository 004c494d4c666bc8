#include "ak_ring.h"

#include "ak_memory.h"
#include "ak_side.h"

#include <stdlib.h>
#include <string.h>

/* Each side's counter has its own cache line, so that a write of one does not slow the other.
 * They count all bytes; at 100 MB/s they wrap after five thousand years. */
struct ak_ring {
  _Alignas(64) _Atomic uint64_t written;
  _Atomic uintptr_t producer;
  _Alignas(64) _Atomic uint64_t read;
  _Atomic uintptr_t consumer;
  _Alignas(64) _Atomic uint64_t violations;
  size_t mask;
  uint8_t *bytes;
};

ak_ring *ak_ring_create(size_t bytes) {
  if (bytes > SIZE_MAX / 4) return NULL;
  size_t capacity = 64;
  while (capacity < bytes) capacity *= 2;
  ak_ring *ring = aligned_alloc(64, sizeof(ak_ring));
  if (!ring) return NULL;
  ak_touch(ring, sizeof(ak_ring));
  ring->mask = capacity - 1;
  ring->bytes = malloc(capacity);
  if (!ring->bytes) {
    free(ring);
    return NULL;
  }
  ak_touch(ring->bytes, capacity);
  return ring;
}

void ak_ring_destroy(ak_ring *ring) {
  if (!ring) return;
  free(ring->bytes);
  free(ring);
}

uint64_t ak_ring_violations(const ak_ring *ring) {
  return atomic_load_explicit(&ring->violations, memory_order_relaxed);
}

static void copy_in(ak_ring *ring, uint64_t at, const void *bytes, size_t count) {
  if (count == 0) return;
  size_t start = (size_t)at & ring->mask;
  size_t first = ring->mask + 1 - start;
  if (first > count) first = count;
  memcpy(ring->bytes + start, bytes, first);
  memcpy(ring->bytes, (const uint8_t *)bytes + first, count - first);
}

size_t ak_ring_writable(const ak_ring *ring) {
  uint64_t written = atomic_load_explicit(&ring->written, memory_order_relaxed);
  uint64_t read = atomic_load_explicit(&ring->read, memory_order_acquire);
  return ring->mask + 1 - (size_t)(written - read);
}

bool ak_ring_write(ak_ring *ring, const void *bytes, size_t count) {
  return ak_ring_write_record(ring, bytes, count, NULL, 0);
}

bool ak_ring_write_record(ak_ring *ring, const void *head, size_t head_count, const void *body,
                          size_t body_count) {
  ak_check_side(&ring->producer, &ring->violations);
  size_t room = ak_ring_writable(ring);
  if (head_count > room || body_count > room - head_count) return false;
  uint64_t written = atomic_load_explicit(&ring->written, memory_order_relaxed);
  copy_in(ring, written, head, head_count);
  copy_in(ring, written + head_count, body, body_count);
  atomic_store_explicit(&ring->written, written + head_count + body_count, memory_order_release);
  return true;
}

size_t ak_ring_readable(const ak_ring *ring) {
  uint64_t read = atomic_load_explicit(&ring->read, memory_order_relaxed);
  uint64_t written = atomic_load_explicit(&ring->written, memory_order_acquire);
  return (size_t)(written - read);
}

bool ak_ring_read(ak_ring *ring, void *bytes, size_t count) {
  ak_check_side(&ring->consumer, &ring->violations);
  if (ak_ring_readable(ring) < count) return false;
  if (count == 0) return true;
  uint64_t read = atomic_load_explicit(&ring->read, memory_order_relaxed);
  size_t start = (size_t)read & ring->mask;
  size_t first = ring->mask + 1 - start;
  if (first > count) first = count;
  memcpy(bytes, ring->bytes + start, first);
  memcpy((uint8_t *)bytes + first, ring->bytes, count - first);
  atomic_store_explicit(&ring->read, read + count, memory_order_release);
  return true;
}
