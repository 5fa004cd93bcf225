/* What happens in profd when something happens: a session begins, a child ends, a client goes …
 *
 * Each function names the parts that it concerns, in the order in which they need it; no part knows
 * of another what is said here. Loop thread. */
#ifndef PROFD_DAEMON_WHEN_H
#define PROFD_DAEMON_WHEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "ipc/messages.h"

struct child;
struct client;
struct command;
struct connection;
struct daemon;
struct metrics_view;
struct process_remains;
struct program;
struct request;
struct trigger_set;

/* --- The ledger --- */

/* Made, or taken over with its session from a profd that was killed. */
void when_ledger_opens(struct daemon *profd);

/* --- Sessions --- */

/* The first of a recording, by a request: with SET (copied; NULL: no triggers), whose files go to
 * DIRECTORY_FD (taken over; -1: none). */
void when_session_begins(struct daemon *profd, const struct trigger_set *set, int directory_fd);

/* That of a profd that was killed, in this one. */
void when_session_resumes(struct daemon *profd);

/* Another one joins it, with SET and DIRECTORY_FD as above, or one of two leaves it. */
void when_session_is_shared(struct daemon *profd, const struct trigger_set *set, int directory_fd);
void when_part_leaves(struct daemon *profd);

/* The user's session is over: its time and its triggers end, whether the recording does or not. */
void when_user_session_ends(struct daemon *profd);

/* A request moved it to another state, as most of the above do; agents are told next. */
void when_session_moves(struct daemon *profd);

/* All agents have answered its start, or were given up. */
void when_session_has_started(struct daemon *profd);

/* --- Processes --- */

/* CHILD has ended; its verdict may still be corrected. Without a session it is freed by this. */
void when_child_ends(struct daemon *profd, struct child *child);

/* How many have ended in this session changed. */
void when_ended_count_changes(struct daemon *profd);

/* CHILD is about to be freed, whether it has ended or not. */
void when_child_is_forgotten(struct daemon *profd, struct child *child);

/* CHILD ended some time ago, and now it is known how. */
void when_verdict_is_known(struct daemon *profd, const struct child *child);

/* CHILD, which lives, has lost its connection, and so gives no answers. */
void when_child_falls_silent(struct daemon *profd, struct child *child);

/* What CHILD, which has ended, recorded is kept, or is lost. */
void when_child_is_kept(struct daemon *profd, struct child *child);

/* profd waited for PID, a child or an orphan that has ended; REMAINS were there before. */
void when_process_is_reaped(struct daemon *profd, pid_t pid, int wait_status,
                            const struct process_remains *remains);

/* --- Captures --- */

/* REQUEST, the current one until the capture is over, is for one. */
void when_capture_is_asked_for(struct daemon *profd, struct request *request);

/* The client that asked for it is told, unless it is gone. */
void when_capture_progresses(struct daemon *profd, const struct message_capture_progress *message);
void when_capture_is_written(struct daemon *profd, const struct message_capture_done *message);

/* --- Pages of metrics --- */

/* VIEW has processes and groups; this adds everything else. */
void when_metrics_are_requested(struct daemon *profd, struct metrics_view *view);

/* --- Commands and signals --- */

/* COMMAND runs, or TEXT says why it does not. */
void when_command_starts(struct daemon *profd, const struct command *command, const char *text);

/* A command has ended: that of PROGRAM (NULL: of none), or profd's own. */
void when_command_ends(struct daemon *profd, struct program *program, bool is_main,
                       int exit_status);

/* profd was sent SIGNAL_NUMBER. */
void when_signal_comes(struct daemon *profd, int signal_number);

/* --- Clients --- */

/* CLIENT has hung up; it is in no list now. */
void when_client_goes(struct daemon *profd, struct client *client);

/* The demand for measures of performance groups may have changed. */
void when_group_needs_change(struct daemon *profd);

#endif
