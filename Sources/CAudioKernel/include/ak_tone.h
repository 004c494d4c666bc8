#ifndef AUDIOSESSION_AK_TONE_H
#define AUDIOSESSION_AK_TONE_H

// Test tones: sines and sweeps one after the other, each on some of the channels.
//
// Threads: `ak_tone_render` belongs to the audio thread, and neither allocates, locks nor waits.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// A sine of `from` Hz that glides to `to` Hz, an octave always taking the same time.
typedef struct ak_tone_segment {
  uint64_t frames;
  double from;
  double to;
  float amplitude;
  /// Bit n is channel n.
  uint64_t channels;
} ak_tone_segment;

typedef struct ak_tone ak_tone;

/// Makes tones from a copy of the segments; NULL without memory.
ak_tone *ak_tone_create(
    double rate, uint32_t channels, const ak_tone_segment *segments, size_t count);
void ak_tone_destroy(ak_tone *tone);

/// Writes the next frames, interleaved, and silence after the end; `tone` is an `ak_tone`.
void ak_tone_render(void *tone, float *out, size_t frames);

/// When the callback ran that rendered a segment's first frame (CLOCK_MONOTONIC, nanoseconds); 0
/// before that. Any thread.
int64_t ak_tone_begun(const ak_tone *tone, size_t segment);

/// The frames rendered so far, silence included; any thread.
uint64_t ak_tone_position(const ak_tone *tone);

#endif
