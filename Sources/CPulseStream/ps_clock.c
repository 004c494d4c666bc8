/* Counts frames against the clock: whether a stream has the rate that the server reports. */
#include "ps_clock.h"

enum {
  WINDOW_NS = 500000000, /* a shorter one would measure the callbacks' delay */
  DELIVERIES = 10,       /* at least in a window */
  WINDOWS = 6,           /* in a row that agree */
  UNUSUAL = 24,          /* in a row with too few frames, where the sum fits no usual rate */
  WRONG = 40,            /* per mille off: no device's clock is; 44100 for 48000 is 81 */
  ALIKE = 20,            /* per mille that they may differ from the first: losses are less even */
  EXACT = 10,            /* per mille that the sum may differ from a usual rate */
  FAST = 8               /* in a row with too many frames, however uneven: no loss adds any */
};

static const uint32_t usual_rates[] = {8000,  11025, 12000, 16000,  22050,  24000, 32000,
                                       44100, 48000, 88200, 96000, 176400, 192000};

void ps_clock_reset(ps_clock *clock) { *clock = (ps_clock){0}; }

static bool is_within(int64_t limit, int64_t one, int64_t other) {
  return one - other <= limit && other - one <= limit;
}

static int64_t per_mille(uint64_t frames, uint32_t rate, int64_t elapsed) {
  return (int64_t)(frames * 1000000 / rate) * 1000000 / elapsed;
}

/* Lost sound leaves any number of frames; another device's rate does not. */
static bool is_usual(const ps_clock *clock, uint32_t rate) {
  int64_t found = per_mille(clock->row_frames, rate, clock->row_ns);
  for (unsigned i = 0; i < sizeof usual_rates / sizeof *usual_rates; i++)
    if (is_within(EXACT, found, (int64_t)usual_rates[i] * 1000 / rate)) return true;
  return false;
}

bool ps_clock_is_wrong(ps_clock *clock, int64_t now, uint64_t frames, uint32_t rate) {
  if (clock->began_ns == 0) { /* the first delivery may be old */
    clock->began_ns = now;
    return false;
  }
  clock->frames += frames;
  clock->deliveries++;
  int64_t elapsed = now - clock->began_ns;
  if (elapsed < WINDOW_NS || clock->deliveries < DELIVERIES || rate == 0) return false;
  int64_t found = per_mille(clock->frames, rate, elapsed);
  bool is_wrong = !is_within(WRONG, found, 1000);
  if (!is_wrong || !is_within(ALIKE, found, clock->first)) {
    clock->windows = 0;
    clock->row_frames = 0;
    clock->row_ns = 0;
    clock->first = found;
  }
  clock->windows += is_wrong;
  clock->row_frames += clock->frames;
  clock->row_ns += elapsed;
  clock->fast = found > 1000 + WRONG ? clock->fast + 1 : 0;
  clock->began_ns = now;
  clock->frames = 0;
  clock->deliveries = 0;
  if (clock->windows < WINDOWS) return clock->fast >= FAST;
  return clock->fast >= WINDOWS || clock->windows >= UNUSUAL || is_usual(clock, rate);
}
