/* The headers of libsndfile. */
#ifndef AUDIOSESSION_CSNDFILE_SHIM_H
#define AUDIOSESSION_CSNDFILE_SHIM_H
#include <sndfile.h>
#endif
