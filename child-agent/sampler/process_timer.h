/* One timer on the CPU clock of the process, for threads that cannot get a timer of their own.
 *
 * It is created while timers are still available, and set once a thread is refused one. The kernel
 * sends its signal to the thread that is running at a tick, unless that blocks the signal. Before
 * Linux 6.4 it chose any thread, even a sleeping one, so there is no such timer there. What a
 * thread has used is read by a system call.
 *
 * One thread at a time, unless stated otherwise. */
#ifndef PROFD_AGENT_PROCESS_TIMER_H
#define PROFD_AGENT_PROCESS_TIMER_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/* Creates the timer, which does not run yet and will send SIGNAL_NUMBER. Does nothing if there is
 * one or the kernel is too old. Returns 0, or -EAGAIN if no timers are left. */
int process_timer_make(int signal_number);

/* Makes it send its signal at each INTERVAL_NS of CPU time of the process. Returns false if there
 * is no timer. Any thread. */
bool process_timer_serve(uint64_t interval_ns);

/* Makes it send SIGNAL_NUMBER from now on. If it cannot be created anew, there is no timer. Any
 * thread, also in signal handlers. */
void process_timer_change_signal(int signal_number);

/* Returns whether INFO is of this timer rather than the program's own signal. For handlers. */
bool process_timer_is_signal(const siginfo_t *info);

/* Stops its signals until it is set to serve again. */
void process_timer_rest(void);

void process_timer_delete(void);

/* Called in a forked child, which has no timers. */
void process_timer_after_fork_child(void);

/* Returns whether a kernel with the name RELEASE ("6.1.0-28-amd64") prefers the running thread.
 * Pure. */
bool process_timer_works_with(const char *release);

#endif
