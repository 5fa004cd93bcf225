/* profd_groups.h: performance groups, which tell who makes a program janky.
 *
 *     PROFD_UNIT(parse, "handler", "parse request");
 *     …
 *     struct profd_stopwatch watch;
 *     profd_unit_enter(&watch, &parse);
 *     …
 *     profd_unit_leave(&watch);
 *
 * A unit is what the program says it is: a module, a handler, a script. A group stands for one or
 * more units whose cost matters: a tenant, a page, an add-on, a single unit. On the first entry of
 * a unit profd asks the program which groups it belongs to, and remembers the answer. Each thread
 * also has a top group, which is automatic: all that the thread does, and how much of it belonged
 * to no unit.
 *
 * Of each group are known: CPU time, time on the wall, time blocked in calls to other processes,
 * iterations in which it ran, and how many of these took more than 1, 2, 4 … 512 ms. `profctl
 * groups` shows them, of all processes, also of those that hang or were killed. They belong to no
 * session. An iteration is one turn of the thread's event loop (profd_event_loop.h, or calls of
 * poll, select, epoll to which the thread keeps coming back), or else what lies between the entry
 * and the end of an outermost unit.
 *
 * Nothing is measured while nobody asks for it: then all of this costs one load and one branch.
 * None of it is for signal handlers. A handler that itself waits in poll or its kin, the third time
 * in a row without the program waiting elsewhere, cannot be told from a loop: its thread has
 * iterations there, and observers are called there. Threads that are made past the C library, by
 * clone, have no top group and are not measured. Follows the Performance Monitoring API of Firefox.
 */
#include "profd.h" /* before the guard: it includes this header in its order */

#ifndef PROFD_GROUPS_H
#define PROFD_GROUPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* One of the bits of profd_recording: somebody asks for groups. */
enum { PROFD_RECORDING_GROUPS = 128 };

/* How many groups a unit can belong to, besides the one that holds it alone. */
enum { PROFD_UNIT_MOST_GROUPS = 7 };

enum profd_group_flags {
    PROFD_GROUP_TOP = 1,    /* a thread as a whole; told by profd, as all but SYSTEM */
    PROFD_GROUP_UNIT = 2,   /* it holds a single unit, and no time of units inside that */
    PROFD_GROUP_SYSTEM = 4, /* the program's own code, not that of its guests */
    PROFD_GROUP_OTHER = 8   /* groups that found no room */
};

/* One for each kind and name of a process. */
struct profd_group;
struct profd_unit_groups_;

/* One static object each, made by PROFD_UNIT, or part of what it stands for; zeroed but for its
 * first three. Its strings stay for as long as it is entered. */
struct profd_unit {
    const char *kind;
    const char *name;
    void *owner;                       /* the program's own */
    struct profd_unit_groups_ *groups; /* profd's own; NULL before the first entry */
};

/* Declares a unit, at file scope or inside a function. */
#define PROFD_UNIT(VARIABLE, KIND, NAME)                                                           \
    static struct profd_unit VARIABLE __attribute__((unused)) = { KIND, NAME, 0, 0 }

/* Asked on the first entry of UNIT: puts up to MOST groups into OUT, with a reference each, which
 * profd keeps for as long as the unit is known. Returns how many; those up to the first NULL count.
 * It may enter units itself, which are not measured then where they have to be asked for. */
typedef size_t profd_groups_of_unit(const struct profd_unit *unit, struct profd_group **out,
                                    size_t most, void *context);

/* A measure under way, on the stack of whoever entered the unit. */
struct profd_stopwatch {
    void *thread_; /* NULL: nothing is measured */
    uint64_t number_;
    uint32_t depth_;
};

/* What a group has cost since monitoring began. */
struct profd_group_stats {
    const char *kind, *name; /* until the call returns; not terminated */
    size_t kind_bytes, name_bytes;
    uint64_t id;
    unsigned flags;
    uint64_t ticks, cpu_ns, wall_ns, blocked_ns;
    uint64_t unattributed_ns; /* of a top group: outside of all units */
    uint64_t cpu_exceeded[10], wall_exceeded[10];
};

/* What is told of a group that was janky. */
struct profd_group_alert {
    const char *kind, *name; /* for as long as the process lives; not terminated */
    size_t kind_bytes, name_bytes;
    uint64_t id;
    unsigned flags;
    uint64_t times; /* iterations that broke the rule since the last alert about the group */
    uint64_t highest_cpu_ns, highest_wall_ns, highest_blocked_ns; /* of those */
};

/* Called on the thread that ended such an iteration, before its next one begins. It may do whatever
 * the program may do there, also leave by longjmp or an exception. */
typedef void profd_group_observer(const struct profd_group_alert *alert, void *context);

#ifndef PROFD_DISABLED

/* --- Groups --- */

/* The group of KIND and NAME (copied; any bytes, cut at 255) with a reference, which is the
 * caller's. ID is the program's own number for it, FLAGS of enum profd_group_flags; both count when
 * the group is new. Never NULL (but with PROFD_DISABLED): when there are too many they are one
 * together. Any thread. */
struct profd_group *profd_group_ref(const char *kind, const char *name, uint64_t id,
                                    unsigned flags);

/* Gives a reference back. Its totals stay. */
void profd_group_unref(struct profd_group *group);

/* Whether the group is measured from here on: all are, but those that hold a single unit. */
void profd_group_set_active(struct profd_group *group, bool is_active);

/* Who knows the groups of units (NULL: nobody; they have only their own). Units that are known
 * already are not asked for again. */
void profd_units_ask(profd_groups_of_unit *ask, void *context);

/* The group that holds UNIT alone is measured, or no longer. */
void profd_unit_set_active(struct profd_unit *unit, bool is_active);

/* UNIT is asked for anew at its next entry; before its memory goes, too. Nobody is in it. */
void profd_unit_forget(struct profd_unit *unit);

/* --- Measuring; the calling thread --- */

/* The thread enters UNIT, and leaves it. What is entered last is left first; a unit that was left
 * by longjmp, an exception or cancellation is found out, and counted as cancelled: what it cost is
 * the cost of the unit around it, or of none. */
static inline void profd_unit_enter(struct profd_stopwatch *watch, struct profd_unit *unit);
static inline void profd_unit_leave(struct profd_stopwatch *watch);

/* The thread waits in a synchronous call to another process. With libprofd.so, what waits inside of
 * a unit in poll, select, epoll_wait or their kin, or for a child in wait, waitpid, waitid, system,
 * pclose or theirs is blocked time by itself. Waits for signals are not: who sends those need not
 * have been asked for anything. */
void profd_blocked_begin(void);
void profd_blocked_end(void);

/* A nested event loop begins: measures that are under way are cancelled, since what follows has
 * nothing to do with them. */
void profd_nested_loop_begin(void);
void profd_nested_loop_end(void);

/* An iteration of a loop of the program's own is complete: what ran is added up. From the first
 * such call on the thread has a loop. The next iteration begins at once. What the thread waits in
 * first, by poll, select, epoll or a sleep, until something comes and before any unit, is no part
 * of it (with libprofd.so); a loop that waits in another way tells where its events begin and end
 * instead (profd_event_begin(), profd_event_end()). */
void profd_iteration_end(void);

/* --- Looking --- */

/* What can be asked for. */
enum profd_group_measures {
    PROFD_MEASURE_TICKS = 1,   /* iterations, and their time on the wall: always with the others */
    PROFD_MEASURE_UNITS = 2,   /* groups that hold a single unit, too */
    PROFD_MEASURE_CPU = 4,     /* CPU time, and jank by it */
    PROFD_MEASURE_BLOCKED = 8, /* time in calls to other processes */
};

/* The program itself asks for MEASURES (enum profd_group_measures; 0: for nothing any more) of all
 * groups. Without effect on what others ask for, who may have more measured. */
void profd_groups_measure(unsigned measures);

/* The same for all measures but those of single units, which IS_DETAILED adds. */
void profd_groups_monitor(bool is_wanted, bool is_detailed);

/* Calls VISIT with each group of this process. 0, or -ENOENT: nothing was ever measured. */
int profd_groups_snapshot(void (*visit)(const struct profd_group_stats *stats, void *context),
                          void *context);

/* Calls OBSERVER when iterations of a group break RULE: "cpu>64ms", "wall>64ms" or "blocked>64ms",
 * with ",kind=KIND" and ",name=NAME" for some groups, else of all; ",times=3/10s" for so many of
 * them in so long, ",times=3" in however long; and ",quiet=1m" to hear no more of the group for so
 * long. Without, what happens again within a second is told with the next alert. Groups are
 * measured while anybody observes. 0; -EINVAL: no such rule; -ENOSPC: there are 16 observers;
 * -ENOTSUP: groups cannot be measured here. Any thread. */
int profd_groups_observe(const char *rule, profd_group_observer *observer, void *context);

/* Ends what was begun with OBSERVER and CONTEXT: the calling thread calls it no more. Another one
 * that is about to may still do. */
void profd_groups_unobserve(profd_group_observer *observer, void *context);

/* --- Details --- */

void profd_unit_enter_slow_(struct profd_stopwatch *watch, struct profd_unit *unit);
void profd_unit_leave_slow_(struct profd_stopwatch *watch);

static inline void profd_unit_enter(struct profd_stopwatch *watch, struct profd_unit *unit)
{
    watch->thread_ = 0;
    if (__builtin_expect((profd_recording & PROFD_RECORDING_GROUPS) != 0, 0))
        profd_unit_enter_slow_(watch, unit);
}

static inline void profd_unit_leave(struct profd_stopwatch *watch)
{
    if (__builtin_expect(watch->thread_ != 0, 0))
        profd_unit_leave_slow_(watch);
}

#endif

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
