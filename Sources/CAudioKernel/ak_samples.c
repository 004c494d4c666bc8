#include "ak_samples.h"

#include <math.h>
#include <string.h>

void ak_mix(const float *in, size_t in_channels, float *out, size_t out_channels,
            const float *matrix, size_t frames) {
  if (in_channels == 2 && out_channels == 1) {
    float left = matrix[0], right = matrix[1];
    for (size_t i = 0; i < frames; i++) out[i] = left * in[2 * i] + right * in[2 * i + 1];
    return;
  }
  for (size_t i = 0; i < frames; i++, in += in_channels, out += out_channels) {
    for (size_t o = 0; o < out_channels; o++) {
      const float *row = matrix + o * in_channels;
      float sum = 0;
      for (size_t c = 0; c < in_channels; c++) sum += row[c] * in[c];
      out[o] = sum;
    }
  }
}

void ak_to_int16(const float *in, int16_t *out, size_t count) {
  for (size_t i = 0; i < count; i++) {
    float scaled = in[i] * 32768.0f;
    if (!(scaled > -32768.0f)) scaled = in[i] < 0 ? -32768.0f : 0; /* too low, or no number */
    if (scaled > 32767.0f) scaled = 32767.0f;
    out[i] = (int16_t)lrintf(scaled);
  }
}

size_t ak_zero_run(const float *samples, size_t frames, size_t channels, size_t least,
                   size_t *count) {
  size_t begin = 0, run = 0;
  for (size_t frame = 0; frame < frames; frame++) {
    const float *sample = samples + frame * channels;
    size_t channel = 0;
    while (channel < channels && sample[channel] == 0) channel++;
    if (channel == channels) {
      if (run++ == 0) begin = frame;
    } else {
      if (run >= least) break;
      run = 0;
    }
  }
  *count = run;
  return run > 0 ? begin : frames;
}
