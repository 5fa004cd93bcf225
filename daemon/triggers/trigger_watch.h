/* Triggers that no agent reports, so that profd itself checks for them once a second: janky groups
 * and event loops, and processes that use too much CPU time.
 *
 * Runs only while the session has such a trigger. Loop thread. */
#ifndef PROFD_DAEMON_TRIGGER_WATCH_H
#define PROFD_DAEMON_TRIGGER_WATCH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <uv.h>

#include "daemon/triggers/cpu_watch.h"
#include "daemon/triggers/trigger_set.h"
#include "ipc/groups/group_alert.h"
#include "ipc/groups/snapshot_file.h"

enum { TRIGGER_WATCH_PERIOD_MS = 1000 };

typedef void trigger_watch_visit(pid_t pid, uint64_t start_ns, void *context);

/* What the watch needs, and what it reports. */
struct trigger_watch_events {
    /* Writes a snapshot of all groups (ipc/groups/group_snapshot.h) to FD. 0 or a negative
     * errno. */
    int (*write_groups)(void *owner, int fd);
    /* Calls VISIT once for each living process. */
    void (*visit_processes)(void *owner, trigger_watch_visit *visit, void *context);
    /* CAUSE ("jank", "delay" or "cpu") happened TIMES times, first in PID; WHAT is a line for
     * people. Called at most once for each trigger, after the look, so that it may close the
     * watch. */
    void (*on_alert)(void *owner, const char *cause, const char *what, pid_t pid, uint64_t times);
};

enum { WATCH_WHAT_BYTES = 256 };

/* What a look has found. A zeroed one is nothing. */
struct watch_alert {
    uint64_t count; /* groups, or processes */
    uint64_t times;
    pid_t pid;                   /* of the first … */
    char what[WATCH_WHAT_BYTES]; /* … of which this tells */
};

/* A rule, and what it has seen. */
struct watched_rule {
    enum { WATCH_GROUPS, WATCH_CPU } looks_at;
    struct watch_alert alert;
    const char *cause; /* a literal */
    const char *text;  /* as the user wrote it; in the set */
    struct group_alert_rule rule;
    struct group_alerts alerts;
    struct trigger_cpu cpu_rule;
    struct cpu_watch cpu;
};

struct trigger_watch {
    uv_timer_t timer;
    const struct trigger_watch_events *events;
    void *owner;
    struct watched_rule rules[TRIGGERS_MAX];
    size_t count;
    struct snapshot_file before; /* at the last look */
    int last_error;              /* of looking at groups; logged once */
};

/* Returns 0, or libuv's error. */
int trigger_watch_init(struct trigger_watch *watch, uv_loop_t *loop,
                       const struct trigger_watch_events *events, void *owner);

/* From now on watches for the triggers of these kinds in SET, which must outlive the watching, and
 * for no others. */
void trigger_watch_follow(struct trigger_watch *watch, const struct trigger_set *set);

/* Whether it needs groups to be measured. */
bool trigger_watch_needs_groups(const struct trigger_watch *watch);

/* Takes a look now. The timer calls this. */
void trigger_watch_look(struct trigger_watch *watch, uint64_t now_ns);

/* Closes the watch; the loop must run on to complete this. */
void trigger_watch_close(struct trigger_watch *watch);

#endif
