/* The census: processes that run under profd and have no agent.
 *
 * Those whose agent is there say hello. Of the others profd learns from agents of those that run
 * them and wait for them (buffer/census_ring.h), when it reaps one itself, and from /proc: all that
 * descend from it, or from a process that said hello, are looked at now and then, often after
 * something happened and rarely while nothing does. Why a process has no agent is judged from its
 * program and environment (common/program_facts.h); who shows no reason gets a while to say hello.
 * Each becomes a silent child, listed in captures and by status. Loop thread. */
#ifndef PROFD_DAEMON_CENSUS_H
#define PROFD_DAEMON_CENSUS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <uv.h>

#include "daemon/children/census_names.h"
#include "daemon/children/recent_ends.h"

struct command;
struct daemon;
struct process_remains;

enum {
    /* A look costs about 10 us for each process of the system. */
    CENSUS_FIRST_SCAN_MS = 1000,
    CENSUS_SLOWEST_SCAN_MS = 16000,
    /* Without a reason, so long after it was first seen, a process counts as silent. */
    CENSUS_PATIENCE_MS = 2000,
    CENSUS_MAX_SUSPECTS = 256,
    /* What agents told is read so often; and who does not finish a sentence meanwhile never will.
     */
    CENSUS_READ_MS = 500,
};

/* A process that should have an agent, and has not said hello so far. */
struct census_suspect {
    pid_t pid;
    uint64_t start_ns;
    uint64_t seen_ns; /* first */
};

struct census {
    uv_timer_t timer;  /* of looks through /proc */
    uv_timer_t reader; /* of what agents told */
    bool is_open;
    uint64_t unfinished; /* the oldest entry when the reader last came by, if it was */
    uint64_t lost;       /* entries, in this session */
    uint64_t scan_ms;    /* until the next one */
    struct census_suspect suspects[CENSUS_MAX_SUSPECTS];
    size_t suspect_count;
    struct census_names names; /* of those that may yet say hello */
    struct recent_ends ends;   /* before the session */
};

/* Negative errno of the loop. */
int census_init(struct daemon *profd);
void census_close(struct daemon *profd);

/* A session begins. */
void census_begin_session(struct daemon *profd);

/* Something began that may run programs without agents: looks soon. */
void census_soon(struct daemon *profd);

/* Reads what agents told so far. */
void census_read(struct daemon *profd);

/* Reads and looks now: before what is known is shown. */
void census_take(struct daemon *profd);

/* Judges what COMMAND will run, before it does. */
void census_judge_command(struct command *command, const char *name, char *const *environment,
                          const char *directory);
/* It runs. */
void census_note_command(struct daemon *profd, const struct command *command);

/* profd reaped PID, its own child or an orphan that it adopted, of which REMAINS were there before.
 */
void census_note_reaped(struct daemon *profd, pid_t pid, int wait_status,
                        const struct process_remains *remains);

#endif
