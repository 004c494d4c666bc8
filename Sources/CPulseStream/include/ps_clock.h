/* Frames against the clock. Realtime safe: arithmetic alone. */
#ifndef AUDIOSESSION_CPULSESTREAM_PS_CLOCK_H
#define AUDIOSESSION_CPULSESTREAM_PS_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

/* What a stream delivered or requested in the current time window; all 0 before the first. */
typedef struct {
  int64_t began_ns;
  uint64_t frames;
  uint32_t deliveries;
  uint32_t windows; /* in a row that were wrong in the same way */
  uint32_t fast;    /* in a row that had too many frames */
  int64_t first;    /* of the first of the row, per mille: counted against elapsed time */
  uint64_t row_frames;
  int64_t row_ns;
} ps_clock;

/* Resets after an interruption: the next delivery does not follow the last one. */
void ps_clock_reset(ps_clock *clock);
/* Adds a delivery; true if the stream has run at a higher rate, or at another usual one, for three seconds, at a
 * higher one, unevenly, for four, or at an unusual lower one for twelve. */
bool ps_clock_is_wrong(ps_clock *clock, int64_t now_ns, uint64_t frames, uint32_t rate);

#endif
