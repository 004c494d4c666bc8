#define _GNU_SOURCE
#include "thread_pool.h"

#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

// What is used of Swift's runtime, as its own headers declare it (ABI/Executor.h,
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

/// A job that waits for a thread, in the order of their coming.
typedef struct waiting {
  struct waiting *next;
  swift_job *job;
} waiting;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t has_work = PTHREAD_COND_INITIALIZER;
static waiting *first, **last = &first;
static int threads, idle, most;

static void *work(void *unused);

/// Sees to it that a thread takes what waits; called with the lock held.
static void call_thread(void) {
  if (idle > 0) {
    pthread_cond_signal(&has_work);
    return;
  }
  if (threads >= most) return;  // all are at work, and look before they wait
  // Signals are for the program's own threads.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
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
    // Two may have come to one idle thread; the second must not wait until the first job ends.
    if (first) call_thread();
    pthread_mutex_unlock(&lock);
    swift_job *job = taken->job;
    free(taken);
    swift_job_run(job, (swift_executor){NULL, 0});  // none: it may run anywhere
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
