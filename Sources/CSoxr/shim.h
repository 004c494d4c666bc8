/* The headers of libsoxr. */
#ifndef AUDIOSESSION_CSOXR_SHIM_H
#define AUDIOSESSION_CSOXR_SHIM_H
#include <soxr.h>
#endif
