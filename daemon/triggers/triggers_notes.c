/* What happens in processes that may be the cause of a capture: ends, markers, signals. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "buffer/arena.h"
#include "daemon/children/child_table.h"
#include "daemon/log.h"
#include "daemon/session.h"
#include "daemon/triggers/marker_tally.h"
#include "daemon/triggers/triggers.h"
#include "daemon/triggers/triggers_inside.h"

static void note_killed(struct triggers *triggers, pid_t pid, int signal_number)
{
    char name[TRIGGER_NAME_BYTES];
    const char *abbreviation = sigabbrev_np(signal_number);

    /* Whom profd itself ends, it ends on purpose. */
    if (!trigger_set_has(&triggers->set, TRIGGER_SIGNAL) ||
        triggers->events->is_shutting_down(triggers->context))
        return;
    if (abbreviation != NULL)
        snprintf(name, sizeof(name), "SIG%s", abbreviation);
    else
        snprintf(name, sizeof(name), "SIG%d", signal_number);
    triggers_happened(triggers, name, pid, 1, false);
}

static void note_failed(struct triggers *triggers, pid_t pid, int status)
{
    char name[TRIGGER_NAME_BYTES];

    if (!trigger_set_has(&triggers->set, TRIGGER_EXIT) ||
        triggers->events->is_shutting_down(triggers->context))
        return;
    snprintf(name, sizeof(name), "exit-%d", status);
    triggers_happened(triggers, name, pid, 1, false);
}

void triggers_note_verdict(struct triggers *triggers, const struct child *child)
{
    if (child->verdict == VERDICT_KILLED)
        note_killed(triggers, child->pid, child->code);
    else if (child->verdict == VERDICT_EXITED && child->code != 0)
        note_failed(triggers, child->pid, child->code);
}

void triggers_note_marker(struct triggers *triggers, struct child *child, uint64_t index,
                          uint64_t hits)
{
    const struct trigger *trigger = trigger_set_marker(&triggers->set, index);
    uint64_t more;

    if (trigger == NULL)
        return;
    int error =
        marker_tally_note(&child->tally, triggers->views.session->generation, index, hits, &more);
    if (error < 0)
        log_warn_of(child->pid, "trigger %s ignored: %s", trigger->name, uv_strerror(error));
    else if (more > 0)
        triggers_happened(triggers, trigger->name, child->pid, more, false);
}

void triggers_forget_child(struct child *child)
{
    marker_tally_free(&child->tally);
}

void triggers_note_ended(struct triggers *triggers, struct child *child)
{
    struct arena_header header;

    if (!trigger_set_has(&triggers->set, TRIGGER_MARKER) || child->arena_fd < 0)
        return;
    if (pread(child->arena_fd, &header, sizeof(header), 0) != (ssize_t)sizeof(header) ||
        header.generation != triggers->views.session->generation)
        return;
    for (uint64_t i = 0; i < TRIGGERS_MAX; i++)
        triggers_note_marker(triggers, child, i, header.marker_hits[i]);
}

bool triggers_take_sigusr2(struct triggers *triggers)
{
    if (!trigger_set_has(&triggers->set, TRIGGER_SIGUSR2))
        return false;
    triggers_happened(triggers, "SIGUSR2", 0, 1, true);
    return true;
}
