#include "ak_spectrum.h"

#include <math.h>

static void swap(double *a, double *b) {
  double kept = *a;
  *a = *b;
  *b = kept;
}

/// Moves each number to its bit-reversed index.
static void reorder(double *real, double *imaginary, size_t count) {
  size_t to = 0;
  for (size_t from = 0; from + 1 < count; from++) {
    if (from < to) {
      swap(&real[from], &real[to]);
      swap(&imaginary[from], &imaginary[to]);
    }
    size_t bit = count >> 1;
    while (to & bit) {
      to ^= bit;
      bit >>= 1;
    }
    to |= bit;
  }
}

bool ak_fourier(double *real, double *imaginary, size_t count, bool inverse) {
  if (count == 0 || (count & (count - 1)) != 0) return false;
  reorder(real, imaginary, count);
  for (size_t half = 1; half < count; half *= 2) {
    double step = (inverse ? M_PI : -M_PI) / half;
    for (size_t at = 0; at < half; at++) {
      double x = cos(step * at), y = sin(step * at);
      for (size_t even = at; even < count; even += 2 * half) {
        size_t odd = even + half;
        double re = real[odd] * x - imaginary[odd] * y;
        double im = real[odd] * y + imaginary[odd] * x;
        real[odd] = real[even] - re;
        imaginary[odd] = imaginary[even] - im;
        real[even] += re;
        imaginary[even] += im;
      }
    }
  }
  return true;
}
