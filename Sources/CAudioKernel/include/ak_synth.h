#ifndef AUDIOSESSION_AK_SYNTH_H
#define AUDIOSESSION_AK_SYNTH_H

// A small synthesizer: eight sine voices, an envelope each, one low-pass, one limiter.
//
// Threads: `ak_synth_push` belongs to one producer at a time, `ak_synth_render` to the audio thread;
// both may run at once. The other functions belong to the synthesizer's owner, while neither runs.
// Nothing that `ak_synth_render` does allocates, locks, waits, logs or makes a system call.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ak_note_queue.h"

#define AK_SYNTH_VOICES 8
/// A duration for notes that sound until they are released.
#define AK_NOTE_HELD UINT64_MAX

/// How a note's level goes: up in `attack` frames, down to `sustain` in `decay` frames, and to
/// nothing in three tenths of the note's duration, but in no more than `longest_release` frames.
typedef struct ak_envelope {
  uint32_t attack;
  uint32_t decay;
  float sustain;
  uint32_t longest_release;
} ak_envelope;

/// The level of a note that is held, `frame` frames after its begin: 0 to 1, exact to the sample.
double ak_envelope_level(const ak_envelope *envelope, uint64_t frame);

/// The frames that the release of a note takes which lasts, or was held for, so many frames.
uint64_t ak_envelope_release(const ak_envelope *envelope, uint64_t duration);

typedef struct ak_synth ak_synth;

/// Makes a synthesizer; NULL without memory. `cutoff` is the low-pass's, in Hz.
ak_synth *ak_synth_create(
    double rate, uint32_t channels, ak_envelope envelope, double cutoff, float master);
void ak_synth_destroy(ak_synth *synth);

/// Hands over an event; false, and counted, where the queue is full.
bool ak_synth_push(ak_synth *synth, ak_note_event event);

/// Writes the next frames, interleaved; `synth` is an `ak_synth`. Audio thread only.
void ak_synth_render(void *synth, float *out, size_t frames);

/// The frames rendered so far; any thread.
uint64_t ak_synth_position(const ak_synth *synth);
/// The voices that sound; any thread.
uint32_t ak_synth_sounding(const ak_synth *synth);
/// The events that a full queue refused; any thread.
uint64_t ak_synth_refused(const ak_synth *synth);
/// Calls on its queue from a wrong thread, in debug builds; any thread.
uint64_t ak_synth_violations(const ak_synth *synth);
/// The voices that were taken from a note for a later one; any thread.
uint64_t ak_synth_stolen(const ak_synth *synth);
/// Hz of a MIDI note, A4 (69) being 440.
double ak_pitch_frequency(uint8_t pitch);

#endif
