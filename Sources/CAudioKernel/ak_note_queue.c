#include "ak_note_queue.h"
#include "ak_memory.h"
#include "ak_side.h"

#include <stdlib.h>
#include <string.h>

/// The counters increase for ever and wrap; each side's counter has its own cache line.
struct ak_note_queue {
  _Alignas(64) _Atomic uint32_t written;
  _Atomic uint64_t refused;
  _Alignas(64) _Atomic uint32_t read;
  _Alignas(64) ak_note_event events[AK_NOTE_QUEUE_CAPACITY];
  _Atomic uintptr_t consumer;
  _Atomic uint32_t producers;
  _Atomic uint64_t violations;
};

ak_note_queue *ak_note_queue_create(void) {
  ak_note_queue *queue = aligned_alloc(64, sizeof *queue);
  ak_touch(queue, sizeof *queue);
  return queue;
}

void ak_note_queue_destroy(ak_note_queue *queue) { free(queue); }

static bool push(ak_note_queue *queue, const ak_note_event *event) {
  uint32_t written = atomic_load_explicit(&queue->written, memory_order_relaxed);
  // Acquire: what the consumer took is read before it is overwritten.
  uint32_t read = atomic_load_explicit(&queue->read, memory_order_acquire);
  if (written - read == AK_NOTE_QUEUE_CAPACITY) {
    atomic_fetch_add_explicit(&queue->refused, 1, memory_order_relaxed);
    return false;
  }
  queue->events[written % AK_NOTE_QUEUE_CAPACITY] = *event;
  atomic_store_explicit(&queue->written, written + 1, memory_order_release);
  return true;
}

bool ak_note_queue_push(ak_note_queue *queue, const ak_note_event *event) {
  // Never two at the same time, whoever they are.
  if (atomic_fetch_add_explicit(&queue->producers, 1, memory_order_relaxed) > 0)
    atomic_fetch_add_explicit(&queue->violations, 1, memory_order_relaxed);
  bool is_in = push(queue, event);
  atomic_fetch_sub_explicit(&queue->producers, 1, memory_order_relaxed);
  return is_in;
}

bool ak_note_queue_pop(ak_note_queue *queue, ak_note_event *event) {
  ak_check_side(&queue->consumer, &queue->violations);
  uint32_t read = atomic_load_explicit(&queue->read, memory_order_relaxed);
  if (read == atomic_load_explicit(&queue->written, memory_order_acquire)) return false;
  *event = queue->events[read % AK_NOTE_QUEUE_CAPACITY];
  atomic_store_explicit(&queue->read, read + 1, memory_order_release);
  return true;
}

uint64_t ak_note_queue_refused(const ak_note_queue *queue) {
  return atomic_load_explicit(&queue->refused, memory_order_relaxed);
}

uint64_t ak_note_queue_violations(const ak_note_queue *queue) {
  return atomic_load_explicit(&queue->violations, memory_order_relaxed);
}
