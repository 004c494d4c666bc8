#include "ak_meter.h"

#include <math.h>

void ak_meter_add(ak_meter *levels, uint32_t channels, const float *samples, size_t frames) {
  for (uint32_t channel = 0; channel < channels; channel++) {
    ak_meter level = levels[channel];
    const float *sample = samples + channel;
    for (size_t at = 0; at < frames; at++, sample += channels) {
      // What is no number is no level: it would stay in every sum.
      float value = isfinite(*sample) ? *sample : 0;
      float size = fabsf(value);
      if (size > level.peak) level.peak = size;
      level.sum += value;
      level.sum_of_squares += (double)value * value;
      level.clipped += size >= (float)AK_FULL_SCALE;
    }
    level.frames += frames;
    levels[channel] = level;
  }
}
