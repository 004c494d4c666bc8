#ifndef AUDIOSESSION_AK_VOICE_H
#define AUDIOSESSION_AK_VOICE_H

#include "ak_synth.h"

/// One note that sounds.
typedef struct voice {
  bool sounds;
  uint8_t pitch;
  float amplitude;
  /// Which note it is since the synthesizer began; the lowest is the oldest.
  uint64_t order;
  /// Frames since the note began.
  uint64_t frame;
  /// The frame at which its release begins, `AK_NOTE_HELD` while it is held; and its length.
  uint64_t release_at;
  uint64_t release;
  /// The sine, as a point on a circle, and the turn of each frame.
  double x, y, turn_x, turn_y;
} voice;

void voice_begin(
    voice *voice, const ak_note_event *event, uint64_t order, const ak_envelope *envelope,
    double rate);
/// Begins the release now.
void voice_release(voice *voice, const ak_envelope *envelope);
/// What the next frame of the voice would be.
double voice_next(const voice *voice, const ak_envelope *envelope);
/// Adds the next frames to `mix`.
void voice_add(voice *voice, const ak_envelope *envelope, double *mix, size_t frames);

#endif
