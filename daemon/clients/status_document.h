/* The answer to `profctl status`: a JSON text whose members stay what they are.
 *
 *     { "version", "protocol", "protocol_minor", "pid", "socket", "uptime_ms",
 *       "census_lost" (reports of new processes that profd could not read in time),
 *       "session": { "state", "generation",
 *                    and unless idle: "elapsed_ms", "interval_ns", "clock", "memory_limit_bytes",
 *                    "features": [name], "threads": filters, "sampling_paused",
 *                    "sessions": [ { "owner", "pid", "elapsed_ms", "interval_ns" } ] },
 *       "memory": { "limit_bytes", "leased_bytes",
 *                   "accounted_bytes" (what the processes say and the exit store knows),
 *                   "kernel_bytes" (what all arenas and the exit store really take) },
 *       "processes": { "connected", "detached", "ended", "not_listed",
 *                      "list": [ { "pid", "image", "parent_pid", "executable", "state", "verdict",
 *                                  "code", "age_ms", …see below } ],
 *                      "clocks": [ { "clock", "processes", "shortest_interval_ns",
 *                                    "longest_interval_ns", "refused" } ] (of the living, in a
 *                                session; "refused" tells why it is not the one asked for) },
 *       "exit_profiles": { "kept", "bytes", "expired", "failed" },
 *       "account": { "produced_blocks", "produced_bytes", "dropped_blocks", "dropped_bytes" } (of
 *                  all processes, also those whose profile has expired; without chunks that are
 *                  still in use),
 *       "minute_cost": { "profd_cpu_ms", "export_cpu_ms" (where profd exports), "blocks", "bytes" }
 *                      (in a session: what profd and its exporter spend in a minute and what is
 *                      recorded in chunks that were filled, on average since each began),
 *       "triggers": { "armed": [trigger], "written", "failed", "waiting", "coalesced", "lost",
 *                     "last_file", "last_error" } (where the session has some),
 *       "commands": [ { "pid", "command" } ] }
 *
 * A process with an arena has "recorded_bytes" (the kernel's count), of which "dictionary_bytes",
 * "released_bytes" and "unreleased_bytes"; "oldest_ms", since the oldest chunk was done; "drops":
 * { cause: { "count", "bytes" } }; "clock" and "clock_interval_ns" (0: not known), what takes its
 * samples, and "clock_refused", why it is not the one asked for; while it lives also "threads",
 * "lease_bytes", and how late the sampler's ticks are done: "tick_lateness_us" on average,
 * "most_tick_lateness_us". One without has "obstacle", or "has_expired". */
#ifndef PROFD_DAEMON_STATUS_DOCUMENT_H
#define PROFD_DAEMON_STATUS_DOCUMENT_H

#include <stdint.h>

struct census;
struct child_table;
struct exit_store;
struct memory;
struct session;
struct supervisor;
struct triggers;

/* What the document is made from; borrowed. */
struct status_view {
    const struct session *session;
    struct memory *memory; /* its ledger is counted again */
    const struct child_table *children;
    const struct exit_store *exits;
    const struct census *census;
    const struct triggers *triggers;
    const struct supervisor *supervisor;
    const char *socket_path;
    uint64_t start_ns; /* of profd; CLOCK_MONOTONIC */
};

/* Makes the document, of at most MESSAGE_MAX_STATUS bytes, to be freed with free(). NULL: out of
 * memory. */
char *status_document_make(const struct status_view *view);

#endif
