/* The child tracker: every program image that said hello during this session or was found without
 * (daemon/census/census.h), and what became of it.
 *
 * A process that calls exec continues as another image with the same pid; both are children here. A
 * child is connected, or detached (it has no socket, the process lives), or ended. A silent one is
 * detached from the beginning:
 *
 *     connected ──lost──▶ detached ──ended──▶ ended
 *      │     ▲               │                  ▲
 *      │     └──hello again──┘                  │
 *      └─────────────────ended──────────────────┘
 *
 * Its verdict says how it ended; what was taken for its end may have been something else. Any
 * verdict but live stays what it is when only the time is corrected:
 *
 *     live ──ended──▶ vanished ──wait status──▶ exited, killed
 *                     vanished, exited, killed ──it had called exec──▶ execed
 *     live ──exec──▶ execed ──it had not, and has ended──▶ vanished, exited, killed
 *
 * What is kept of its recording has a state of its own (enum child_kept):
 *
 *     nothing ──hello──▶ arena ◀──▶ twice
 *        │                ▲  │ └──ended──▶ copying ──▶ copied ──no space──▶ expired
 *        │     late hello │  │ lost          │ └──session over──▶ unwanted
 *        │                │  ▼               │
 *        └────ended────▶  name  ◀────lost────┘
 *
 * A process that has recorded nothing says only that it exists (enum child_dormancy); it may be
 * heard of again after its end. It passed no descriptor by which it could be watched, so profd
 * looks for its process when it has read everything that was reported with it (enum child_search):
 *
 *     awake ──report──▶ dormant ──it records──▶ woken     none ──report──▶ due ──gone──▶ failed
 * once ▲                │                       │         ▲               │             │
 *       └──────hello─────┴─────────hello─────────┘         └──found, ended─┴─found, gone─┘
 *
 * Bookkeeping only: no I/O; descriptors and handles are kept here for their owners. Loop thread. */
#ifndef PROFD_DAEMON_CHILD_TABLE_H
#define PROFD_DAEMON_CHILD_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "buffer/lease_ledger.h"
#include "daemon/children/cpu_account.h"
#include "daemon/children/process_title.h"
#include "ipc/messages.h"
#include "json/gecko/gecko_process.h"

struct connection;
struct agents;
struct child_watch;
struct exit_record;
struct loan;
struct marker_tally;
struct memory_share;

enum child_state { CHILD_CONNECTED, CHILD_DETACHED, CHILD_ENDED };
const char *child_state_name(enum child_state state);

/* What there is of an agent in a child. */
enum child_agent {
    CHILD_LISTENS,   /* a thread of the agent's serves profd */
    CHILD_IS_ALONE,  /* there is none: nothing in it listens */
    CHILD_IS_SILENT, /* it never said hello: the census found it */
};

/* What is kept of a child's recording. */
enum child_kept {
    CHILD_KEPT_NOTHING,  /* it lives and has no arena: dormant, silent, or not able to record */
    CHILD_KEPT_ARENA,    /* profd has a descriptor of it; so it is only … */
    CHILD_KEPT_TWICE,    /* … and here: profd-keeper has one, too */
    CHILD_KEPT_COPYING,  /* it has ended; its arena goes into the exit store */
    CHILD_KEPT_UNWANTED, /* the same, but the session is over: freed as soon as it is copied */
    CHILD_KEPT_COPIED,   /* it has a record in the exit store; so it is only here */
    CHILD_KEPT_EXPIRED,  /* the record was dropped for space, but for its account */
    CHILD_KEPT_NAME,     /* it has ended, and there is nothing but this */
};

/* Whether a child has recorded anything yet. */
enum child_dormancy {
    CHILD_AWAKE,   /* it said hello, or is silent */
    CHILD_DORMANT, /* it has no arena, and no agent thread */
    CHILD_WOKEN,   /* it has begun to record, and its hello has not been read yet */
};

/* Whether the process of a dormant child has to be looked for, to be watched. */
enum child_search {
    CHILD_SEARCH_NONE,        /* it is watched, or need not be */
    CHILD_SEARCH_DUE,         /* it has not been looked for yet */
    CHILD_SEARCH_FAILED_ONCE, /* it was gone; how it ended may be reported before the next look */
};

/* What a silent child is known by. */
enum child_knowledge {
    CHILD_KNOWN_BY_ITSELF,
    CHILD_KNOWN_BY_END,         /* only its end was reported */
    CHILD_KNOWN_BY_END_UNNAMED, /* the same, and it was given the name of its parent */
};

/* The program that a child is about to become, as its agent said. */
struct child_exec {
    uint64_t start_ns;                /* of that program; 0: there is none */
    char *path;                       /* owned; NULL: not known */
    enum recording_obstacle obstacle; /* why it cannot be profiled */
};

/* How a process ended, as its parent or profd learnt by waiting for it. */
struct child_wait {
    bool is_known;
    int status; /* as of wait4() */
};

/* The hello that came with an arena that profd-keeper has as well. */
struct child_greeting {
    uint8_t *bytes; /* owned; NULL: none */
    size_t count;
    uid_t uid;
};

struct child {
    pid_t pid;         /* the kernel's word, in profd's namespace */
    pid_t parent_pid;  /* as the agent said */
    uint32_t image;    /* 0 for the pid's first image in this table, 1 for the next … */
    uint64_t start_ns; /* of the image; CLOCK_MONOTONIC */
    uint64_t end_ns;   /* 0 while it lives */
    uint64_t identity; /* of the process, unlike a pid never reused; 0: the kernel cannot tell */
    enum child_state state;
    enum process_verdict
        verdict;      /* LIVE until it ended; moved by child_end(), child_correct_end() */
    int code;         /* exit status or signal */
    char *executable; /* owned */
    char *arguments;  /* that it was started with, with NULs between and behind them;
                       * of one that has them in its arena only the first; owned;
                       * NULL: not known */
    size_t arguments_bytes;
    struct process_title title;
    bool lacks_start;        /* when it began is not known: start_ns is its end */
    bool is_fork;            /* made by fork, so that it ran no program of its own */
    uint64_t protocol_minor; /* that its agent understands */
    bool was_seen_itself;    /* /proc showed that its process ran its executable */
    enum child_knowledge knowledge;
    struct child_exec exec; /* that it was about to make; the census' */
    struct child_wait wait;
    uint64_t process_start_ns; /* of the first image that is known of the process, from the call
                                * of exec on that made it, where that was told */
    struct cpu_account cpu;    /* of the process */

    char *trouble; /* why it cannot take part, as its agent said; owned; NULL: none */

    /* What others keep for it; owned by them. */
    struct memory_share *share; /* daemon/limit/memory.h; NULL: no arena, or it has ended */
    struct marker_tally *tally; /* daemon/triggers/triggers.h; NULL: it told of no marker */
    struct loan *loan;          /* daemon/clocks/lending.h; NULL: it borrows nothing */

    lease_owner lease_owner;          /* of its units; NOBODY: it has none */
    enum recording_obstacle obstacle; /* why it has no arena */

    enum child_agent agent;       /* moved by child_set_agent() alone */
    enum child_kept kept;         /* moved by child_set_kept() alone */
    enum child_dormancy dormancy; /* moved by child_set_dormancy() alone */
    enum child_search search;     /* moved by child_set_search() alone */
    int arena_fd;                 /* owned; -1: none */
    struct child_greeting greeting;
    struct exit_record *exit;      /* owned by the exit store; NULL: none */
    struct block_account expired;  /* the account of the record that was dropped for space */
    struct agents *agents;         /* borrowed, for call-backs */
    struct connection *connection; /* NULL unless connected */
    struct child_watch *watch;     /* NULL when the process is gone or cannot be watched */

    struct child *previous, *next; /* in the order of their hellos */
    struct child *earlier_in_bucket;
};

/* What a hello says, already checked. */
struct child_introduction {
    pid_t pid, parent_pid;
    uint64_t start_ns;
    uint64_t identity;
    bool is_fork;
    const char *executable;
    size_t executable_length;
    const char *arguments; /* with NULs between them; NULL: not known */
    size_t arguments_bytes;
};

enum { CHILD_TABLE_BUCKETS = 4096 };

struct child_table {
    struct child *by_pid[CHILD_TABLE_BUCKETS]; /* latest first */
    struct child *first, *last;
    size_t count;  /* all */
    size_t ended;  /* of them */
    size_t names;  /* of those: of which nothing else, or only an account, is kept */
    size_t sought; /* of all: whose search is due, or failed once */
};

/* Adds a connected child. NULL: no memory. */
struct child *child_table_add(struct child_table *table, const struct child_introduction *who);

/* Adds one that never said hello, detached. NULL: no memory. */
struct child *child_table_add_silent(struct child_table *table,
                                     const struct child_introduction *who);

/* Takes CHILD out and frees it with what it owns (arena_fd is closed; its watch, connection and
 * exit record are gone already). */
void child_table_remove(struct child_table *table, struct child *child);

/* How the sender of a hello relates to what is known of its pid. */
enum child_relation {
    CHILD_IS_NEW,        /* nobody of this pid lives */
    CHILD_IS_SAME_IMAGE, /* it connects again */
    CHILD_HAS_ENDED,     /* the same image; what it said last was read late */
    CHILD_DID_EXEC,      /* the same process as another program */
    CHILD_REUSES_PID,    /* the one known has ended; profd had not noticed */
    CHILD_CAME_BEFORE,   /* it became the one that is known; its hello was read late */
};

/* EARLIER is the latest child with the same pid (ended or not), or NULL. Pure. */
enum child_relation child_relate(const struct child *earlier, const struct child_introduction *who);

/* Whether EARLIER, the latest child with that pid, is the same image. It was taken for a silent one
 * because its agent was slow or the judgement wrong; or it could not record, and seemed to have
 * become another program when it was about to say hello again. Pure. */
bool child_is_same_as_silent(const struct child *earlier, const struct child_introduction *who);

/* Makes CHILD the latest of its pid, which came before it. */
void child_table_make_latest(struct child_table *table, struct child *child);

/* The latest child with PID, ended or not; NULL: none. */
struct child *child_table_find_latest(const struct child_table *table, pid_t pid);

/* The dormant child with PID that began at START_NS; NULL: none. When its hello is read it may have
 * ended, and need not be the latest with PID. */
struct child *child_table_find_dormant(const struct child_table *table, pid_t pid,
                                       uint64_t start_ns);

/* The child whose lease is OWNER's, which is not foreign; NULL: none. */
struct child *child_table_find_owner(const struct child_table *table, lease_owner owner);

/* How many images the table holds of CHILD's pid that came after it. */
uint32_t child_table_later_images(const struct child_table *table, const struct child *child);

/* CHILD was started with ARGUMENTS, of BYTES; without memory that stays unknown. */
void child_set_arguments(struct child *child, const char *arguments, size_t bytes);

/* The moves, here and below. Only those drawn above are allowed, and asserted: callers check first
 * what comes from outside. */
void child_reconnect(struct child *child);
void child_detach(struct child *child);
void child_end(struct child_table *table, struct child *child, enum process_verdict verdict,
               int code, uint64_t end_ns);

/* CHILD, which has ended, did so in another way than it seemed, or at another time. */
void child_correct_end(struct child *child, enum process_verdict verdict, int code,
                       uint64_t end_ns);

/* CHILD was about to become the program at PATH at START_NS. Without memory the path stays unknown.
 */
void child_begin_exec(struct child *child, uint64_t start_ns, const char *path,
                      enum recording_obstacle obstacle);
/* It did not. */
void child_cancel_exec(struct child *child);

/* What is kept of CHILD's recording is NEXT, which its arena_fd and exit already agree with. */
void child_set_kept(struct child_table *table, struct child *child, enum child_kept next);

/* Remembers the hello of CHILD. 0 or -ENOMEM: there is none then. */
int child_set_greeting(struct child *child, uid_t uid, const uint8_t *hello, size_t bytes);

/* CHILD said hello, and its agent is NEXT; one that is silent was added so. */
void child_set_agent(struct child *child, enum child_agent next);

/* CHILD is NEXT. */
void child_set_dormancy(struct child *child, enum child_dormancy next);

/* The search for the process of CHILD is NEXT. */
void child_set_search(struct child_table *table, struct child *child, enum child_search next);

/* It has ended, and is in captures as a name at most. */
bool child_is_only_name(const struct child *child);

/* A wait status from the kernel as a verdict. */
enum process_verdict child_verdict_of(int wait_status, int *code);

#endif
