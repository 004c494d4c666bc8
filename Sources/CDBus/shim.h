/* The headers of libdbus. */
#ifndef AUDIOSESSION_CDBUS_SHIM_H
#define AUDIOSESSION_CDBUS_SHIM_H
#include <dbus/dbus.h>
#endif
