/* The clock of one thread: a timer on its own CPU clock, which interrupts it where it uses the CPU.
 *
 * The kernel looks at such timers at its own tick, so the timer's interval is far shorter than that
 * and the number of intervals that went by (si_overrun) tells how much the thread used, without a
 * system call. Needs no privilege. Timers do not survive fork and exec, and count against
 * RLIMIT_SIGPENDING.
 *
 * When a perf event (perf_clock.h) interrupts the thread as well, samples come from that, and the
 * timer only watches, at a coarse interval: once nothing has come from the event for two of its
 * own, the event is lost and the timer gives the samples again. From the first signal of an event
 * on, the thread's CPU use is read by a system call. */
#ifndef PROFD_AGENT_THREAD_CLOCK_H
#define PROFD_AGENT_THREAD_CLOCK_H

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "child-agent/sampler/held_timer.h"
#include "profd_threads.h"

/* What gives the samples. */
enum clock_source {
    SOURCE_TIMER = 0,
    SOURCE_EVENT = 1,        /* it did since the timer's last signal; the timer is coarse */
    SOURCE_SILENT_EVENT = 2, /* it did, but nothing came since */
};

/* What samples of an event have come too soon by, so that later ones may stand for more, and what
 * of the thread's CPU use they have not stood for so far. */
struct event_bank {
    uint64_t credit_ns;
    uint64_t aside_ns;
};

/* Zeroed memory is a clock that does not run. */
struct thread_clock {
    _Atomic bool is_running;
    _Atomic bool had_event; /* the thread's handler writes, as the next */
    _Atomic enum clock_source source;
    struct held_timer timer;
    _Atomic uint32_t settings;    /* how often the next two were set; odd: they are being set */
    _Atomic uint64_t interval_ns; /* of the timer */
    _Atomic uint64_t base_ns;     /* CPU use of the thread when it was set */
    _Atomic int signal_number;
    /* The thread's handler only. */
    uint32_t counted_settings; /* what the intervals are of */
    uint64_t intervals;        /* that went by since base_ns */
    struct event_bank bank;    /* of events */
    /* Whether all that the thread uses is to be told, with or without a timer. */
    _Atomic bool is_counting;
    /* CPU use up to which samples and THREAD_CPU entries have told; whoever tells writes. */
    _Atomic uint64_t told_ns;
    /* Used at no place that is known, before the start or in context switches; told by nobody yet.
     */
    _Atomic uint64_t placeless_ns;
};

/* The kernel's tick. */
uint64_t thread_clock_tick_ns(void);

/* The interval of the timer that gives samples every INTERVAL_NS of CPU time, or every tick of
 * TICK_NS if that is longer. Pure. */
uint64_t thread_clock_timer_interval_ns(uint64_t interval_ns, uint64_t tick_ns);

/* What follows from a signal. */
struct clock_step {
    enum clock_source source;
    bool is_sample;
    bool sets_timer; /* anew, as the source has it */
};

/* After a signal of the event (IS_EVENT) or of the timer. Pure. */
struct clock_step clock_source_step(enum clock_source source, bool is_event);

/* How much a sample of an event stands for that comes each INTERVAL_NS of its own time, DELTA_NS of
 * the thread's CPU time after the last one. The rest went into context switches, which a thread's
 * clock counts and an event does not, and is set aside in BANK: an event that was told late, at the
 * end of a system call, is followed by one that seems to come too soon, and stands for what it was
 * late by. Pure. */
uint64_t clock_event_share_ns(uint64_t delta_ns, uint64_t interval_ns, struct event_bank *bank);

/* Starts CLOCK for THREAD, whose CPU clock is CPU_CLOCK, with SIGNAL_NUMBER at each INTERVAL_NS.
 * Any thread of the process. 0; -EAGAIN when no timers are left, -ESRCH when the thread is gone. */
int thread_clock_start(struct thread_clock *clock, struct profd_thread_id thread,
                       clockid_t cpu_clock, int signal_number, uint64_t interval_ns);

/* Goes on with SIGNAL_NUMBER, which a clock that has it leaves as it is. By the thread itself, also
 * in signal handlers. When it returns, the timer sends the old signal no more. 0; -EAGAIN when no
 * timer could be had instead: the clock does not run. */
int thread_clock_change_signal(struct thread_clock *clock, struct profd_thread_id thread,
                               clockid_t cpu_clock, int signal_number);

/* Goes on at each INTERVAL_NS, by the timer until an event comes; a clock that does not run stays
 * so. What the thread uses meanwhile counts. Any thread of the process, one at a time. 0; -EINVAL
 * when the thread is gone: the clock does not run. */
int thread_clock_change_interval(struct thread_clock *clock, clockid_t cpu_clock,
                                 uint64_t interval_ns);

/* All that the thread uses is to be told, from when it had used FROM_NS on; now it has used CPU_NS.
 * Nothing when that is so already. Any thread of the process, one at a time. */
void thread_clock_count(struct thread_clock *clock, uint64_t from_ns, uint64_t cpu_ns);

/* What the thread uses from now on is nobody's affair. */
void thread_clock_end_count(struct thread_clock *clock);

/* As if nothing had ever been counted. */
void thread_clock_forget_count(struct thread_clock *clock);

/* Whether anything was ever counted, in this process. */
bool thread_clock_has_counted(const struct thread_clock *clock);

/* Nothing when it does not run. Any thread. */
void thread_clock_stop(struct thread_clock *clock);

/* Whether INFO is of a timer of this kind, and not the program's own signal. */
bool thread_clock_is_signal(const siginfo_t *info);

/* In the handler, with a signal of this kind: whether it asks for a sample. Not when it is of a
 * clock that was stopped, nor when the timer only watches. Then *CPU_NS is the thread's CPU use as
 * of now. */
bool thread_clock_read_signal(struct thread_clock *clock, const siginfo_t *info, uint64_t *cpu_ns);

/* The same with a signal of the thread's perf event, which comes each INTERVAL_NS. What went into
 * context switches is told as of no place. */
bool thread_clock_read_event(struct thread_clock *clock, uint64_t interval_ns, uint64_t *cpu_ns);

/* How much of CPU_NS, since the start, nobody has told of yet; from now on it is told. */
uint64_t thread_clock_take_unreported(struct thread_clock *clock, uint64_t cpu_ns);

/* The same with what was used at no place that is known: CPU use that no sample stands for. */
uint64_t thread_clock_take_rest(struct thread_clock *clock, uint64_t cpu_ns);

/* REST_NS that was taken could not be told, and is to be told later. */
void thread_clock_put_back(struct thread_clock *clock, uint64_t rest_ns);

/* What was used at no place that is known, once it is LEAST_NS; else 0. */
uint64_t thread_clock_take_placeless(struct thread_clock *clock, uint64_t least_ns);

/* In a forked child, which has no timers. */
void thread_clock_after_fork_child(struct thread_clock *clock);

#endif
