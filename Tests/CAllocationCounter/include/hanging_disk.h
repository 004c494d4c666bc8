/* A disk that hangs: writes to a file do not end. */
#ifndef AUDIOSESSION_HANGING_DISK_H
#define AUDIOSESSION_HANGING_DISK_H

#include <stdbool.h>
#include <stdint.h>

/* From now on `pwrite` to the file with this number waits; 0 lets all end. */
void hang_writes(uint64_t inode);

#endif
