// Threads for Swift's tasks that sleep as long as nothing happens.
//
// On Linux libdispatch, which runs tasks by default, starts a timer with its first thread that goes
// off every second for as long as the program lives. A program that waits for days should not.
#pragma once

/// From now on runs every task without an executor of its own on this pool; to be called before
/// there are any. Threads are made as they are needed, as many as there are processors, and are
/// kept.
///
/// A clock's `sleep` is libdispatch's still, and starts it; `PulseLoop.sleep` does not.
///
/// Swift's runtime: `swift_task_enqueueGlobal_hook`.
void tp_install(void);
