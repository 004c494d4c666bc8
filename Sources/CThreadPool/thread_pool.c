#define _GNU_SOURCE
#include "thread_pool.h"

#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

// The parts of Swift's runtime in use, as its headers declare them (ABI/Executor.h,
// Runtime/Concurrency.h).

#define SWIFT __attribute__((swiftcall))

typedef struct swift_job swift_job;

typedef struct {
  void *identity;
  uintptr_t implementation;
} swift_executor;

typedef SWIFT void (*enqueue_original)(swift_job *);
extern SWIFT void (*swift_task_enqueueGlobal_hook)(swift_job *, enqueue_original);
extern SWIFT void swift_job_run(swift_job *, swift_executor);

/// A job that waits for a thread; jobs run in the order in which they were enqueued.
typedef struct waiting {
  struct waiting *next;
  swift_job *job;
} waiting;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t has_work = PTHREAD_COND_INITIALIZER;
static waiting *first, **last = &first;
static int threads, idle, most;

static void *work(void *unused);

/// Wakes or starts a thread for a waiting job. Call with the lock held.
static void call_thread(void) {
  if (idle > 0) {
    pthread_cond_signal(&has_work);
    return;
  }
  if (threads >= most) return;  // all are busy, and check the queue before they wait
  // Signals are handled by the program's own threads. A thread's own faults stay unblocked: otherwise they
  // would end the process before a crash reporter's handler runs.
  const int own[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGSYS};
  sigset_t all, before;
  sigfillset(&all);
  for (size_t i = 0; i < sizeof own / sizeof *own; i++) sigdelset(&all, own[i]);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  pthread_attr_t detached;
  pthread_attr_init(&detached);
  pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
  pthread_t thread;
  if (pthread_create(&thread, &detached, work, NULL) == 0) threads++;
  pthread_attr_destroy(&detached);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (threads == 0) abort();  // nothing would ever run
}

static void *work(void *unused) {
  (void)unused;
  pthread_mutex_lock(&lock);
  for (;;) {
    while (!first) {
      idle++;
      pthread_cond_wait(&has_work, &lock);
      idle--;
    }
    waiting *taken = first;
    first = taken->next;
    if (!first) last = &first;
    // One idle thread may have been woken for two jobs; the second must not wait for the first.
    if (first) call_thread();
    pthread_mutex_unlock(&lock);
    swift_job *job = taken->job;
    free(taken);
    swift_job_run(job, (swift_executor){NULL, 0});  // no executor: the job may run anywhere
    pthread_mutex_lock(&lock);
  }
  return NULL;
}

static SWIFT void enqueue(swift_job *job, enqueue_original original) {
  (void)original;
  waiting *new = malloc(sizeof *new);
  if (!new) abort();
  *new = (waiting){.job = job};
  pthread_mutex_lock(&lock);
  *last = new;
  last = &new->next;
  call_thread();
  pthread_mutex_unlock(&lock);
}

void tp_install(void) {
  long processors = sysconf(_SC_NPROCESSORS_ONLN);
  most = processors < 2 ? 2 : processors > 8 ? 8 : (int)processors;
  swift_task_enqueueGlobal_hook = enqueue;
}
