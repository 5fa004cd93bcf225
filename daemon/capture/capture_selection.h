/* Which processes a capture contains, if not all. Pure.
 *
 * A process is selected by its id, or by a part of its program's name or title, ignoring case; one
 * match is enough. */
#ifndef PROFD_DAEMON_CAPTURE_SELECTION_H
#define PROFD_DAEMON_CAPTURE_SELECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "ipc/messages.h"

struct capture_selection {
    char pids[MESSAGE_MAX_SELECTION + 1];  /* decimal, comma-separated */
    char names[MESSAGE_MAX_SELECTION + 1]; /* comma-separated */
    char threads[MESSAGE_MAX_FILTERS + 1]; /* filters for their threads; "": all */
};

/* Reads what MESSAGE asks for into OUT, whose texts are never cut. */
void capture_selection_read(const struct message_client_capture *message,
                            struct capture_selection *out);

/* Whether it may leave out any process. */
bool capture_selection_is_partial(const struct capture_selection *selection);

/* The properties by which a process is selected. */
struct selection_subject {
    pid_t pid;
    const char *executable; /* a path */
    const char *title;      /* NULL: none */
};

/* Whether the process is in the capture. */
bool capture_selection_has(const struct capture_selection *selection,
                           const struct selection_subject *subject);

/* --- To report what selects nothing --- */

/* One of the ids or names, not terminated. */
struct selection_word {
    const char *text;
    size_t length;
    bool is_pid;
};

/* The first word (PREVIOUS is NULL), or the one after PREVIOUS. Returns false if there are no
 * more. */
bool capture_selection_next(const struct capture_selection *selection,
                            const struct selection_word *previous, struct selection_word *out);

bool selection_word_fits(const struct selection_word *word,
                         const struct selection_subject *subject);

#endif
