#ifndef AUDIOSESSION_AK_SPECTRUM_H
#define AUDIOSESSION_AK_SPECTRUM_H

// The discrete Fourier transform, for lengths that are a power of two.

#include <stdbool.h>
#include <stddef.h>

/// Transforms `count` complex numbers in place; the inverse is not divided by `count`.
/// False, without effect, if `count` is not a power of two.
bool ak_fourier(double *real, double *imaginary, size_t count, bool inverse);

#endif
