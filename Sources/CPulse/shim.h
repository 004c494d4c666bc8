/* The headers of libpulse, with helpers only for what Swift cannot import. */
#ifndef AUDIOSESSION_CPULSE_SHIM_H
#define AUDIOSESSION_CPULSE_SHIM_H
#include <pulse/ext-stream-restore.h>
#include <pulse/pulseaudio.h>
#endif
