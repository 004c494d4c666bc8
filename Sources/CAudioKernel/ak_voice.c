#include "ak_voice.h"

#include <math.h>

double ak_pitch_frequency(uint8_t pitch) { return 440.0 * exp2((pitch - 69) / 12.0); }

double ak_envelope_level(const ak_envelope *envelope, uint64_t frame) {
  if (frame < envelope->attack) return (double)frame / envelope->attack;
  frame -= envelope->attack;
  if (frame >= envelope->decay) return envelope->sustain;
  return 1 - (1 - envelope->sustain) * ((double)frame / envelope->decay);
}

uint64_t ak_envelope_release(const ak_envelope *envelope, uint64_t duration) {
  // Without a division by what could overflow: durations may be as long as they like.
  if (duration / 10 >= envelope->longest_release) return envelope->longest_release;
  uint64_t release = (duration * 3 + 5) / 10;
  return release < envelope->longest_release ? release : envelope->longest_release;
}

void voice_begin(
    voice *voice, const ak_note_event *event, uint64_t order, const ak_envelope *envelope,
    double rate) {
  double frequency = ak_pitch_frequency(event->pitch);
  double angle = 2 * M_PI * frequency / rate;
  voice->sounds = true;
  voice->pitch = event->pitch;
  // What the device's rate cannot carry would sound as another note: it is silent.
  voice->amplitude = frequency < rate / 2 ? event->amplitude : 0;
  voice->order = order;
  voice->frame = 0;
  voice->release_at = AK_NOTE_HELD;
  voice->release = 0;
  if (event->duration != AK_NOTE_HELD) {
    voice->release = ak_envelope_release(envelope, event->duration);
    voice->release_at = event->duration - voice->release;
  }
  voice->x = 1;
  voice->y = 0;
  voice->turn_x = cos(angle);
  voice->turn_y = sin(angle);
}

void voice_release(voice *voice, const ak_envelope *envelope) {
  if (voice->frame >= voice->release_at) return;
  voice->release = ak_envelope_release(envelope, voice->frame);
  voice->release_at = voice->frame;
}

/// The level at a frame; false if the note is over.
static bool level_at(
    const voice *voice, const ak_envelope *envelope, uint64_t frame, double *level) {
  if (frame < voice->release_at) {
    *level = ak_envelope_level(envelope, frame);
    return true;
  }
  uint64_t gone = frame - voice->release_at;
  if (gone >= voice->release) return false;
  double top = ak_envelope_level(envelope, voice->release_at);
  *level = top * (1 - (double)gone / voice->release);
  return true;
}

double voice_next(const voice *voice, const ak_envelope *envelope) {
  double level;
  if (!voice->sounds || !level_at(voice, envelope, voice->frame, &level)) return 0;
  return level * voice->amplitude * voice->y;
}

void voice_add(voice *voice, const ak_envelope *envelope, double *mix, size_t frames) {
  double x = voice->x, y = voice->y;
  for (size_t at = 0; at < frames; at++, voice->frame++) {
    double level;
    if (!level_at(voice, envelope, voice->frame, &level)) {
      voice->sounds = false;
      return;
    }
    mix[at] += level * voice->amplitude * y;
    double next = x * voice->turn_x - y * voice->turn_y;
    y = x * voice->turn_y + y * voice->turn_x;
    x = next;
  }
  // Rounding would let the circle grow or shrink over the hours.
  double correction = 1.5 - 0.5 * (x * x + y * y);
  voice->x = x * correction;
  voice->y = y * correction;
}
