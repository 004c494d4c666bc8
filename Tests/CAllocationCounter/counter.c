#define _GNU_SOURCE
#include "allocation_counter.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif

static __thread uint64_t allocations, locks;

uint64_t allocation_count(void) { return allocations; }
uint64_t lock_count(void) { return locks; }

static __thread uint64_t begun_allocations, begun_locks;
static __thread bool has_begun; /* The probe may be set in the middle of a span. */
static _Atomic uint64_t spans, total_allocations, total_locks;

void allocation_probe(bool begins) {
  if (begins) {
    begun_allocations = allocations;
    begun_locks = locks;
    has_begun = true;
    return;
  }
  if (!has_begun) return;
  has_begun = false;
  total_allocations += allocations - begun_allocations;
  total_locks += locks - begun_locks;
  spans++;
}

uint64_t probed_spans(void) { return spans; }
uint64_t probed_allocations(void) { return total_allocations; }
uint64_t probed_locks(void) { return total_locks; }

#ifdef SANITIZED
bool allocation_counter_works(void) { return false; }
#else
bool allocation_counter_works(void) { return true; }

/* The C library's own, which these take the place of in the whole program. */
void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);
void __libc_free(void *);

void *malloc(size_t size) {
  allocations++;
  return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
  allocations++;
  return __libc_calloc(count, size);
}

void *realloc(void *old, size_t size) {
  allocations++;
  return __libc_realloc(old, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  allocations++;
  return __libc_memalign(alignment, size);
}

int posix_memalign(void **result, size_t alignment, size_t size) {
  allocations++;
  *result = __libc_memalign(alignment, size);
  return *result ? 0 : 12;
}

void free(void *memory) {
  allocations++;
  __libc_free(memory);
}

static int (*real_lock)(pthread_mutex_t *);

__attribute__((constructor)) static void find_real_lock(void) {
  real_lock = (int (*)(pthread_mutex_t *))dlsym(RTLD_NEXT, "pthread_mutex_lock");
}

int pthread_mutex_lock(pthread_mutex_t *mutex) {
  locks++;
  if (!real_lock) find_real_lock();
  return real_lock(mutex);
}
#endif
