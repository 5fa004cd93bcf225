/* Descriptors by which the program reads signals (signalfd) of a set that has the sampling signal
 * in it: a read would get samples' signals, which the program knows nothing of. So the kernel's set
 * lacks what is left out, and the program's is remembered, in case something else is left out
 * later.
 *
 * The caller serializes all calls, also in signal handlers. */
#ifndef PROFD_AGENT_SIGNAL_DESCRIPTORS_H
#define PROFD_AGENT_SIGNAL_DESCRIPTORS_H

#include <signal.h>
#include <stdint.h>

typedef int signalfd_function(int fd, const sigset_t *set, int flags);

/* Signals that are left out (bit N - 1 is signal N), and those that may be at some time. */
struct left_out_signals {
    uint64_t now, ever;
};

/* REAL(FD, SET, FLAGS) without the signals that are left out. REAL is signalfd() of the C library,
 * for all calls. Returns a descriptor, or -1 with errno. */
int signal_descriptors_make(signalfd_function *real, int fd, const sigset_t *set, int flags,
                            const struct left_out_signals *left_out);

/* Makes all leave out LEFT_OUT instead, as far as they are still under their number: of a duplicate
 * nothing is known, so it stays as it is if its original is closed. Opens a file in /proc for a
 * moment. */
void signal_descriptors_change(uint64_t left_out);

/* Called in a forked child: what it would change is its parent's as well. */
void signal_descriptors_forget(void);

#endif
