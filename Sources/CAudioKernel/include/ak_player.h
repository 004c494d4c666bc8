/* Plays what another thread puts into a ring. */
#ifndef AUDIOSESSION_AK_PLAYER_H
#define AUDIOSESSION_AK_PLAYER_H

#include "ak_ring.h"

typedef struct ak_player ak_player;

/* Any thread, before the player is shared and after. */

/* Makes a player for interleaved frames of so many channels; NULL where there is no memory. */
ak_player *ak_player_create(size_t channels, size_t frames);
void ak_player_destroy(ak_player *player);
/* What the other thread writes floats into. */
ak_ring *ak_player_ring(const ak_player *player);
/* Frames of the ring that were played. */
uint64_t ak_player_position(const ak_player *player);
/* Frames of silence that were played because the ring had nothing. */
uint64_t ak_player_starved(const ak_player *player);

/* The audio thread. Realtime safe: no allocation, no lock, no system call. A `ps_render`. */
void ak_player_render(void *player, float *out, size_t frames);

#endif
