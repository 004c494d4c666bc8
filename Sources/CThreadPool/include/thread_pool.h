// Threads for Swift's tasks that sleep while nothing happens.
//
// On Linux libdispatch, which runs tasks by default, starts a timer with its first thread, which
// fires every second until the program ends. A program that waits for days should sleep.
#pragma once

/// Runs every task without an executor on this pool from now on; call it before there are any
/// tasks. Threads are started as needed, at most as many as there are processors (2 to 8), and
/// kept.
///
/// A clock's `sleep` still uses libdispatch, and starts it; `PulseLoop.sleep` does not.
///
/// Swift's runtime: `swift_task_enqueueGlobal_hook`.
void tp_install(void);
