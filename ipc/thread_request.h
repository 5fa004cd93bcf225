/* A request for threads: how profd asks a process in which nobody hears it to become one in which
 * somebody does, since the session needs that.
 *
 * A signal, the one that takes samples there, with a value that tells it from others. Its default
 * action is to be ignored, so one that comes too late does no harm. Who cannot do it where the
 * signal finds it, waits for another one. */
#ifndef PROFD_IPC_THREAD_REQUEST_H
#define PROFD_IPC_THREAD_REQUEST_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

/* Asks the first thread of PID. 0 or -errno. */
int thread_request_send(pid_t pid, int signal_number);

/* In a handler, safely: whether INFO is one. */
bool thread_request_is(const siginfo_t *info);

#endif
