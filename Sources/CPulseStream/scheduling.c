/* Realtime scheduling: with the thread's own permission (RLIMIT_RTPRIO, CAP_SYS_NICE), otherwise
 * from rtkit. */
#include "stream.h"

#include <sched.h>

/* Below PulseAudio's own threads, above everything ordinary. */
enum { PRIORITY = 5 };

ps_scheduling ps_schedule(void) {
  struct sched_param parameters = {.sched_priority = PRIORITY};
  int priority = PRIORITY;
  int error = pthread_setschedparam(pthread_self(), SCHED_RR | SCHED_RESET_ON_FORK, &parameters);
  if (error == 0) return (ps_scheduling){.is_realtime = true, .priority = PRIORITY};

  int refusal = ps_ask_realtimekit(&priority);
  if (refusal == 0)
    return (ps_scheduling){.is_realtime = true, .by_rtkit = true, .priority = priority};
  return (ps_scheduling){.error = error, .rtkit_error = refusal};
}
