/* Plays the samples that another thread writes to a ring. */
#ifndef AUDIOSESSION_AK_PLAYER_H
#define AUDIOSESSION_AK_PLAYER_H

#include "ak_ring.h"

typedef struct ak_player ak_player;

/* The owner, before the player is shared and after. */

/* Makes a player for interleaved frames with this number of channels, and a ring of at least this number of
 * frames; NULL without memory. */
ak_player *ak_player_create(size_t channels, size_t frames);
void ak_player_destroy(ak_player *player);

/* Any thread, at any time. */

/* The ring to which the other thread writes floats. */
ak_ring *ak_player_ring(const ak_player *player);
/* The number of played frames of the ring. */
uint64_t ak_player_position(const ak_player *player);
/* The number of frames of silence between sounds, played because the ring was empty. */
uint64_t ak_player_starved(const ak_player *player);

/* The audio thread. Realtime safe: no allocation, no lock, no system call. A `ps_render`. */
void ak_player_render(void *player, float *out, size_t frames);

#endif
