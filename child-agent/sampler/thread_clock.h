/* The clock of one thread: a timer on its CPU clock, which interrupts it where it uses the CPU.
 *
 * The kernel checks such timers only at its own tick. So the timer's interval is far shorter, and
 * the number of intervals that have passed (si_overrun) says how much the thread used, without a
 * system call. Needs no privilege. Timers do not survive fork and exec, and count against
 * RLIMIT_SIGPENDING.
 *
 * If a perf event (perf_clock.h) interrupts the thread as well, samples come from the event, and
 * the timer only watches, at a coarse interval: if nothing comes from the event during two of the
 * timer's intervals, the event is lost, and the timer triggers samples again. From the first signal
 * of an event on, the thread's CPU time is read by a system call. */
#ifndef PROFD_AGENT_THREAD_CLOCK_H
#define PROFD_AGENT_THREAD_CLOCK_H

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "child-agent/sampler/held_timer.h"
#include "profd_threads.h"

/* What triggers the samples. */
enum clock_source {
    SOURCE_TIMER = 0,
    SOURCE_EVENT = 1,        /* the event, since the timer's last signal; the timer is coarse */
    SOURCE_SILENT_EVENT = 2, /* the event did, but nothing has come since */
};

/* How much the samples of an event came too early, so that later ones may stand for more; and how
 * much of the thread's CPU time they have not accounted for so far. */
struct event_bank {
    uint64_t credit_ns;
    uint64_t aside_ns;
};

/* Zeroed memory is a clock that does not run. */
struct thread_clock {
    _Atomic bool is_running;
    _Atomic bool had_event; /* written by the thread's handler, as is the next */
    _Atomic enum clock_source source;
    struct held_timer timer;
    _Atomic uint32_t settings;    /* how often the next two were set; odd while they are being
                                   * set */
    _Atomic uint64_t interval_ns; /* interval of the timer */
    _Atomic uint64_t base_ns;     /* CPU time of the thread when it was set */
    _Atomic int signal_number;
    /* Used by the thread's handler only. */
    uint32_t counted_settings; /* the settings to which the intervals belong */
    uint64_t intervals;        /* intervals since base_ns */
    struct event_bank bank;    /* of events */
    /* Whether all CPU time of the thread must be recorded, with or without a timer. */
    _Atomic bool is_counting;
    /* CPU time up to which samples and THREAD_CPU entries have accounted; written by whoever
     * records them. */
    _Atomic uint64_t told_ns;
    /* CPU time used at no known place, before the start or in context switches, and not yet
     * recorded. */
    _Atomic uint64_t placeless_ns;
};

/* Returns the length of the kernel's tick. */
uint64_t thread_clock_tick_ns(void);

/* Returns the interval of a timer that triggers samples every INTERVAL_NS of CPU time, or every
 * tick of TICK_NS if that is longer. Pure. */
uint64_t thread_clock_timer_interval_ns(uint64_t interval_ns, uint64_t tick_ns);

/* The consequences of a signal. */
struct clock_step {
    enum clock_source source;
    bool is_sample;
    bool sets_timer; /* the timer must be set again for the new source */
};

/* Returns what follows from a signal of the event (IS_EVENT) or of the timer. Pure. */
struct clock_step clock_source_step(enum clock_source source, bool is_event);

/* Returns how much a sample of an event stands for. The event comes each INTERVAL_NS of its own
 * time; this sample comes DELTA_NS of the thread's CPU time after the last one. The rest went into
 * context switches, which a thread's clock counts and an event does not; it is set aside in BANK.
 * An event that came late, at the end of a system call, is followed by one that seems to come too
 * early, which stands for what the first was late by. Pure. */
uint64_t clock_event_share_ns(uint64_t delta_ns, uint64_t interval_ns, struct event_bank *bank);

/* Starts CLOCK for THREAD, whose CPU clock is CPU_CLOCK, with SIGNAL_NUMBER at each INTERVAL_NS.
 * Any thread of the process. Returns 0; -EAGAIN if no timers are left, -ESRCH if the thread is
 * gone. */
int thread_clock_start(struct thread_clock *clock, struct profd_thread_id thread,
                       clockid_t cpu_clock, int signal_number, uint64_t interval_ns);

/* Makes the clock use SIGNAL_NUMBER; does nothing if it already does. Called by the thread itself,
 * also in signal handlers. On return the timer no longer sends the old signal. Returns 0, or
 * -EAGAIN if no new timer is available; the clock then does not run. */
int thread_clock_change_signal(struct thread_clock *clock, struct profd_thread_id thread,
                               clockid_t cpu_clock, int signal_number);

/* Changes the interval to INTERVAL_NS. The timer triggers samples until an event comes. A clock
 * that does not run is not started. What the thread uses meanwhile counts. Any thread of the
 * process, one at a time. Returns 0, or -EINVAL if the thread is gone; the clock then does not
 * run. */
int thread_clock_change_interval(struct thread_clock *clock, clockid_t cpu_clock,
                                 uint64_t interval_ns);

/* Starts to count all CPU time of the thread, from when it had used FROM_NS; now it has used
 * CPU_NS. Does nothing if that is already so. Any thread of the process, one at a time. */
void thread_clock_count(struct thread_clock *clock, uint64_t from_ns, uint64_t cpu_ns);

/* Stops counting what the thread uses. */
void thread_clock_end_count(struct thread_clock *clock);

/* Resets the clock as if nothing had ever been counted. */
void thread_clock_forget_count(struct thread_clock *clock);

/* Returns whether anything was ever counted in this process. */
bool thread_clock_has_counted(const struct thread_clock *clock);

/* Stops the clock if it is running. Any thread. */
void thread_clock_stop(struct thread_clock *clock);

/* Returns whether INFO is of such a timer rather than the program's own signal. */
bool thread_clock_is_signal(const siginfo_t *info);

/* Called in the handler with such a signal. Returns whether it asks for a sample; it does not if it
 * is of a stopped clock or if the timer only watches. If it does, *CPU_NS is the thread's current
 * CPU time. */
bool thread_clock_read_signal(struct thread_clock *clock, const siginfo_t *info, uint64_t *cpu_ns);

/* Like thread_clock_read_signal(), with a signal of the thread's perf event, which comes each
 * INTERVAL_NS. What went into context switches is recorded as used at no known place. */
bool thread_clock_read_event(struct thread_clock *clock, uint64_t interval_ns, uint64_t *cpu_ns);

/* Returns how much of CPU_NS since the start has not been recorded, and marks it as recorded. */
uint64_t thread_clock_take_unreported(struct thread_clock *clock, uint64_t cpu_ns);

/* Like thread_clock_take_unreported(), including what was used at no known place: CPU time that no
 * sample stands for. */
uint64_t thread_clock_take_rest(struct thread_clock *clock, uint64_t cpu_ns);

/* Puts back REST_NS that was taken but could not be recorded, to be recorded later. */
void thread_clock_put_back(struct thread_clock *clock, uint64_t rest_ns);

/* Returns what was used at no known place, if it is at least LEAST_NS; else 0. */
uint64_t thread_clock_take_placeless(struct thread_clock *clock, uint64_t least_ns);

/* Called in a forked child, which has no timers. */
void thread_clock_after_fork_child(struct thread_clock *clock);

#endif
