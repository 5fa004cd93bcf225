/* What is heard of children. */
#include "daemon/daemon.h"
#include "daemon/when.h"
#include "daemon/wiring.h"

static void on_news_wanted(void *context)
{
    struct daemon *profd = context;
    census_read(&profd->census);
}

static void on_hello(lease_owner owner, void *context)
{
    struct daemon *profd = context;
    restart_note_hello(&profd->restart, owner);
}

static void on_replaced(void *context)
{
    struct daemon *profd = context;
    census_schedule(&profd->census);
}

static void on_loan_request(struct child *child, void *context)
{
    struct daemon *profd = context;
    lending_follow(&profd->lending, child);
}

static void on_silence(struct child *child, void *context)
{
    when_child_falls_silent(context, child);
}

static void on_child_ended(struct child *child, void *context)
{
    when_child_ends(context, child);
}

static void on_verdict(struct child *child, void *context)
{
    when_verdict_is_known(context, child);
}

static void on_child_kept(struct child *child, void *context)
{
    when_child_is_kept(context, child);
}

static void on_child_forgotten(struct child *child, void *context)
{
    when_child_is_forgotten(context, child);
}

static void on_ended_count(void *context)
{
    when_ended_count_changes(context);
}

static bool is_child_in_use(const struct child *child, void *context)
{
    const struct daemon *profd = context;
    return captures_have(&profd->captures, child);
}

static void on_acknowledged(struct child *child, unsigned kind, uint64_t generation, void *context)
{
    struct daemon *profd = context;
    requests_note_acknowledged(&profd->requests, child, kind, generation);
}

static void on_gather_progress(struct child *child, const struct message_gather_progress *message,
                               void *context)
{
    struct daemon *profd = context;
    captures_note_progress(&profd->captures, child, message->gather_id, message->proportion);
}

static void on_profile(struct child *child, const struct message_profile *message, int *fd,
                       void *context)
{
    struct daemon *profd = context;
    captures_note_profile(&profd->captures, child, message, fd);
}

static void on_marker(struct child *child, uint64_t marker, uint64_t hits, void *context)
{
    struct daemon *profd = context;
    triggers_note_marker(&profd->triggers, child, marker, hits);
}

const struct agents_events agents_events = {
    .on_news_wanted = on_news_wanted,
    .on_hello = on_hello,
    .on_replaced = on_replaced,
    .on_loan_request = on_loan_request,
    .on_silence = on_silence,
    .on_end = on_child_ended,
    .on_verdict = on_verdict,
    .on_kept = on_child_kept,
    .on_forgotten = on_child_forgotten,
    .on_ended_count = on_ended_count,
    .is_in_use = is_child_in_use,
    .on_acknowledged = on_acknowledged,
    .on_progress = on_gather_progress,
    .on_profile = on_profile,
    .on_marker = on_marker,
};

static bool is_own_worker(pid_t pid, void *context)
{
    const struct daemon *profd = context;
    return pid == profd->triggers.worker.pid || programs_runs_export(&profd->programs, pid);
}

static void on_end_told(pid_t pid, int wait_status, void *context)
{
    struct daemon *profd = context;
    metrics_note_told_end(&profd->metrics, pid, wait_status);
}

const struct census_events census_events = { is_own_worker, on_loan_request, on_end_told };

const struct lending_events lending_events = { on_news_wanted };

static void on_keeper_replaced(void *context)
{
    when_keeper_is_replaced(context);
}

const struct keeper_events keeper_events = { on_keeper_replaced };
