#ifndef AUDIOSESSION_AK_SYNTH_H
#define AUDIOSESSION_AK_SYNTH_H

// A small synthesizer: eight sine voices with envelopes, one low-pass, one limiter.
//
// Threads: one producer at a time calls `ak_synth_push`, the audio thread calls `ak_synth_render`;
// both may run at once. Any thread may read the figures, at any time. The synthesizer's owner makes and
// destroys it, while none of these runs.
// `ak_synth_render` does not allocate, lock, wait, log or make a system call.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ak_note_queue.h"

#define AK_SYNTH_VOICES 8
/// The events that may wait to be performed.
#define AK_SYNTH_EVENTS (2 * AK_NOTE_QUEUE_CAPACITY)
/// A duration for notes that sound until they are released.
#define AK_NOTE_HELD UINT64_MAX

/// The course of a note's level: up in `attack` frames, down to `sustain` in `decay` frames, and to
/// silence in three tenths of the note's duration, but in at most `longest_release` frames.
typedef struct ak_envelope {
  uint32_t attack;
  uint32_t decay;
  float sustain;
  uint32_t longest_release;
} ak_envelope;

/// The level of a held note, `frame` frames after its start: 0 to 1, exact to the sample.
double ak_envelope_level(const ak_envelope *envelope, uint64_t frame);

/// The number of frames of a note's release; `duration` is how long the note lasts or was held.
uint64_t ak_envelope_release(const ak_envelope *envelope, uint64_t duration);

typedef struct ak_synth ak_synth;

/// Makes a synthesizer; NULL without memory. `cutoff` is the low-pass's, in Hz.
ak_synth *ak_synth_create(
    double rate, uint32_t channels, ak_envelope envelope, double cutoff, float master);
void ak_synth_destroy(ak_synth *synth);

/// Passes on an event; false, and counted, if the queue is full or `AK_SYNTH_EVENTS` events wait to be
/// performed. All notes off is for now, whatever its frame.
bool ak_synth_push(ak_synth *synth, ak_note_event event);

/// Writes the next frames, interleaved; `synth` is an `ak_synth`. Audio thread only.
void ak_synth_render(void *synth, float *out, size_t frames);

/// The frames rendered so far; any thread.
uint64_t ak_synth_position(const ak_synth *synth);
/// The frame after the last one in which a voice sounded, 0 if none did; any thread.
uint64_t ak_synth_last_sound(const ak_synth *synth);
/// The voices that sound; any thread.
uint32_t ak_synth_sounding(const ak_synth *synth);
/// The events that `ak_synth_push` refused; any thread.
uint64_t ak_synth_refused(const ak_synth *synth);
/// Calls on its queue from a second audio thread, or of two producers at once; any thread.
uint64_t ak_synth_violations(const ak_synth *synth);
/// The voices that a later note took over; any thread.
uint64_t ak_synth_stolen(const ak_synth *synth);
/// The frequency of a MIDI note in Hz; A4 (69) is 440.
double ak_pitch_frequency(uint8_t pitch);

#endif
