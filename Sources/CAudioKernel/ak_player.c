#include "ak_player.h"
#include "ak_memory.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct ak_player {
  ak_ring *ring;
  size_t frame_bytes;
  size_t silence; /* since the last sound; used by the audio thread alone */
  _Atomic uint64_t position, starved;
};

ak_player *ak_player_create(size_t channels, size_t frames) {
  ak_player *player = ak_touch(malloc(sizeof *player), sizeof *player);
  if (!player) return NULL;
  player->frame_bytes = channels * sizeof(float);
  player->silence = 0;
  player->ring = ak_ring_create(frames * player->frame_bytes);
  if (player->ring) return player;
  free(player);
  return NULL;
}

void ak_player_destroy(ak_player *player) {
  if (!player) return;
  ak_ring_destroy(player->ring);
  free(player);
}

ak_ring *ak_player_ring(const ak_player *player) { return player->ring; }

uint64_t ak_player_position(const ak_player *player) {
  return atomic_load_explicit(&player->position, memory_order_relaxed);
}

uint64_t ak_player_starved(const ak_player *player) {
  return atomic_load_explicit(&player->starved, memory_order_relaxed);
}

void ak_player_render(void *context, float *out, size_t frames) {
  ak_player *player = context;
  size_t ready = ak_ring_readable(player->ring) / player->frame_bytes;
  if (ready > frames) ready = frames;
  ak_ring_read(player->ring, out, ready * player->frame_bytes);
  memset((char *)out + ready * player->frame_bytes, 0, (frames - ready) * player->frame_bytes);
  /* Silence before the first sound and after the last one is no gap. */
  if (ready > 0) {
    atomic_fetch_add_explicit(&player->starved, player->silence, memory_order_relaxed);
    player->silence = 0;
  }
  if (atomic_fetch_add_explicit(&player->position, ready, memory_order_relaxed) + ready > 0)
    player->silence += frames - ready;
}
