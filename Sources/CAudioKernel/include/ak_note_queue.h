#ifndef AUDIOSESSION_AK_NOTE_QUEUE_H
#define AUDIOSESSION_AK_NOTE_QUEUE_H

// A lock-free queue of events to one thread from others, one at a time; neither side ever waits.

#include <stdbool.h>
#include <stdint.h>

#define AK_NOTE_QUEUE_CAPACITY 256

typedef enum ak_note_kind { AK_NOTE_ON, AK_NOTE_OFF, AK_NOTE_ALL_OFF } ak_note_kind;

/// An event of a note at a frame; a past frame means at once.
typedef struct ak_note_event {
  uint64_t frame;
  /// For the start of a note: its frames from start to silence, or `AK_NOTE_HELD`.
  uint64_t duration;
  float amplitude;
  uint8_t pitch;
  ak_note_kind kind;
} ak_note_event;

typedef struct ak_note_queue ak_note_queue;

/// Makes an empty queue; NULL without memory.
ak_note_queue *ak_note_queue_create(void);
void ak_note_queue_destroy(ak_note_queue *queue);

/// Appends an event; false, and counted, if the queue is full. Any thread, but one at a time.
bool ak_note_queue_push(ak_note_queue *queue, const ak_note_event *event);
/// Takes the oldest event; false if there is none. The consumer's thread only.
bool ak_note_queue_pop(ak_note_queue *queue, ak_note_event *event);
/// The number of refused events; any thread.
uint64_t ak_note_queue_refused(const ak_note_queue *queue);
/// Calls of a second consumer's thread, or of two producers at once. Any thread.
uint64_t ak_note_queue_violations(const ak_note_queue *queue);

#endif
