/* Realtime kernels in C: code on an audio thread uses no libpulse, allocation, lock or system call.
 * Each header declares which thread may call what. */
#ifndef AUDIOSESSION_CAUDIOKERNEL_H
#define AUDIOSESSION_CAUDIOKERNEL_H
#include "ak_memory.h"
#include "ak_meter.h"
#include "ak_note_queue.h"
#include "ak_player.h"
#include "ak_ring.h"
#include "ak_samples.h"
#include "ak_spectrum.h"
#include "ak_synth.h"
#include "ak_tone.h"
#endif
