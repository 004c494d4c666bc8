/* Counts frames against the clock: whether a stream has the rate that the server reports. */
#include "ps_clock.h"

enum {
  WINDOW_NS = 500000000, /* a shorter one would measure the callbacks' delay */
  DELIVERIES = 10,       /* at least in a window */
  WINDOWS = 4,           /* in a row that agree */
  WRONG = 40,            /* per mille off: no device's clock is; 44100 for 48000 is 81 */
  ALIKE = 20,            /* per mille that they may differ from the first: losses are less even */
  FAST = 8               /* in a row with too many frames, however uneven: no loss adds any */
};

void ps_clock_reset(ps_clock *clock) { *clock = (ps_clock){0}; }

bool ps_clock_is_wrong(ps_clock *clock, int64_t now, uint64_t frames, uint32_t rate) {
  if (clock->began_ns == 0) { /* the first delivery may be old */
    clock->began_ns = now;
    return false;
  }
  clock->frames += frames;
  clock->deliveries++;
  int64_t elapsed = now - clock->began_ns;
  if (elapsed < WINDOW_NS || clock->deliveries < DELIVERIES || rate == 0) return false;
  int64_t counted = (int64_t)(clock->frames * 1000000 / rate); /* microseconds */
  int64_t per_mille = counted * 1000000 / elapsed;
  bool is_wrong = per_mille < 1000 - WRONG || per_mille > 1000 + WRONG;
  int64_t difference = per_mille - clock->per_mille;
  bool is_alike = difference <= ALIKE && difference >= -ALIKE;
  clock->windows = !is_wrong ? 0 : is_alike && clock->windows ? clock->windows + 1 : 1;
  clock->fast = per_mille > 1000 + WRONG ? clock->fast + 1 : 0;
  if (clock->windows <= 1) clock->per_mille = per_mille;
  clock->began_ns = now;
  clock->frames = 0;
  clock->deliveries = 0;
  return clock->windows >= WINDOWS || clock->fast >= FAST;
}
