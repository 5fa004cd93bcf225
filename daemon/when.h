/* What profd does when something happens: a session starts, a child ends, a client leaves …
 *
 * Each function calls the parts that it concerns, in the order that they need; the parts do not
 * know of each other. Loop thread. */
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

/* The ledger was created, or taken over together with its session from a profd that was killed. */
void when_ledger_opens(struct daemon *profd);

/* There is another profd-keeper, or none any more. */
void when_keeper_is_replaced(struct daemon *profd);

/* --- Sessions --- */

/* A request started the first session of a recording, with the triggers of SET (copied; NULL:
 * none), whose files go to DIRECTORY_FD (taken over; -1: none). */
void when_session_begins(struct daemon *profd, const struct trigger_set *set, int directory_fd);

/* The session of a profd that was killed continues in this one. */
void when_session_resumes(struct daemon *profd);

/* Another session joins the recording, with SET and DIRECTORY_FD as above; one of two leaves it. */
void when_session_is_shared(struct daemon *profd, const struct trigger_set *set, int directory_fd);
void when_part_leaves(struct daemon *profd);

/* The user's session is over: its duration and its triggers end, even if the recording goes on. */
void when_user_session_ends(struct daemon *profd);

/* A request moved the session to another state, as most of the above do; agents are told next. */
void when_session_moves(struct daemon *profd);

/* All agents have answered the start of the session, or are no longer waited for. */
void when_session_has_started(struct daemon *profd);

/* --- Processes --- */

/* CHILD has ended; its verdict may still be corrected. If there is no session, this frees it. */
void when_child_ends(struct daemon *profd, struct child *child);

/* The number of processes that have ended in this session changed. */
void when_ended_count_changes(struct daemon *profd);

/* CHILD is about to be freed, whether it has ended or not. */
void when_child_is_forgotten(struct daemon *profd, struct child *child);

/* CHILD ended some time ago, and it has now become known how. */
void when_verdict_is_known(struct daemon *profd, const struct child *child);

/* CHILD, which is alive, has lost its connection and cannot answer. */
void when_child_falls_silent(struct daemon *profd, struct child *child);

/* The recordings of CHILD, which has ended, have been saved or lost. */
void when_child_is_kept(struct daemon *profd, struct child *child);

/* profd reaped PID, a child or an orphan that has ended; REMAINS were read before that. */
void when_process_is_reaped(struct daemon *profd, pid_t pid, int wait_status,
                            const struct process_remains *remains);

/* --- Captures --- */

/* REQUEST asks for a capture; it is the current request until the capture is over. */
void when_capture_is_asked_for(struct daemon *profd, struct request *request);

/* Tell the client that asked for the capture, unless it has left. */
void when_capture_progresses(struct daemon *profd, const struct message_capture_progress *message);
void when_capture_is_written(struct daemon *profd, const struct message_capture_done *message);

/* --- Pages of metrics --- */

/* VIEW already has processes and groups; this adds everything else. */
void when_metrics_are_requested(struct daemon *profd, struct metrics_view *view);

/* --- Commands and signals --- */

/* COMMAND is running, or TEXT says why it is not. */
void when_command_starts(struct daemon *profd, const struct command *command, const char *text);

/* A command has ended. It is that of PROGRAM (NULL: of none). With IS_MAIN it is profd's own
 * command. */
void when_command_ends(struct daemon *profd, struct program *program, bool is_main,
                       int exit_status);

/* profd was sent SIGNAL_NUMBER. */
void when_signal_comes(struct daemon *profd, int signal_number);

/* --- Clients --- */

/* CLIENT has disconnected; it is already in no list. */
void when_client_goes(struct daemon *profd, struct client *client);

/* The set of performance groups that must be measured may have changed. */
void when_group_needs_change(struct daemon *profd);

#endif
