/* Work on blocks of samples. Realtime safe, any thread: no allocation, no lock, no system call. */
#ifndef AUDIOSESSION_AK_SAMPLES_H
#define AUDIOSESSION_AK_SAMPLES_H

#include <stddef.h>
#include <stdint.h>

/* Each frame of `out` is the matrix times the frame of `in`; the matrix has one row per output
 * channel. `in` and `out` must not overlap. */
void ak_mix(const float *in, size_t in_channels, float *out, size_t out_channels,
            const float *matrix, size_t frames);

/* Samples as 16-bit integers, rounded to nearest, and clipped at full scale. */
void ak_to_int16(const float *in, int16_t *out, size_t count);

/* The first run of frames whose samples are all 0, of at least `least` frames or up to the end:
 * its begin and its length; `frames` and 0 if there is none. */
size_t ak_zero_run(const float *samples, size_t frames, size_t channels, size_t least,
                   size_t *count);

#endif
