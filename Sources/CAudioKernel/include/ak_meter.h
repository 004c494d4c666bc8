#ifndef AUDIOSESSION_AK_METER_H
#define AUDIOSESSION_AK_METER_H

// The levels of a run of samples: plain arithmetic, on any thread.

#include <stddef.h>
#include <stdint.h>

/// The level from which on a sample is at full scale.
#define AK_FULL_SCALE 0.999

/// The sums of one channel; all zero before the first samples.
typedef struct ak_meter {
  /// The greatest absolute value.
  float peak;
  double sum;
  double sum_of_squares;
  uint64_t frames;
  /// The number of samples at full scale.
  uint64_t clipped;
} ak_meter;

/// Adds interleaved samples to the sums of their channels.
void ak_meter_add(ak_meter *levels, uint32_t channels, const float *samples, size_t frames);

#endif
