/* The census: finds the processes that run under profd and have no agent.
 *
 * Processes with an agent say hello. Of the others profd learns from the agents of processes that
 * start them and wait for them (buffer/census_ring.h), by reaping them itself, and from /proc: it
 * looks from time to time at all descendants of its own and of processes that said hello, often
 * after something happened and rarely while nothing does. Why a process has no agent is judged by
 * its program and environment (common/program_facts.h); a process without an apparent reason gets
 * some time to say hello. Each becomes a silent child, which captures and the status list. Loop
 * thread. */
#ifndef PROFD_DAEMON_CENSUS_H
#define PROFD_DAEMON_CENSUS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <uv.h>

#include "common/recording_obstacle.h"
#include "daemon/census/census_foreign.h"
#include "daemon/census/census_names.h"
#include "daemon/census/recent_ends.h"

struct agents;
struct child;
struct child_table;
struct install_paths;
struct lease_ledger;
struct process_remains;
struct session;

enum {
    /* A scan costs about 10 us for each process of the system. */
    CENSUS_FIRST_SCAN_MS = 1000,
    CENSUS_SLOWEST_SCAN_MS = 16000,
    /* Of so many processes that have agents the program is read, which costs as much again. */
    CENSUS_PROGRAMS_IN_A_LOOK = 64,
    /* A process without an apparent reason counts as silent this long after it was first seen. */
    CENSUS_PATIENCE_MS = 2000,
    CENSUS_MAX_SUSPECTS = 256,
    /* How often the agents' entries are read, and when the next time is if there were more than
     * CENSUS_MUCH_NEWS: the ring has room for 4,096. */
    CENSUS_READ_MS = 250,
    CENSUS_NEXT_READ_MS = 25,
    CENSUS_MUCH_NEWS = 128,
    /* An entry that is unfinished after this time will never be finished. */
    CENSUS_UNFINISHED_MS = 500,
    /* No process has a pid above this. The numbers behind it stand for those that had been reaped
     * when profd asked for their pids. */
    CENSUS_LAST_PID = 4194304,
};

/* A process that should have an agent, and has not said hello yet. */
struct census_suspect {
    pid_t pid;
    uint64_t start_ns;
    uint64_t seen_ns; /* first */
};

/* A program that profd has just started. */
struct census_start {
    pid_t pid;
    uint64_t start_ns;                /* just before it was started */
    const char *executable;           /* "": not known; borrowed */
    enum recording_obstacle obstacle; /* why it will probably not be profiled */
};

/* What the census looks at, or works on; borrowed. */
struct census_views {
    const struct session *session;
    const struct install_paths *paths;
    const struct lease_ledger *ledger; /* which contains the ring, if it is open */
    struct child_table *children;
    struct agents *agents;
};

struct census_events {
    /* Whether PID is a worker of profd itself, and not a process of the session. */
    bool (*is_own_worker)(pid_t pid, void *context);
    /* CHILD, which has no agent thread, requests another perf event. */
    void (*on_loan_request)(struct child *child, void *context);
    /* A process reported how its child PID ended, of which profd has already forgotten
     * everything. */
    void (*on_end_told)(pid_t pid, int wait_status, void *context);
};

struct census {
    const struct session *session;
    const struct install_paths *paths;
    const struct lease_ledger *ledger;
    struct child_table *children;
    struct agents *agents;
    const struct census_events *events;
    void *context;
    uv_timer_t timer;  /* of scans of /proc */
    uv_timer_t reader; /* of the agents' entries */
    bool is_open;
    uint64_t unfinished;    /* the oldest entry, if it was found unfinished … */
    uint64_t unfinished_ns; /* … first at this time */
    uint64_t lost;          /* entries and messages, in this session */
    uint64_t scan_ms;       /* until the next one */
    size_t look;            /* the number of the next look at the programs of children */
    struct census_suspect suspects[CENSUS_MAX_SUSPECTS];
    size_t suspect_count;
    struct census_names names; /* of those that may still say hello */
    struct recent_ends ends;   /* before the session */
    struct census_foreign foreign;
    pid_t unnumbered; /* how many had no pid by then */
};

/* *CENSUS is zeroed. Negative errno of the loop. */
int census_init(struct census *census, uv_loop_t *loop, const struct census_views *views,
                const struct census_events *events, void *context);
void census_close(struct census *census);

/* A session begins. */
void census_begin_session(struct census *census);

/* Something began that may run programs without an agent: scans soon. */
void census_schedule(struct census *census);

/* Reads the entries that agents have written. Returns their number. */
unsigned census_read(struct census *census);

/* Reads the entries and scans now, before what is known is shown. */
void census_take(struct census *census);

/* profd started a program itself. */
void census_note_started(struct census *census, const struct census_start *start);

/* profd reaped PID, its own child or an adopted orphan; REMAINS were read before that. */
void census_note_reaped(struct census *census, pid_t pid, int wait_status,
                        const struct process_remains *remains);

#endif
