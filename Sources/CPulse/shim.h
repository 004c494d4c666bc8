/* The headers of libpulse, with helpers only for what Swift cannot import. */
#ifndef AUDIOSESSION_CPULSE_SHIM_H
#define AUDIOSESSION_CPULSE_SHIM_H
#if !__has_include(<pulse/pulseaudio.h>)
#error "libpulse's headers are missing; on Debian: apt-get install libpulse-dev"
#endif
#include <pulse/ext-stream-restore.h>
#include <pulse/pulseaudio.h>
#endif
