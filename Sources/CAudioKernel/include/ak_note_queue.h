#ifndef AUDIOSESSION_AK_NOTE_QUEUE_H
#define AUDIOSESSION_AK_NOTE_QUEUE_H

// A queue of events from one thread to one other, without a lock: neither side ever waits.

#include <stdbool.h>
#include <stdint.h>

#define AK_NOTE_QUEUE_CAPACITY 256

typedef enum ak_note_kind { AK_NOTE_ON, AK_NOTE_OFF, AK_NOTE_ALL_OFF } ak_note_kind;

/// Something that happens to a note at a frame; a frame that is past means at once.
typedef struct ak_note_event {
  uint64_t frame;
  /// Of a note that begins: its frames from begin to silence, or `AK_NOTE_HELD`.
  uint64_t duration;
  float amplitude;
  uint8_t pitch;
  ak_note_kind kind;
} ak_note_event;

typedef struct ak_note_queue ak_note_queue;

/// Makes an empty queue; NULL without memory.
ak_note_queue *ak_note_queue_create(void);
void ak_note_queue_destroy(ak_note_queue *queue);

/// Appends an event; false, and counted, where the queue is full. The producer's thread only.
bool ak_note_queue_push(ak_note_queue *queue, const ak_note_event *event);
/// Takes the oldest event; false if there is none. The consumer's thread only.
bool ak_note_queue_pop(ak_note_queue *queue, ak_note_event *event);
/// The events that were refused; any thread.
uint64_t ak_note_queue_refused(const ak_note_queue *queue);
/// Calls from a wrong thread, or two producers at once; counted in debug builds. Any thread.
uint64_t ak_note_queue_violations(const ak_note_queue *queue);

#endif
