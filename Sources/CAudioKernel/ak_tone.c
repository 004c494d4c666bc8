#include "ak_tone.h"
#include "ak_memory.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct segment {
  ak_tone_segment segment;
  _Atomic int64_t begun;
} segment;

struct ak_tone {
  double rate;
  uint32_t channels;
  size_t count;
  size_t current;
  /// Frames of the current segment that are done, and the sine's angle in turns.
  uint64_t frame;
  double turns;
  _Atomic uint64_t position;
  segment segments[];
};

ak_tone *ak_tone_create(
    double rate, uint32_t channels, const ak_tone_segment *segments, size_t count) {
  size_t bytes = sizeof(ak_tone) + count * sizeof(segment);
  ak_tone *tone = ak_touch(malloc(bytes), bytes);
  if (!tone) return NULL;
  tone->rate = rate;
  tone->channels = channels;
  tone->count = count;
  for (size_t at = 0; at < count; at++) tone->segments[at].segment = segments[at];
  return tone;
}

void ak_tone_destroy(ak_tone *tone) { free(tone); }

uint64_t ak_tone_position(const ak_tone *tone) {
  return atomic_load_explicit(&tone->position, memory_order_acquire);
}

int64_t ak_tone_begun(const ak_tone *tone, size_t segment) {
  if (segment >= tone->count) return 0;
  return atomic_load_explicit(&tone->segments[segment].begun, memory_order_acquire);
}

/// Ten milliseconds in and out along half a cosine, so that no segment begins or ends with a click.
static double fade(const ak_tone *tone, const ak_tone_segment *segment) {
  double length = fmin(0.01 * tone->rate, segment->frames / 2.0);
  double edge = fmin(tone->frame, segment->frames - 1 - tone->frame);
  return edge >= length ? 1 : 0.5 - 0.5 * cos(M_PI * edge / length);
}

static float next_sample(ak_tone *tone, const ak_tone_segment *segment) {
  double done = segment->frames > 1 ? tone->frame / (double)(segment->frames - 1) : 0;
  double frequency = segment->from;
  if (segment->to != segment->from) frequency *= pow(segment->to / segment->from, done);
  // From half of the rate on, another frequency would sound.
  double amplitude = frequency < tone->rate / 2 ? segment->amplitude : 0;
  double sample = sin(2 * M_PI * tone->turns) * amplitude * fade(tone, segment);
  tone->turns += frequency / tone->rate;
  tone->turns -= floor(tone->turns);
  return (float)sample;
}

/// The segment of the next frame; NULL after the last one.
static segment *find_current(ak_tone *tone) {
  while (tone->current < tone->count) {
    segment *current = &tone->segments[tone->current];
    if (tone->frame < current->segment.frames) return current;
    tone->current++;
    tone->frame = 0;
    tone->turns = 0;
  }
  return NULL;
}

void ak_tone_render(void *context, float *out, size_t frames) {
  ak_tone *tone = context;
  struct timespec now;  // read without a system call
  clock_gettime(CLOCK_MONOTONIC, &now);
  int64_t ns = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
  memset(out, 0, frames * tone->channels * sizeof *out);
  for (size_t at = 0; at < frames; at++, out += tone->channels) {
    segment *current = find_current(tone);
    if (!current) break;
    if (tone->frame == 0) atomic_store_explicit(&current->begun, ns, memory_order_release);
    float sample = next_sample(tone, &current->segment);
    for (uint32_t channel = 0; channel < tone->channels && channel < 64; channel++) {
      if (current->segment.channels >> channel & 1) out[channel] = sample;
    }
    tone->frame++;
  }
  atomic_fetch_add_explicit(&tone->position, frames, memory_order_release);
}
