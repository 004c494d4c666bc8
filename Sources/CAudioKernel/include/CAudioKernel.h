/* Realtime kernels in C: no libpulse, no allocation, no lock, no system call in what runs on an
 * audio thread. Each header says which thread calls what. */
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
