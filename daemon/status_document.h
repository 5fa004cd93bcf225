/* The answer to `profctl status`: a JSON text whose members stay what they are.
 *
 *     { "version", "protocol", "pid", "socket", "uptime_ms",
 *       "session": { "state", "generation", "elapsed_ms", "interval_ns", "memory_limit_bytes",
 *                    "features": [name], "threads": filters },        (the last five not when idle)
 *       "processes": { "connected", "detached", "ended", "not_listed",
 *                      "list": [ { "pid", "image", "parent_pid", "executable", "state", "verdict",
 *                                  "code", "age_ms", "recorded_bytes" } ] },
 *       "exit_profiles": { "kept", "bytes", "dropped", "dropped_bytes", "failed" },
 *       "commands": [ { "pid", "command" } ] } */
#ifndef PROFD_DAEMON_STATUS_DOCUMENT_H
#define PROFD_DAEMON_STATUS_DOCUMENT_H

struct daemon;

/* At most MESSAGE_MAX_STATUS bytes, freed with free(). NULL: no memory. */
char *status_document_make(const struct daemon *profd);

#endif
