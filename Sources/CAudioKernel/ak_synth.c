#include "ak_synth.h"
#include "ak_memory.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "ak_voice.h"

/// The frames that are made at a time, on the stack.
#define SPAN 256

/// Below this the limiter changes nothing.
static const double knee = 0.8;

/// A low-pass of second order with the flattest pass band (Butterworth).
typedef struct low_pass {
  double b0, a1, a2;
  double first, second;
} low_pass;

struct ak_synth {
  ak_note_queue *queue;
  double rate;
  uint32_t channels;
  ak_envelope envelope;
  double master;
  low_pass filter;
  voice voices[AK_SYNTH_VOICES];
  uint64_t notes;
  uint64_t frame;
  /// Events that are not due yet, the next one last.
  ak_note_event pending[AK_SYNTH_EVENTS];
  uint32_t pending_count;
  /// The events that were pushed and not performed yet: as many as `pending` has room for.
  _Atomic uint32_t waiting;
  /// The events that were refused although the queue had room.
  _Atomic uint64_t refused;
  /// What stolen voices left: their last value, fading out, so that no step is heard.
  double residue, residue_fade;
  _Atomic uint64_t position, last_sound;
  _Atomic uint64_t stolen;
  _Atomic uint32_t sounding;
};

static low_pass make_low_pass(double cutoff, double rate) {
  double angle = 2 * M_PI * fmin(fmax(cutoff, 1), 0.45 * rate) / rate;
  double alpha = sin(angle) / M_SQRT2;
  double a0 = 1 + alpha;
  return (low_pass){
      .b0 = (1 - cos(angle)) / 2 / a0, .a1 = -2 * cos(angle) / a0, .a2 = (1 - alpha) / a0};
}

static double filter_next(low_pass *filter, double in) {
  double out = filter->b0 * in + filter->first;
  filter->first = 2 * filter->b0 * in - filter->a1 * out + filter->second;
  filter->second = filter->b0 * in - filter->a2 * out;
  return out;
}

/// Bends what is above the knee so that it never reaches 1.
static double limit(double in) {
  double size = fabs(in);
  if (size <= knee) return in;
  return copysign(knee + (1 - knee) * tanh((size - knee) / (1 - knee)), in);
}

ak_synth *ak_synth_create(
    double rate, uint32_t channels, ak_envelope envelope, double cutoff, float master) {
  ak_synth *synth = ak_touch(malloc(sizeof *synth), sizeof *synth);
  ak_note_queue *queue = ak_note_queue_create();
  if (!synth || !queue) {
    free(synth);
    ak_note_queue_destroy(queue);
    return NULL;
  }
  synth->queue = queue;
  synth->rate = rate;
  synth->channels = channels;
  synth->envelope = envelope;
  synth->master = master;
  synth->filter = make_low_pass(cutoff, rate);
  // To a thousandth in five milliseconds.
  synth->residue_fade = exp(log(0.001) / (0.005 * rate));
  return synth;
}

void ak_synth_destroy(ak_synth *synth) {
  if (synth) ak_note_queue_destroy(synth->queue);
  free(synth);
}

bool ak_synth_push(ak_synth *synth, ak_note_event event) {
  // "All notes off" is not counted as waiting: it removes what waits. It needs only a place in the queue.
  if (event.kind == AK_NOTE_ALL_OFF) return ak_note_queue_push(synth->queue, &event);
  uint32_t waiting = atomic_fetch_add_explicit(&synth->waiting, 1, memory_order_relaxed);
  if (waiting >= AK_SYNTH_EVENTS) {
    atomic_fetch_add_explicit(&synth->refused, 1, memory_order_relaxed);
  } else if (ak_note_queue_push(synth->queue, &event)) {
    return true;
  }
  atomic_fetch_sub_explicit(&synth->waiting, 1, memory_order_relaxed);
  return false;
}

uint64_t ak_synth_position(const ak_synth *synth) {
  return atomic_load_explicit(&synth->position, memory_order_acquire);
}

uint64_t ak_synth_last_sound(const ak_synth *synth) {
  return atomic_load_explicit(&synth->last_sound, memory_order_acquire);
}

uint32_t ak_synth_sounding(const ak_synth *synth) {
  return atomic_load_explicit(&synth->sounding, memory_order_acquire);
}

uint64_t ak_synth_refused(const ak_synth *synth) {
  return ak_note_queue_refused(synth->queue)
      + atomic_load_explicit(&synth->refused, memory_order_relaxed);
}

uint64_t ak_synth_violations(const ak_synth *synth) {
  return ak_note_queue_violations(synth->queue);
}

uint64_t ak_synth_stolen(const ak_synth *synth) {
  return atomic_load_explicit(&synth->stolen, memory_order_relaxed);
}

/// A voice that is free, otherwise the one whose note began first; what that one leaves fades out.
static voice *take_voice(ak_synth *synth) {
  voice *oldest = &synth->voices[0];
  for (int i = 0; i < AK_SYNTH_VOICES; i++) {
    voice *voice = &synth->voices[i];
    if (!voice->sounds) return voice;
    if (voice->order < oldest->order) oldest = voice;
  }
  synth->residue += voice_next(oldest, &synth->envelope);
  atomic_fetch_add_explicit(&synth->stolen, 1, memory_order_relaxed);
  return oldest;
}

/// Makes room for as many new events.
static void forget_pending(ak_synth *synth, uint32_t count) {
  synth->pending_count -= count;
  atomic_fetch_sub_explicit(&synth->waiting, count, memory_order_relaxed);
}

static void perform(ak_synth *synth, const ak_note_event *event) {
  if (event->kind == AK_NOTE_ON) {
    voice *voice = take_voice(synth);
    voice_begin(voice, event, synth->notes++, &synth->envelope, synth->rate);
    return;
  }
  for (int i = 0; i < AK_SYNTH_VOICES; i++) {
    voice *voice = &synth->voices[i];
    bool isMeant = event->kind == AK_NOTE_ALL_OFF || voice->pitch == event->pitch;
    if (voice->sounds && isMeant) voice_release(voice, &synth->envelope);
  }
  // All notes off cancels the pending events.
  if (event->kind == AK_NOTE_ALL_OFF) forget_pending(synth, synth->pending_count);
}

/// Merges new events into the pending ones. Events for the same frame keep their order; all notes off
/// is for now.
static void take_events(ak_synth *synth) {
  ak_note_event event;
  while (ak_note_queue_pop(synth->queue, &event)) {
    if (event.kind == AK_NOTE_ALL_OFF) {
      perform(synth, &event);
      continue;
    }
    if (event.frame < synth->frame) event.frame = synth->frame;
    uint32_t at = synth->pending_count;
    while (at > 0 && synth->pending[at - 1].frame <= event.frame) at--;
    memmove(
        &synth->pending[at + 1], &synth->pending[at],
        (synth->pending_count - at) * sizeof(ak_note_event));
    synth->pending[at] = event;
    synth->pending_count++;
  }
}

/// Performs what is due; returns the frames until the next event, at most `frames`.
static size_t perform_due(ak_synth *synth, size_t frames) {
  while (synth->pending_count > 0) {
    ak_note_event next = synth->pending[synth->pending_count - 1];
    if (next.frame > synth->frame) {
      uint64_t wait = next.frame - synth->frame;
      return wait < frames ? (size_t)wait : frames;
    }
    forget_pending(synth, 1);
    perform(synth, &next);
  }
  return frames;
}

static void render_span(ak_synth *synth, float *out, size_t frames) {
  double mix[SPAN] = {0};
  for (int i = 0; i < AK_SYNTH_VOICES; i++) {
    if (synth->voices[i].sounds) voice_add(&synth->voices[i], &synth->envelope, mix, frames);
  }
  for (size_t at = 0; at < frames; at++) {
    double value = filter_next(&synth->filter, (mix[at] + synth->residue) * synth->master);
    synth->residue *= synth->residue_fade;
    float sample = (float)limit(value);
    for (uint32_t channel = 0; channel < synth->channels; channel++) *out++ = sample;
  }
  // Denormal numbers are slow to compute with, and inaudible.
  if (fabs(synth->residue) < 1e-12) synth->residue = 0;
  low_pass *filter = &synth->filter;
  if (fabs(filter->first) + fabs(filter->second) < 1e-12) filter->first = filter->second = 0;
}

static uint32_t sounding(const ak_synth *synth) {
  uint32_t count = 0;
  for (int i = 0; i < AK_SYNTH_VOICES; i++) count += synth->voices[i].sounds;
  return count;
}

void ak_synth_render(void *context, float *out, size_t frames) {
  ak_synth *synth = context;
  take_events(synth);
  while (frames > 0) {
    size_t span = perform_due(synth, frames < SPAN ? frames : SPAN);
    if (sounding(synth) > 0)
      atomic_store_explicit(&synth->last_sound, synth->frame + span, memory_order_release);
    render_span(synth, out, span);
    out += span * synth->channels;
    frames -= span;
    synth->frame += span;
  }
  atomic_store_explicit(&synth->sounding, sounding(synth), memory_order_release);
  atomic_store_explicit(&synth->position, synth->frame, memory_order_release);
}
