/* One timer on the CPU clock of the process, for threads that get none of their own.
 *
 * It is made while timers can still be had, and set once a thread is refused one. The kernel sends
 * its signal to the thread that runs at a tick, as long as that does not block it; before Linux
 * 6.4 it chose any thread, also one that sleeps, and there is no such timer. What a thread used is
 * read by a system call.
 *
 * One thread at a time, but where it says otherwise. */
#ifndef PROFD_AGENT_PROCESS_TIMER_H
#define PROFD_AGENT_PROCESS_TIMER_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/* Makes the timer, which does not run, and is to send SIGNAL_NUMBER. Nothing when there is one, or
 * the kernel is too old. 0; -EAGAIN when no timers are left. */
int process_timer_make(int signal_number);

/* Lets it send its signal at each INTERVAL_NS of CPU time of the process. False when there is none.
 * Any thread. */
bool process_timer_serve(uint64_t interval_ns);

/* It sends SIGNAL_NUMBER from now on, or there is none where it cannot be made anew. Any thread,
 * also in signal handlers. */
void process_timer_change_signal(int signal_number);

/* Whether INFO is of it, and not the program's own signal. In handlers. */
bool process_timer_is_signal(const siginfo_t *info);

/* It sends nothing until it is to serve again. */
void process_timer_rest(void);

void process_timer_delete(void);

/* In a forked child, which has no timers. */
void process_timer_after_fork_child(void);

/* Whether a kernel that calls itself RELEASE ("6.1.0-28-amd64") prefers the thread that runs. Pure.
 */
bool process_timer_works_with(const char *release);

#endif
