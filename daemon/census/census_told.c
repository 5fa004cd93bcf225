#include "daemon/census/census_told.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "buffer/lease_ledger.h"
#include "common/file_name.h"
#include "common/time_units.h"
#include "daemon/agents/agents.h"
#include "daemon/census/census.h"
#include "daemon/children/cpu_account.h"
#include "daemon/children/pidfd.h"
#include "daemon/children/process_tree.h"
#include "daemon/log.h"
#include "daemon/session.h"

/* A parent reports a program a moment after it was started, which may be after its end. */
enum { NAME_WITHIN_NS = NS_PER_S };

/* The longest tick at which kernels look at the clocks of threads, of those that are common. */
enum { KERNEL_TICK_NS = 4 * NS_PER_MS };

struct child *census_add(struct census *census, const struct process_sighting *sighting,
                         const char *executable, enum recording_obstacle obstacle)
{
    int pidfd = pidfd_of_process(sighting->pid);
    struct child_introduction who = {
        .pid = sighting->pid,
        .parent_pid = sighting->parent_pid,
        .start_ns = sighting->start_ns,
        .identity = pidfd >= 0 ? pidfd_identity(pidfd) : 0,
        .executable = executable,
        .executable_length = strlen(executable),
    };
    const struct census_foreign_process process = { who.identity, who.pid, who.parent_pid };

    census_foreign_learn(&census->foreign, &process, true); /* it may be told of by that alone */
    return agents_add_silent(census->agents, &who, obstacle, pidfd);
}

/* --- What an entry means --- */

/* What makes no sense is left out. */
static enum recording_obstacle obstacle_of(const struct census_entry *entry)
{
    return entry->obstacle < OBSTACLE_COUNT ? (enum recording_obstacle)entry->obstacle
                                            : OBSTACLE_NONE;
}

static bool has_guessed_name(const struct child *child)
{
    return child->executable[0] == '\0' || child->knowledge == CHILD_KNOWN_BY_END_UNNAMED ||
           child->knowledge == CHILD_KNOWN_AS_COPY;
}

static bool is_nameless(const struct child *child, const struct census_entry *entry)
{
    return child->agent == CHILD_IS_SILENT && child->state == CHILD_ENDED &&
           has_guessed_name(child) && entry->time_ns < child->end_ns + NAME_WITHIN_NS;
}

static bool is_same_program(const struct child *child, const struct census_entry *entry)
{
    return file_name_is_same(child->executable, entry->path, strlen(entry->path));
}

/* Whose end was told, and maybe read, before it was told that it was there. */
static bool has_ended_before(const struct child *latest, const struct census_entry *entry)
{
    return latest != NULL && latest->agent == CHILD_IS_SILENT && latest->state == CHILD_ENDED &&
           obstacle_of(entry) != OBSTACLE_NONE && entry->time_ns <= latest->end_ns;
}

static enum census_meaning meaning_of_present(const struct child *latest,
                                              const struct census_entry *entry)
{
    if (has_ended_before(latest, entry))
        return is_nameless(latest, entry) ? CENSUS_MEANS_NAME : CENSUS_MEANS_NOTHING;
    bool said_hello = latest != NULL && latest->agent != CHILD_IS_SILENT &&
                      latest->start_ns == entry->time_ns; /* which was read before */
    return said_hello ? CENSUS_MEANS_NOTHING : CENSUS_MEANS_PRESENT;
}

/* Of a program that nothing keeps from being profiled. */
static enum census_meaning meaning_of_usual_exec(const struct child *latest,
                                                 const struct census_entry *entry)
{
    if (latest == NULL)
        return CENSUS_MEANS_PROMISE;
    if (is_nameless(latest, entry))
        return CENSUS_MEANS_NAME;
    if (latest->start_ns >= entry->time_ns)
        return CENSUS_MEANS_NOTHING; /* it has said hello */
    bool was_latest = latest->state != CHILD_ENDED || entry->time_ns <= latest->end_ns;
    return latest->agent == CHILD_IS_ALONE && was_latest ? CENSUS_MEANS_EXEC : CENSUS_MEANS_PROMISE;
}

/* Of the process that LATEST is, rather than of one that had its pid before. */
static enum census_meaning meaning_of_leaving(const struct child *latest,
                                              const struct census_entry *entry)
{
    bool is_its_own = latest != NULL && latest->agent != CHILD_IS_SILENT &&
                      entry->time_ns >= latest->start_ns &&
                      (latest->state != CHILD_ENDED || entry->time_ns <= latest->end_ns);
    return is_its_own ? CENSUS_MEANS_LEAVING : CENSUS_MEANS_NOTHING;
}

static enum census_meaning meaning_of_exec(const struct child *latest,
                                           const struct census_entry *entry)
{
    if (entry->obstacle == OBSTACLE_NONE)
        return meaning_of_usual_exec(latest, entry);
    if (entry->obstacle >= OBSTACLE_COUNT)
        return CENSUS_MEANS_NOTHING;
    if (latest == NULL)
        return CENSUS_MEANS_NEW;
    if (is_nameless(latest, entry))
        return CENSUS_MEANS_NAME;
    if (latest->agent == CHILD_IS_SILENT &&
        (latest->state != CHILD_ENDED || entry->time_ns <= latest->end_ns))
        return CENSUS_MEANS_NOTHING; /* seen in /proc before: silent ones tell nothing themselves */
    if (latest->agent != CHILD_IS_SILENT && latest->start_ns > entry->time_ns)
        return CENSUS_MEANS_NOTHING; /* it said hello all the same */
    if (latest->state == CHILD_ENDED && latest->verdict != VERDICT_EXECED &&
        latest->end_ns > entry->time_ns)
        return CENSUS_MEANS_LAST_WORDS;
    return CENSUS_MEANS_NEW;
}

enum census_meaning census_meaning_of(const struct child *latest, const struct census_entry *entry)
{
    if (entry->pid <= 0)
        return CENSUS_MEANS_NOTHING;
    switch (entry->kind) {
    case CENSUS_EXEC:
        return meaning_of_exec(latest, entry);
    case CENSUS_FAILED:
        if ((latest != NULL && latest->exec.start_ns != 0) || entry->obstacle == OBSTACLE_NONE)
            return CENSUS_MEANS_NO_EXEC;
        return latest != NULL && latest->agent == CHILD_IS_SILENT && is_same_program(latest, entry)
                   ? CENSUS_MEANS_MISTAKE
                   : CENSUS_MEANS_NOTHING;
    case CENSUS_ENDED:
        return CENSUS_MEANS_END;
    case CENSUS_WOKEN:
        return CENSUS_MEANS_WOKEN;
    case CENSUS_LEAVING:
        return meaning_of_leaving(latest, entry);
    case CENSUS_WISH:
        return latest != NULL ? CENSUS_MEANS_LOAN_REQUEST : CENSUS_MEANS_NOTHING;
    case CENSUS_PRESENT:
        return meaning_of_present(latest, entry);
    default:
        return CENSUS_MEANS_NOTHING;
    }
}

/* --- What is done about it --- */

static struct process_sighting sighting_of(const struct census_entry *entry)
{
    return (struct process_sighting){
        .pid = entry->pid,
        .parent_pid = entry->parent_pid,
        .start_ns = entry->time_ns,
    };
}

static struct child *add_told(struct census *census, const struct census_entry *entry)
{
    const struct process_sighting sighting = sighting_of(entry);

    return census_add(census, &sighting, entry->path, obstacle_of(entry));
}

/* If it is gone already, its parent may still report how it ended. Until then it ended just now,
 * since its hello may still be unread. */
static void add_living(struct census *census, const struct census_entry *entry)
{
    struct child *child = add_told(census, entry);

    if (child != NULL && child->watch == NULL && kill(entry->pid, 0) < 0 && errno == ESRCH)
        agents_end_unwatched(child, uv_hrtime());
}

/* A process that makes others behind a filter may not know that it is in another pid namespace:
 * what has been there for long under that number, as another's child, is not the one that was made.
 */
static bool is_believable(const struct census_entry *entry)
{
    struct process_sighting sighting;

    if (obstacle_of(entry) == OBSTACLE_NONE || !process_sight(entry->pid, &sighting))
        return true;
    return sighting.parent_pid == entry->parent_pid ||
           sighting.start_ns + NAME_WITHIN_NS >= entry->time_ns;
}

void census_add_present(struct census *census, const struct census_entry *entry)
{
    size_t bytes;
    const char *arguments = census_ring_command_line(entry, &bytes);
    const struct child_introduction who = {
        .pid = entry->pid,
        .parent_pid = entry->parent_pid,
        .start_ns = entry->time_ns,
        .is_fork = entry->is_fork != 0,
        .executable = entry->path,
        .executable_length = strlen(entry->path),
        .arguments = bytes > 0 ? arguments : NULL,
        .arguments_bytes = bytes,
        .obstacle = obstacle_of(entry),
    };
    agents_add_dormant(census->agents, &who);
}

static void rename_child(struct child *child, const struct census_entry *entry)
{
    char *executable = strdup(entry->path);

    if (executable == NULL)
        return;
    free(child->executable);
    child->executable = executable;
    child->knowledge = CHILD_KNOWN_BY_ITSELF;
    if (obstacle_of(entry) != OBSTACLE_NONE)
        child->obstacle = obstacle_of(entry);
    else if (child->obstacle == OBSTACLE_NONE)
        child->obstacle = OBSTACLE_SILENT;
    child->start_ns = entry->time_ns;
    if (child->lacks_start)
        child->process_start_ns = entry->time_ns;
    child->lacks_start = false;
}

static void record_exec(struct child *child, const struct census_entry *entry)
{
    child_begin_exec(child, entry->time_ns, entry->path, obstacle_of(entry));
}

/* The parent of PID, whose program PID runs too unless it called exec unnoticed; NULL: not known.
 */
static const struct child *find_original(const struct census *census, pid_t pid, pid_t parent_pid)
{
    const struct child *earlier = child_table_find_latest(census->children, pid);
    bool did_exec =
        earlier != NULL && earlier->verdict == VERDICT_EXECED && !earlier->wait.is_known;

    return did_exec ? NULL : child_table_find_latest(census->children, parent_pid);
}

/* A copy of a process that records has its first sample when it has used this much. */
static uint64_t first_sample_ns(const struct session *session)
{
    const struct session_settings *settings = &session->settings;
    bool is_finer =
        settings->clock == SAMPLING_CLOCK_PERF && settings->interval_ns < KERNEL_TICK_NS;
    return is_finer ? settings->interval_ns : KERNEL_TICK_NS;
}

/* What is known of one that was unknown until it ended. A copy of ORIGINAL (NULL: none) whose agent
 * had not begun has nothing to record, as one that was made by vfork, or killed at once. */
static enum child_knowledge knowledge_of_ended(const struct census *census, bool is_named,
                                               const struct child *original,
                                               const struct child_ending *ending)
{
    if (is_named)
        return CHILD_KNOWN_BY_END;
    bool is_copy = original != NULL && original->agent != CHILD_IS_SILENT &&
                   original->obstacle == OBSTACLE_NONE &&
                   ending->cpu_ns < first_sample_ns(census->session);
    return is_copy ? CHILD_KNOWN_AS_COPY : CHILD_KNOWN_BY_END_UNNAMED;
}

void census_add_ended(struct census *census, const struct process_sighting *sighting,
                      const char *kernels_name, const struct child_ending *ending)
{
    char *told = census_names_take(&census->names, sighting->pid);
    const char *name = told != NULL ? told : kernels_name;
    bool is_named = name[0] != '\0';
    const struct child *original =
        is_named ? NULL : find_original(census, sighting->pid, sighting->parent_pid);
    enum child_knowledge knowledge = knowledge_of_ended(census, is_named, original, ending);

    struct child *child =
        census_add(census, sighting, original != NULL ? original->executable : name,
                   knowledge == CHILD_KNOWN_AS_COPY ? OBSTACLE_NONE : OBSTACLE_SILENT);
    free(told);
    if (child == NULL)
        return;
    child->knowledge = knowledge;
    child->lacks_start = sighting->start_ns == ending->end_ns;
    agents_end_silent(child, ending);
}

static void apply_end(struct census *census, const struct census_entry *entry)
{
    const struct child_ending ending = { entry->wait_status, entry->cpu_ns, entry->time_ns };

    if (agents_note_reaped(census->agents, entry->pid, &ending)) {
        free(census_names_take(&census->names, entry->pid));
        return;
    }
    if (recent_ends_take(&census->ends, entry->pid, entry->time_ns)) {
        census->events->on_end_told(entry->pid, entry->wait_status, census->context);
        return;
    }
    const struct process_sighting sighting = sighting_of(entry);
    census_add_ended(census, &sighting, "", &ending);
}

/* Whether LATEST still runs the program that it was: its exec is settled when it has happened, or
 * has failed. */
static bool exec_may_still_fail(const struct child *latest)
{
    return latest != NULL && latest->agent != CHILD_IS_SILENT && latest->state != CHILD_ENDED &&
           (kill(latest->pid, 0) == 0 || errno == EPERM) &&
           !process_runs_other_program(latest->pid, latest->executable);
}

static void begin_image(struct census *census, struct child *latest,
                        const struct census_entry *entry)
{
    if (exec_may_still_fail(latest)) {
        record_exec(latest, entry);
        census_schedule(census);
    } else {
        add_living(census, entry);
    }
}

static void cancel_exec(struct census *census, struct child *latest,
                        const struct census_entry *entry)
{
    free(census_names_take(&census->names, entry->pid));
    if (latest == NULL)
        return;
    child_cancel_exec(latest);
    process_title_expire(&latest->title); /* it was not looked at in the meantime */
}

/* When the exec call was made, whatever else it means. Agents of before 0.2 report no CPU time. */
static void record_exec_call(struct census *census, const struct census_entry *entry)
{
    const struct exec_call call = { entry->pid, entry->time_ns,
                                    entry->cpu_ns != 0 ? entry->cpu_ns : CPU_TIME_UNKNOWN };

    if (entry->pid > 0 && entry->kind == CENSUS_EXEC)
        agents_note_exec_call(census->agents, &call);
    else if (entry->kind == CENSUS_FAILED)
        agents_note_exec_failed(census->agents, entry->pid);
}

static void apply_entry(struct census *census, const struct census_entry *entry)
{
    struct child *latest = child_table_find_latest(census->children, entry->pid);

    record_exec_call(census, entry);
    switch (census_meaning_of(latest, entry)) {
    case CENSUS_MEANS_NOTHING:
        break;
    case CENSUS_MEANS_NEW:
        if (latest != NULL || is_believable(entry))
            begin_image(census, latest, entry);
        break;
    case CENSUS_MEANS_LAST_WORDS:
        agents_split_ending(latest, entry->time_ns, add_told(census, entry));
        break;
    case CENSUS_MEANS_NAME:
        rename_child(latest, entry);
        break;
    case CENSUS_MEANS_MISTAKE:
        agents_forget_silent(latest);
        break;
    case CENSUS_MEANS_END:
        apply_end(census, entry);
        break;
    case CENSUS_MEANS_EXEC:
        record_exec(latest, entry);
        break;
    case CENSUS_MEANS_PROMISE:
        census_names_put(&census->names, entry->pid, entry->path);
        break;
    case CENSUS_MEANS_NO_EXEC:
        cancel_exec(census, latest, entry);
        break;
    case CENSUS_MEANS_PRESENT:
        if (is_believable(entry))
            census_add_present(census, entry);
        break;
    case CENSUS_MEANS_WOKEN:
        agents_note_woken(census->agents, entry->pid, entry->time_ns);
        break;
    case CENSUS_MEANS_LEAVING:
        latest->leaving_ns = entry->time_ns;
        cpu_account_note_told(&latest->cpu, entry->cpu_ns);
        break;
    case CENSUS_MEANS_LOAN_REQUEST:
        census->events->on_loan_request(latest, census->context);
        break;
    }
}

bool census_entry_is_of_session(const struct census_entry *entry, const struct session *session)
{
    bool tells_session = entry->kind == CENSUS_PRESENT || entry->kind == CENSUS_WOKEN;

    return entry->time_ns >= session->start_ns ||
           (tells_session && entry->generation == session->generation);
}

void census_take_entry(struct census *census, struct census_entry *entry)
{
    uint64_t now_ns = uv_hrtime();

    if (entry->time_ns > now_ns || entry->time_ns == 0)
        entry->time_ns = now_ns; /* what is from the future would never expire */
    if (entry->kind == CENSUS_FOREIGN_ENDED && !census_foreign_resolve(&census->foreign, entry))
        return;
    if (session_is_on(census->session) && census_entry_is_of_session(entry, census->session))
        apply_entry(census, entry);
    else
        record_exec_call(census, entry); /* it may take up the session before it is made */
}

unsigned census_read(struct census *census)
{
    struct census_ring *ring = census->ledger->ring;
    struct census_entry entry;
    bool is_on = session_is_on(census->session);
    unsigned count = 0;

    if (ring == NULL)
        return 0;
    /* No more than there is room for: others may write as fast as we read. */
    for (; count < CENSUS_RING_ENTRIES && census_ring_take(ring, &entry); count++)
        census_take_entry(census, &entry);
    agents_watch_dormant(census->agents);
    uint64_t lost = census_ring_take_lost(ring);
    if (is_on)
        census->lost += lost;
    return count;
}
