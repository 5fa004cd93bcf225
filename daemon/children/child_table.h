/* The child tracker: every program image that said hello during this session or was found without a
 * hello (daemon/census/census.h), and what became of it.
 *
 * A process that calls exec continues as another image with the same pid; both are children here. A
 * child is connected, or detached (it has no socket, but its process is alive), or ended. A silent
 * one is detached from the beginning:
 *
 *     connected ──lost──▶ detached ──ended──▶ ended
 *      │     ▲               │                  ▲
 *      │     └──hello again──┘                  │
 *      └─────────────────ended──────────────────┘
 *
 * Its verdict says how it ended. What was taken for its end may turn out to be something else.
 * Every verdict except live stays the same when only the time is corrected:
 *
 *     live ──ended──▶ vanished ──wait status──▶ exited, killed
 *                     vanished, exited, killed ──it had called exec──▶ execed
 *     live ──exec──▶ execed ──it had not, and has ended──▶ vanished, exited, killed
 *
 * What is kept of its recording is a separate state (enum child_kept):
 *
 *     nothing ──hello──▶ arena ◀──▶ twice
 *        │                ▲  │ └──ended──▶ copying ──▶ copied ──no space──▶ expired
 *        │     late hello │  │ lost          │ └──session over──▶ unwanted
 *        │                │  ▼               │
 *        └────ended────▶  name  ◀────lost────┘
 *
 * A process that has recorded nothing reports only that it exists (enum child_dormancy); more may
 * be heard of it after its end. It passed no descriptor to watch it by, so profd looks for its
 * process once it has read everything that was reported with it (enum child_search):
 *
 *     awake ──report──▶ dormant ──it records──▶ woken     none ──report──▶ due ──gone──▶ failed
 * once ▲                │                       │         ▲               │             │
 *       └──────hello─────┴─────────hello─────────┘         └──found, ended─┴─found, gone─┘
 *
 * Bookkeeping only: no I/O. Descriptors and handles are stored here for their owners. Loop
 * thread. */
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

/* The state of the agent in a child. */
enum child_agent {
    CHILD_LISTENS,   /* an agent thread serves profd */
    CHILD_IS_ALONE,  /* there is no agent thread; nothing listens */
    CHILD_IS_SILENT, /* it never said hello: the census found it */
};

/* What is kept of a child's recording. */
enum child_kept {
    CHILD_KEPT_NOTHING,  /* it is alive and has no arena: dormant, silent, or unable to record */
    CHILD_KEPT_ARENA,    /* profd has a descriptor of the arena, as it has only … */
    CHILD_KEPT_TWICE,    /* … and here: profd-keeper has one as well */
    CHILD_KEPT_COPYING,  /* it has ended; its arena is being copied to the exit store */
    CHILD_KEPT_UNWANTED, /* the same, but the session is over: freed as soon as it is copied */
    CHILD_KEPT_COPIED,   /* it has a record in the exit store, as only in this state */
    CHILD_KEPT_EXPIRED,  /* the record was dropped for lack of space; only its account is left */
    CHILD_KEPT_NAME,     /* it has ended, and only its name is left */
};

/* Whether a child has recorded anything yet. */
enum child_dormancy {
    CHILD_AWAKE,   /* it said hello, or is silent */
    CHILD_DORMANT, /* it has no arena, and no agent thread */
    CHILD_WOKEN,   /* it has begun to record, and its hello has not been read yet */
};

/* Whether the process of a dormant child still has to be found, so that it can be watched. */
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
    CHILD_KNOWN_AS_COPY,        /* the same, and it was a copy with nothing to record */
};

/* The program that a child is about to run, as its agent reported. */
struct child_exec {
    uint64_t start_ns;                /* of that program; 0: there is none */
    char *path;                       /* owned; NULL: not known */
    enum recording_obstacle obstacle; /* why it cannot be profiled */
};

/* How a process ended, as its parent or profd learned by waiting for it. */
struct child_wait {
    bool is_known;
    int status; /* as of wait4() */
};

/* The hello that came with an arena that profd-keeper holds as well. */
struct child_greeting {
    uint8_t *bytes; /* owned; NULL: none */
    size_t count;
    uid_t uid;
};

struct child {
    pid_t pid;           /* from the kernel, in profd's namespace */
    pid_t parent_pid;    /* as its agent reported */
    uint32_t image;      /* 0 for the pid's first image in this table, 1 for the next … */
    uint64_t start_ns;   /* of the image; CLOCK_MONOTONIC */
    uint64_t end_ns;     /* 0 while it lives */
    uint64_t leaving_ns; /* when it said that it was about to end; 0: it did not */
    uint64_t identity; /* of the process; unlike a pid, never reused; 0: the kernel does not provide
                        * it */
    enum child_state state;
    enum process_verdict
        verdict;      /* LIVE until it has ended; changed by child_end(), child_correct_end() */
    int code;         /* exit status or signal */
    char *executable; /* owned */
    char *arguments;  /* command-line arguments, each terminated by NUL; only the first if the arena
                       * has them; owned; NULL: not known */
    size_t arguments_bytes;
    struct process_title title;
    bool lacks_start;        /* its start is not known: start_ns is its end */
    bool is_fork;            /* made by fork, so it ran no program of its own */
    uint64_t protocol_minor; /* as understood by its agent */
    bool was_seen_itself;    /* /proc showed that its process ran its executable */
    enum child_knowledge knowledge;
    struct child_exec exec; /* reported but not yet seen */
    struct child_wait wait;
    uint64_t process_start_ns; /* of the first known image of the process; the time of the exec call
                                * that made it, if that was reported */
    struct cpu_account cpu;    /* of the process */

    char *trouble; /* why it cannot take part, as its agent reported; owned; NULL: none */

    /* What other parts keep for it; they own it. */
    struct memory_share *share; /* daemon/limit/memory.h; NULL: no arena, or it has ended */
    struct marker_tally *tally; /* daemon/triggers/triggers.h; NULL: it reported no marker */
    struct loan *loan;          /* daemon/clocks/lending.h; NULL: it borrows nothing */

    lease_owner lease_owner;          /* owner of its units; NOBODY: it has none */
    enum recording_obstacle obstacle; /* why it has no arena */

    enum child_agent agent;       /* changed by child_set_agent() only */
    enum child_kept kept;         /* changed by child_set_kept() only */
    enum child_dormancy dormancy; /* changed by child_set_dormancy() only */
    enum child_search search;     /* changed by child_set_search() only */
    int arena_fd;                 /* owned; -1: none */
    struct child_greeting greeting;
    struct exit_record *exit;      /* owned by the exit store; NULL: none */
    struct block_account expired;  /* the account of the record that was dropped for space */
    struct agents *agents;         /* borrowed, for call-backs */
    struct connection *connection; /* NULL unless connected */
    struct child_watch *watch;     /* NULL when the process is gone or cannot be watched */

    struct child *previous, *next; /* in order of the hellos */
    struct child *earlier_in_bucket;
};

/* The contents of a hello, already checked. */
struct child_introduction {
    pid_t pid, parent_pid;
    uint64_t start_ns;
    uint64_t identity;
    bool is_fork;
    const char *executable;
    size_t executable_length;
    const char *arguments; /* with NULs between them; NULL: not known */
    size_t arguments_bytes;
    enum recording_obstacle obstacle; /* of one that is dormant for ever */
};

enum { CHILD_TABLE_BUCKETS = 4096 };

struct child_table {
    struct child *by_pid[CHILD_TABLE_BUCKETS]; /* latest first */
    struct child *first, *last;
    size_t count;  /* all */
    size_t ended;  /* of them */
    size_t names;  /* of the ended: those of which only the name, or only an account, is kept */
    size_t sought; /* of all: those whose search is due, or failed once */
};

/* Adds a connected child. Returns NULL if memory is exhausted. */
struct child *child_table_add(struct child_table *table, const struct child_introduction *who);

/* Adds a detached child that never said hello. Returns NULL if memory is exhausted. */
struct child *child_table_add_silent(struct child_table *table,
                                     const struct child_introduction *who);

/* Removes CHILD and frees it with everything that it owns (arena_fd is closed). Its watch,
 * connection and exit record must be gone already. */
void child_table_remove(struct child_table *table, struct child *child);

/* How the sender of a hello relates to the child known by its pid. */
enum child_relation {
    CHILD_IS_NEW,        /* no process with this pid is alive */
    CHILD_IS_SAME_IMAGE, /* it connects again */
    CHILD_HAS_ENDED,     /* the same image, whose last message was read late */
    CHILD_DID_EXEC,      /* the same process as another program */
    CHILD_REUSES_PID,    /* the known one has ended, and profd had not noticed */
    CHILD_CAME_BEFORE,   /* it became the known one; its hello was read late */
};

/* Returns the relation of WHO to EARLIER, the latest child with the same pid (ended or not), or
 * NULL. Pure. */
enum child_relation child_relate(const struct child *earlier, const struct child_introduction *who);

/* Returns whether WHO is the same image as EARLIER, the latest child with that pid. EARLIER was
 * taken for a silent one because its agent was slow or the judgement was wrong; or it could not
 * record, and seemed to have become another program when it was about to say hello again. Pure. */
bool child_is_same_as_silent(const struct child *earlier, const struct child_introduction *who);

/* Makes CHILD, which had a later image, the latest of its pid again. */
void child_table_make_latest(struct child_table *table, struct child *child);

/* Returns the latest child with PID, ended or not; NULL: none. */
struct child *child_table_find_latest(const struct child_table *table, pid_t pid);

/* Returns the last known image of the process of CHILD, which has PID; later ones with PID may be
 * of another process. NULL: CHILD, which is only compared, is not in TABLE any more. */
struct child *child_table_find_last_image(const struct child_table *table, pid_t pid,
                                          const struct child *child);

/* Returns the dormant child with PID that began at START_NS; NULL: none. When its hello is read it
 * may have ended, and need not be the latest with PID. */
struct child *child_table_find_dormant(const struct child_table *table, pid_t pid,
                                       uint64_t start_ns);

/* Returns the child that has the lease of OWNER, which must not be foreign; NULL: none. */
struct child *child_table_find_owner(const struct child_table *table, lease_owner owner);

/* Returns how many images of CHILD's pid in the table came after CHILD. */
uint32_t child_table_later_images(const struct child_table *table, const struct child *child);

/* Sets the arguments that CHILD was started with, BYTES in total. If memory is exhausted they stay
 * unknown. */
void child_set_arguments(struct child *child, const char *arguments, size_t bytes);

/* State changes, here and below. Only those drawn above are allowed, and this is asserted: callers
 * check input from outside first. */
void child_reconnect(struct child *child);
void child_detach(struct child *child);
void child_end(struct child_table *table, struct child *child, enum process_verdict verdict,
               int code, uint64_t end_ns);

/* Corrects how or when CHILD, which has ended, ended. */
void child_correct_end(struct child *child, enum process_verdict verdict, int code,
                       uint64_t end_ns);

/* Notes that CHILD was about to run the program at PATH at START_NS. If memory is exhausted the
 * path stays unknown. */
void child_begin_exec(struct child *child, uint64_t start_ns, const char *path,
                      enum recording_obstacle obstacle);
/* Notes that it did not run it. */
void child_cancel_exec(struct child *child);

/* Returns whether CHILD has told of an exec, not cancelled since, of a program without an agent. */
bool child_told_silent_exec(const struct child *child);

/* Sets what is kept of CHILD's recording to NEXT; its arena_fd and exit must already agree with
 * that. */
void child_set_kept(struct child_table *table, struct child *child, enum child_kept next);

/* Stores a copy of the hello of CHILD. Returns 0, or -ENOMEM: CHILD then has none. */
int child_set_greeting(struct child *child, uid_t uid, const uint8_t *hello, size_t bytes);

/* Sets the state of CHILD's agent to NEXT after a hello. Silent children are added as such. */
void child_set_agent(struct child *child, enum child_agent next);

/* Sets CHILD's dormancy to NEXT. */
void child_set_dormancy(struct child *child, enum child_dormancy next);

/* Sets the state of the search for CHILD's process to NEXT. */
void child_set_search(struct child_table *table, struct child *child, enum child_search next);

/* Returns whether CHILD, which has an agent and lives, has no connection, which an exec would end:
 * those of one thread have none, and those whose agent's thread had to go. */
bool child_is_unconnected(const struct child *child);

/* Returns whether nothing kept CHILD, of which nothing is kept, from recording: it had nothing. */
bool child_had_nothing_to_record(const struct child *child);

/* Returns whether CHILD has ended and appears in captures only by name, if at all. */
bool child_is_only_name(const struct child *child);

/* Converts a wait status from the kernel to a verdict and its *CODE. */
enum process_verdict child_verdict_of(int wait_status, int *code);

#endif
