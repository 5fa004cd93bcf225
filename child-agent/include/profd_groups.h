/* profd_groups.h: performance groups, which show what makes a program janky.
 *
 *     PROFD_UNIT(parse, "handler", "parse request");
 *     …
 *     struct profd_stopwatch watch;
 *     profd_unit_enter(&watch, &parse);
 *     …
 *     profd_unit_leave(&watch);
 *
 * A unit is whatever the program declares as one: a module, a handler, a script. A group stands for
 * one or more units whose cost matters: a tenant, a page, an add-on, a single unit. On the first
 * entry of a unit profd asks the program which groups it belongs to, and remembers the answer. Each
 * thread also has a top group of its own, which covers everything that the thread does, and says
 * how much of it belonged to no unit.
 *
 * For each group profd measures CPU time, wall time, the time blocked in calls to other processes,
 * the iterations in which it ran, and how many of these took more than 1, 2, 4 … 512 ms. `profctl
 * groups` shows the groups of all processes, including those that hang or were killed. They belong
 * to no session. An iteration is one turn of the thread's event loop (profd_event_loop.h, or the
 * calls of poll, select or epoll to which the thread keeps coming back), or else the time from
 * entering an outermost unit to leaving it.
 *
 * Nothing is measured unless somebody asks for it; until then each call costs one load and one
 * branch. None of the functions may be called in signal handlers. A handler that itself waits in
 * poll or its kin, the third time in a row without the program waiting elsewhere, cannot be told
 * from a loop: its thread has iterations there, and observers are called there. Threads that are
 * made past the C library, by clone, have no top group and are not measured. Follows the
 * Performance Monitoring API of Firefox. */
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

/* A bit of profd_recording: somebody asks for groups. */
enum { PROFD_RECORDING_GROUPS = 128 };

/* The number of groups that a unit can belong to, besides the one that holds only this unit. */
enum { PROFD_UNIT_MOST_GROUPS = 7 };

enum profd_group_flags {
    PROFD_GROUP_TOP = 1,    /* a thread as a whole; profd sets it, as all flags but SYSTEM */
    PROFD_GROUP_UNIT = 2,   /* contains a single unit, and no time of units nested in it */
    PROFD_GROUP_SYSTEM = 4, /* the program's own code, not that of its guests */
    PROFD_GROUP_OTHER = 8   /* groups that found no room */
};

/* A group: one for each kind and name in a process. */
struct profd_group;
struct profd_unit_groups_;

/* A unit: a static object that PROFD_UNIT defines, or a member of the object that it stands for,
 * with all fields but the first three zeroed. Its strings must remain valid for as long as the unit
 * is entered. */
struct profd_unit {
    const char *kind;
    const char *name;
    void *owner;                       /* the program's own */
    struct profd_unit_groups_ *groups; /* profd's own; NULL before the first entry */
};

/* Declares a unit, at file scope or inside a function. */
#define PROFD_UNIT(VARIABLE, KIND, NAME)                                                           \
    static struct profd_unit VARIABLE __attribute__((unused)) = { KIND, NAME, 0, 0 }

/* Called when UNIT is entered for the first time: puts up to MOST groups into OUT, each with a
 * reference, which profd keeps for as long as it knows the unit. Returns their number; groups after
 * a NULL are ignored. The function may enter units itself; those that would have to be asked for
 * are not measured then. */
typedef size_t profd_groups_of_unit(const struct profd_unit *unit, struct profd_group **out,
                                    size_t most, void *context);

/* A measurement under way, on the stack of the function that entered the unit. */
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

/* The alert about a group that was janky. */
struct profd_group_alert {
    const char *kind, *name; /* for as long as the process lives; not terminated */
    size_t kind_bytes, name_bytes;
    uint64_t id;
    unsigned flags;
    uint64_t times; /* iterations that broke the rule since the last alert about the group */
    uint64_t highest_cpu_ns, highest_wall_ns, highest_blocked_ns; /* of those */
};

/* Called on the thread that ended such an iteration, before the next iteration begins. It may do
 * anything that the program may do there, including leaving by longjmp or an exception. */
typedef void profd_group_observer(const struct profd_group_alert *alert, void *context);

#ifndef PROFD_DISABLED

/* --- Groups --- */

/* Returns the group of KIND and NAME (copied; any bytes, cut at 255) with a reference for the
 * caller. ID is the program's own number for it, FLAGS are of enum profd_group_flags; both are used
 * only if the group is new. Never NULL (except with PROFD_DISABLED): if there are too many groups,
 * all further ones are the same group. Any thread. */
struct profd_group *profd_group_ref(const char *kind, const char *name, uint64_t id,
                                    unsigned flags);

/* Releases a reference. The totals of the group stay. */
void profd_group_unref(struct profd_group *group);

/* Sets whether the group is measured from now on. By default all are, except those that hold a
 * single unit. */
void profd_group_set_active(struct profd_group *group, bool is_active);

/* Sets the function that knows the groups of units (NULL: none, so each unit has only its own
 * group). It is not called for units that are known already. */
void profd_units_ask(profd_groups_of_unit *ask, void *context);

/* Sets whether the group that holds only UNIT is measured. */
void profd_unit_set_active(struct profd_unit *unit, bool is_active);

/* Forgets the groups of UNIT, so that its next entry asks for them anew. Also to be called before
 * its memory is freed. No thread may be in the unit. */
void profd_unit_forget(struct profd_unit *unit);

/* --- Measuring; the calling thread --- */

/* The thread enters UNIT, and leaves it. Units must be left in the reverse order. A unit that was
 * left by longjmp, an exception or cancellation is detected and counted as cancelled; its cost goes
 * to the unit around it, or to none. */
static inline void profd_unit_enter(struct profd_stopwatch *watch, struct profd_unit *unit);
static inline void profd_unit_leave(struct profd_stopwatch *watch);

/* The thread waits in a synchronous call to another process. With libprofd.so, waits inside a unit
 * in poll, select, epoll_wait and the like, or for a child in wait, waitpid, waitid, system, pclose
 * and the like, count as blocked time automatically. Waits for signals do not, since their sender
 * need not have been asked for anything. */
void profd_blocked_begin(void);
void profd_blocked_end(void);

/* A nested event loop begins: measurements under way are cancelled, since what follows has nothing
 * to do with them. */
void profd_nested_loop_begin(void);
void profd_nested_loop_end(void);

/* An iteration of a loop of the program's own is complete, and its costs are added up. The first
 * such call tells profd that the thread has a loop. The next iteration begins at once; with
 * libprofd.so, a first wait in poll, select, epoll or a sleep, before any unit is entered, is not
 * part of it. A loop that waits in another way reports where its events begin and end instead
 * (profd_event_begin(), profd_event_end()). */
void profd_iteration_end(void);

/* --- Looking --- */

/* What can be measured. */
enum profd_group_measures {
    PROFD_MEASURE_TICKS = 1,   /* iterations and their wall time; implied by the others */
    PROFD_MEASURE_UNITS = 2,   /* also groups that contain a single unit */
    PROFD_MEASURE_CPU = 4,     /* CPU time, and jank in CPU time */
    PROFD_MEASURE_BLOCKED = 8, /* time in calls to other processes */
};

/* Asks for MEASURES (enum profd_group_measures; 0: none) of all groups on behalf of the program
 * itself. Has no effect on what others ask for; they may have more measured. */
void profd_groups_measure(unsigned measures);

/* Like profd_groups_measure(), for all measures except those of single units, which IS_DETAILED
 * adds. */
void profd_groups_monitor(bool is_wanted, bool is_detailed);

/* Calls VISIT with each group of this process. Returns 0, or -ENOENT if nothing was ever measured.
 */
int profd_groups_snapshot(void (*visit)(const struct profd_group_stats *stats, void *context),
                          void *context);

/* Calls OBSERVER when iterations of a group break RULE: "cpu>64ms", "wall>64ms" or "blocked>64ms",
 * optionally with ",kind=KIND" and ",name=NAME" for these groups alone; with ",times=3/10s" only
 * when three of them happened within ten seconds, ",times=3" within any time; and with ",quiet=1m"
 * at most once a minute for each group. Without "quiet", repetitions within a second are part of
 * the next alert. Groups are measured while there is an observer. Returns 0; -EINVAL: invalid rule;
 * -ENOSPC: there are 16 observers already; -ENOTSUP: groups cannot be measured here. Any thread. */
int profd_groups_observe(const char *rule, profd_group_observer *observer, void *context);

/* Removes the observer that was added with OBSERVER and CONTEXT. The calling thread no longer calls
 * it; another thread that is about to call it still may. */
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
