/* The messages between profd, its agents and profctl: one struct each.
 *
 * On the wire a message is a frame (ipc/frame.h) that holds a msgpack array: the kind, then the
 * fields in the order of the struct. Strings and bytes in decoded messages are views into the
 * frame. Descriptors are sent with the frame (SCM_RIGHTS). The decoder checks every field, and what
 * it accepts is safe to use: numbers are in the range that their comment states and fit their
 * purpose (pids, signals, times that are multiplied), flags are 0 or 1, strings are no longer than
 * their maximum and, unless stated otherwise, contain no NUL. Nothing here allocates; any thread.
 */
#ifndef PROFD_IPC_MESSAGES_H
#define PROFD_IPC_MESSAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buffer/chunk_update.h"
#include "buffer/lease_ledger.h"
#include "common/features.h"
#include "common/output_pattern.h"
#include "common/progress_scale.h"
#include "common/recording_obstacle.h"
#include "common/sampling_clock.h"
#include "common/trigger.h"
#include "ipc/message_string.h"
#include "ipc/protocol_version.h"

/* Numbers on the wire: append, never reuse. 1–99 agent → profd, 100–199 profd → agent, 200–299
 * profctl → profd, 300–399 profd → profctl. The comments name the struct, and what a descriptor
 * that is sent along holds. */
#define MESSAGE_KINDS(X)                                                                           \
    X(HELLO, 1)                                  /* message_hello; carries the arena, if any */    \
    X(STARTED, 2)                                /* message_generation */                          \
    X(STOPPED, 3)                                /* message_generation */                          \
    X(PAUSED, 4)                                 /* message_generation */                          \
    X(RESUMED, 5)                                /* message_generation */                          \
    X(CHUNK_MANAGER_UPDATE, 6)                   /* message_chunk_manager_update */                \
    X(GATHER_PROFILE_PROGRESS, 7)                /* message_gather_progress */                     \
    X(PROFILE, 8)                                /* message_profile; carries the JSON */           \
    X(AGENT_LOG, 9)                              /* message_text */                                \
    X(TRIGGERED, 12)                             /* message_triggered */                           \
    X(LINE, 13)                                  /* no fields: connections come by this one */     \
    X(CONNECTION, 14)                            /* no fields; carries a connection */             \
    X(PROGRAM, 15)                               /* message_program; a pidfd, if of a child */     \
    X(SAMPLING_PAUSED, 25)                       /* message_generation */                          \
    X(SAMPLING_RESUMED, 26)                      /* message_generation */                          \
    X(WELCOME, 100)                              /* message_welcome; carries the lease ledger */   \
    X(ENSURE_STARTED, 101)                       /* message_session */                             \
    X(STOP, 102)                                 /* message_generation */                          \
    X(PAUSE, 103)                                /* message_generation */                          \
    X(RESUME, 104)                               /* message_generation */                          \
    X(AWAIT_NEXT_CHUNK_MANAGER_UPDATE, 105)      /* no fields */                                   \
    X(DESTROY_RELEASED_CHUNKS_AT_OR_BEFORE, 106) /* message_destroy_released */                    \
    X(GATHER_PROFILE, 107)                       /* message_gather_profile */                      \
    X(GET_GATHER_PROFILE_PROGRESS, 108)          /* message_gather_id */                           \
    X(PAUSE_SAMPLING, 125)                       /* message_generation */                          \
    X(RESUME_SAMPLING, 126)                      /* message_generation */                          \
    X(FOLLOW_GROUPS, 127)                        /* no fields: the ledger has news */              \
    X(CLIENT_HELLO, 200)                         /* message_client_hello */                        \
    X(CLIENT_START, 201)                         /* message_client_start; a folder, if captures */ \
    X(CLIENT_STOP, 202)                          /* message_request */                             \
    X(CLIENT_PAUSE, 203)                         /* message_request */                             \
    X(CLIENT_RESUME, 204)                        /* message_request */                             \
    X(CLIENT_STATUS, 205)                        /* message_request */                             \
    X(CLIENT_CAPTURE, 206)                       /* message_client_capture; carries FILE */        \
    X(CLIENT_LAUNCH, 207)                        /* message_client_launch */                       \
    X(CLIENT_SHUTDOWN, 208)                      /* message_request: profd ends */                 \
    X(CLIENT_SIGNAL, 209)                        /* message_client_signal: to the command */       \
    X(CLIENT_TRIGGER, 212)                       /* message_client_trigger; REPLY: what came */    \
    X(CLIENT_GROUPS, 213)                        /* message_client_groups; a file, if wanted */    \
    X(CLIENT_PAUSE_SAMPLING, 225)                /* message_request */                             \
    X(CLIENT_RESUME_SAMPLING, 226)               /* message_request */                             \
    X(REPLY, 300)                                /* message_reply: the end of a request */         \
    X(CAPTURE_PROGRESS, 301)                     /* message_capture_progress */                    \
    X(STATUS, 302)                               /* message_status: then REPLY */                  \
    X(CAPTURE_DONE, 303)                         /* message_capture_done: then REPLY */            \
    X(COMMAND_EXITED, 304)                       /* message_command_exited: to its launcher */

enum message_kind {
#define X(name, number) MESSAGE_##name = number,
    MESSAGE_KINDS(X)
#undef X
};

/* "HELLO" …, or "unknown". */
const char *message_kind_name(unsigned kind);

enum {
    MESSAGE_MAX_PATH = 4096,
    MESSAGE_MAX_COMMAND_LINE = 8192,
    MESSAGE_MAX_TEXT = 16384,
    MESSAGE_MAX_FILTERS = 4096,
    MESSAGE_MAX_SELECTION = 4096,
    MESSAGE_MAX_TRIGGERS = TRIGGERS_MAX * TRIGGER_TEXT_BYTES,
    MESSAGE_MAX_FILES = 1000000,        /* that triggers may leave */
    MESSAGE_MAX_ARGUMENTS = 384 * 1024, /* of a launch, with its environment */
    MESSAGE_MAX_STATUS = 480 * 1024,
    MESSAGE_MAX_PROFILE_PLACES = 16 * 1024,
};

/* Bounds of times, so that no sum or product of a few of them overflows. */
/* Bytes between sampled allocations, by default. */
#define MESSAGE_DEFAULT_ALLOCATION_BYTES UINT64_C(524288)
#define MESSAGE_MIN_INTERVAL_NS          UINT64_C(10000)
#define MESSAGE_MAX_INTERVAL_NS          UINT64_C(3600000000000) /* an hour */
#define MESSAGE_MAX_MILLISECONDS         UINT64_C(1000000000000) /* 31 years */

/* --- agent → profd --- */

struct message_hello {
    uint64_t protocol_version; /* ipc/protocol_version.h; check it first: see the decoders */
    int64_t pid, parent_pid;   /* as the agent sees them; the kernel's are decisive */
    uint64_t start_ns;         /* of this program image, CLOCK_MONOTONIC */
    uint64_t generation;       /* of the session it records on its own (PROFD_STARTUP); or 0 */
    uint64_t is_fork;          /* 1 when made by fork from a profiled process, 0 by exec */
    uint64_t lease_owner;      /* buffer/lease_ledger.h; 0: it has no lease */
    uint64_t obstacle;         /* enum recording_obstacle; without an arena it is not NONE */
    uint64_t is_alone;         /* 1: it has no agent thread, so nobody reads; profd has the arena */
    uint64_t gave_arena;       /* 1: profd got the arena with an earlier hello of this image */
    struct message_string executable;   /* at most MESSAGE_MAX_PATH */
    struct message_string command_line; /* with NULs, cut at MESSAGE_MAX_COMMAND_LINE */
};

struct message_generation {
    uint64_t generation;
};

struct message_chunk_manager_update {
    uint64_t generation;
    struct chunk_update update; /* on the wire: its numbers, then an array of the released chunks */
};

struct message_gather_id {
    uint64_t gather_id;
};

struct message_gather_progress {
    uint64_t gather_id;
    uint64_t proportion; /* of PROGRESS_SCALE */
};

struct message_profile {
    uint64_t gather_id;
    int64_t error;       /* 0, or the negative errno (to -4095) why there is none */
    uint64_t json_bytes; /* in the descriptor, a finished memfd positioned anywhere; 0, without a
                          * descriptor: the arena has everything, as was asked for */
};

struct message_text {
    struct message_string text;
};

/* Markers that lasted longer than their trigger allows. */
struct message_triggered {
    uint64_t generation;
    uint64_t marker; /* its place in the session's marker_triggers, below TRIGGERS_MAX */
    uint64_t hits;   /* 32 bits; all of this process in this session until now */
};

/* A process in another pid namespace than profd's is about to run a program that will not be
 * profiled, or could not run it: the sender, or its child, whose pidfd comes along. The message is
 * the only one of its connection, and is not answered. */
struct message_program {
    uint64_t protocol_version;  /* as in a hello */
    uint64_t time_ns;           /* before it can have begun, CLOCK_MONOTONIC */
    uint64_t cpu_ns;            /* of the process by its clock until then; UINT64_MAX: not known */
    uint64_t obstacle;          /* enum recording_obstacle */
    uint64_t has_failed;        /* 1: it could not be run */
    struct message_string path; /* at most MESSAGE_MAX_PATH */
    uint64_t is_about_child;    /* 1: not about the sender */
};

/* --- profd → agent --- */

/* A session's settings. Generation 0 in a WELCOME: no session is active; otherwise the interval is
 * not 0. */
struct message_session {
    uint64_t generation;
    uint64_t interval_ns;        /* at most MESSAGE_MAX_INTERVAL_NS */
    uint64_t memory_limit_bytes; /* this child's local limit */
    uint64_t features;           /* bits, enum feature; no others */
    uint64_t is_paused;
    uint64_t is_sampling_paused;           /* only samples and counters */
    struct message_string thread_filters;  /* comma-separated; empty: all */
    struct message_string marker_triggers; /* lines of common/trigger.h; empty: none */
    uint64_t allocation_interval_bytes;    /* between samples; 0: the agent's default */
    uint64_t clock;                        /* enum sampling_clock */
    uint64_t revision; /* 32 bits: of these terms, which may change while the session is on */
};

struct message_welcome {
    uint64_t protocol_version; /* the lower of the two; with another major one the agent leaves the
                                * program alone */
    struct message_session session;
};

struct message_destroy_released {
    uint64_t generation;
    uint64_t done_ns;
};

struct message_gather_profile {
    uint64_t gather_id;
    uint64_t reference_ns;                /* the capture's time zero */
    uint64_t reference_unix_ns;           /* the same moment since the epoch */
    uint64_t since_ns;                    /* what is older is left out; 0: nothing is */
    uint64_t later_images;                /* 32 bits; see struct gecko_process_options */
    uint64_t cpu_before_ns;               /* likewise, struct process_cpu_time */
    struct message_string thread_filters; /* comma-separated; empty: all */
    uint64_t is_raw; /* 1: bring the arena up to date for profd to copy; no JSON */
};

/* --- profctl → profd; id is the client's, echoed in every answer --- */

struct message_client_hello {
    uint64_t protocol_version;
    uint64_t is_program; /* 1: a process that controls its own sessions by the agent's API */
};

struct message_request {
    uint64_t id;
};

struct message_client_start {
    uint64_t id;
    uint64_t interval_ns;        /* as in message_session, but may be 0 */
    uint64_t memory_limit_bytes; /* 0: profd's own */
    uint64_t features;
    uint64_t duration_ms; /* at most MESSAGE_MAX_MILLISECONDS; 0: until stopped */
    uint64_t max_files;   /* that triggers leave, at most MESSAGE_MAX_FILES */
    struct message_string thread_filters;
    struct message_string triggers; /* of common/trigger.h, each terminated by NUL */
    struct message_string output;   /* pattern of their captures; empty: there are no triggers */
    uint64_t allocation_interval_bytes; /* as in message_session */
    uint64_t clock;                     /* likewise */
    uint64_t trigger_last_ms;           /* what captures cover before the event; 0: everything */
};

struct message_client_capture {
    uint64_t id;
    uint64_t stop;       /* 1: stop the session when done */
    uint64_t timeout_ms; /* for the whole gathering; at most MESSAGE_MAX_MILLISECONDS */
    uint64_t last_ms;    /* only what was recorded in the last ms; 0: everything */
    /* Of daemon/capture/capture_selection.h: comma-separated, at most MESSAGE_MAX_SELECTION; empty:
     * all. */
    struct message_string pids, names;
    struct message_string thread_filters;
    uint64_t is_raw; /* 1: a raw capture (json/raw_capture.h) instead of JSON */
};

struct message_client_launch {
    uint64_t id;
    struct message_string directory;   /* at least 1 byte, at most MESSAGE_MAX_PATH */
    struct message_string arguments;   /* at least one; each terminated by NUL */
    struct message_string environment; /* likewise; profd adds what agents need */
};

struct message_client_signal {
    uint64_t id;
    int64_t signal_number; /* 1 to 64 */
};

struct message_client_trigger {
    uint64_t id;
    struct message_string name; /* trigger_name_is_valid() */
};

/* What the client needs measured of performance groups from now on, until it disconnects. If a file
 * comes with it, a snapshot of all groups (ipc/groups/group_snapshot.h) is in the file when the
 * reply comes. */
struct message_client_groups {
    uint64_t id;
    uint64_t needs; /* enum group_needs */
};

/* The arenas of connected processes, some at a time. */
/* --- profd → profctl --- */

struct message_reply {
    uint64_t id;
    int64_t error;              /* 0 or negative errno (to -4095) */
    struct message_string text; /* for people: what went wrong and what to do; or a warning */
};

struct message_capture_progress {
    uint64_t id;
    uint64_t children_total, children_done;
    uint64_t bytes_written;
    uint64_t proportion; /* of PROGRESS_SCALE */
};

/* Where the profile of a process is in a capture. It was moved as it is, and not checked. */
struct message_profile_place {
    uint64_t start, bytes;
    uint64_t pid;
};

struct message_capture_done {
    uint64_t id;
    uint64_t bytes_written;
    uint64_t processes;
    struct message_string missing; /* one line that names what is incomplete; empty: nothing */
    /* An array of struct message_profile_place in the order of the capture. Those beyond
     * MESSAGE_MAX_PROFILE_PLACES are omitted. */
    struct message_string profile_places;
};

struct message_status {
    uint64_t id;
    struct message_string json; /* the documented status document, at most MESSAGE_MAX_STATUS */
};

struct message_command_exited {
    int64_t pid;
    uint64_t is_signal;
    int64_t code; /* exit status or signal */
};

/* The longest message of kinds 1–199, for an agent's buffers; MESSAGE_MAX_BYTES is that of all
 * kinds. */
enum { MESSAGE_MAX_AGENT_BYTES = 20 * 1024 };

/* One encoder and one decoder per struct, named message_put_X / message_get_X.
 *
 * Encoders write the whole frame (length and array) into OUT of CAPACITY bytes, ready for the
 * socket, and return its length; -EMSGSIZE if a string or the whole is too long; -EINVAL for
 * another value that the decoder would refuse. Nothing is cut silently. A greeting of version 6.0
 * has only the fields of that version.
 *
 * Decoders read a frame's payload, whose kind message_peek_kind() has told. They return 0, or
 * -EPROTO if a field is missing, of a wrong type, or out of range. Fields behind the known ones
 * come from a newer minor version and are skipped, whatever they hold; fields that an older version
 * lacks are 0. A hello, client hello or welcome of another major version decodes successfully, but
 * only to that number, with all else zero, so that the sender can be answered; all versions have
 * the number first. */
long message_put_empty(uint8_t *out, size_t capacity, enum message_kind kind);
/* clang-format off */
#define MESSAGE_CODECS(X)                                                                          \
    X(hello) X(generation) X(chunk_manager_update) X(gather_id)                                    \
    X(gather_progress) X(profile) X(text) X(session)                                               \
    X(welcome) X(destroy_released) X(gather_profile) X(client_hello)                               \
    X(request) X(client_start) X(client_capture) X(client_launch)                                  \
    X(client_signal) X(reply) X(capture_progress) X(capture_done)                                  \
    X(status) X(command_exited) X(triggered) X(client_trigger)                                     \
    X(client_groups) X(program)

/* Messages that have grown since 6.0, except greetings, which carry their version themselves. */
#define MESSAGE_GROWN_CODECS(X) X(session) X(gather_profile) X(client_capture)

/* clang-format on */
#define X(name)                                                                                    \
    long message_put_##name(uint8_t *out, size_t capacity, enum message_kind kind,                 \
                            const struct message_##name *message);                                 \
    int message_get_##name(const uint8_t *payload, size_t bytes, struct message_##name *out);
MESSAGE_CODECS(X)
#undef X

/* message_put_X() for a receiver that understands minor version MINOR. */
#define X(name)                                                                                    \
    long message_put_##name##_for(uint64_t minor, uint8_t *out, size_t capacity,                   \
                                  enum message_kind kind, const struct message_##name *message);
MESSAGE_GROWN_CODECS(X)
#undef X

/* The kind of a frame's payload, which is positive, or -EPROTO. A kind that is not known here comes
 * from a newer minor version: skip it. */
int message_peek_kind(const uint8_t *payload, size_t bytes);

#endif
