#include "daemon/census/census.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "buffer/lease_ledger.h"
#include "common/file_name.h"
#include "common/process_stat.h"
#include "common/time_units.h"
#include "daemon/agents/agents.h"
#include "daemon/census/census_told.h"
#include "daemon/children/child_table.h"
#include "daemon/children/cpu_account.h"
#include "daemon/children/process_list.h"
#include "daemon/children/process_program.h"
#include "daemon/children/process_title.h"
#include "daemon/children/process_tree.h"
#include "daemon/log.h"
#include "daemon/paths.h"
#include "daemon/session.h"
#include "daemon/shared_tick.h"

/* --- Looking at a process --- */

/* Whether a process that shows no reason has had its time to say hello. */
static bool is_overdue(struct census *census, const struct process_sighting *sighting,
                       uint64_t now_ns)
{
    for (size_t i = 0; i < census->suspect_count; i++) {
        struct census_suspect *suspect = &census->suspects[i];
        if (suspect->pid != sighting->pid)
            continue;
        if (suspect->start_ns == sighting->start_ns)
            return now_ns - suspect->seen_ns >= CENSUS_PATIENCE_MS * NS_PER_MS;
        *suspect = census->suspects[--census->suspect_count]; /* the pid was used again */
        break;
    }
    if (census->suspect_count < CENSUS_MAX_SUSPECTS)
        census->suspects[census->suspect_count++] =
            (struct census_suspect){ sighting->pid, sighting->start_ns, now_ns };
    return false;
}

/* Suspects that have ended or said hello are suspects no more. */
static void clear_suspects(struct census *census)
{
    struct process_sighting sighting;

    for (size_t i = census->suspect_count; i-- > 0;) {
        const struct child *child =
            child_table_find_latest(census->children, census->suspects[i].pid);
        bool is_known = child != NULL && child->state != CHILD_ENDED;
        if (is_known || !process_sight(census->suspects[i].pid, &sighting) ||
            sighting.start_ns != census->suspects[i].start_ns)
            census->suspects[i] = census->suspects[--census->suspect_count];
    }
}

/* Between fork and exec, or reading arenas for us. */
static bool is_our_own(const struct census *census, const char *program)
{
    char own[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", own, sizeof(own) - 1);

    if (length > 0)
        own[length] = '\0';
    return (length > 0 && strcmp(program, own) == 0) ||
           strcmp(program, census->paths->salvage) == 0 ||
           strcmp(program, census->paths->keeper) == 0;
}

/* Whether nothing in PROGRAM, which could be looked at, will say hello. */
static bool stays_silent(const struct process_program *program)
{
    return program->obstacle != OBSTACLE_NONE && program->path[0] == '/';
}

/* A silent one that was met before: it may have become another program. True when it has. It may
 * have been told by the name of a link. */
static bool examine_silent_child(struct child *child, const struct process_program *program)
{
    cpu_account_follow(child);
    return stays_silent(program) &&
           !file_name_is_same(child->executable, program->path, strlen(program->path)) &&
           !process_runs_program(child->pid, child->executable);
}

/* Looks at the process that was sighted. True when SIGHTING is news. */
static bool examine_process(struct census *census, const struct process_sighting *sighting,
                            uint64_t now_ns)
{
    struct child *child = child_table_find_latest(census->children, sighting->pid);
    bool is_known = child != NULL && child->state != CHILD_ENDED;
    struct process_program program;

    if (census->events->is_own_worker(sighting->pid, census->context))
        return false;
    if (process_program_read(sighting->pid, census->paths->library, &program) < 0 ||
        is_our_own(census, program.path))
        return false;
    if (is_known) {
        struct process_sighting as_of_now = *sighting;
        as_of_now.start_ns = now_ns;
        return examine_silent_child(child, &program) &&
               census_add(census, &as_of_now, program.path, program.obstacle) != NULL;
    }
    if (program.obstacle == OBSTACLE_NONE) {
        if (!is_overdue(census, sighting, now_ns))
            return true;
        program.obstacle = OBSTACLE_SILENT;
    }
    return census_add(census, sighting, program.path, program.obstacle) != NULL;
}

/* --- Looking around --- */

/* Whether CHILD's process has called exec since: /proc showed it as what it was, or it told of the
 * call. A program that runs inside of another one, as in valgrind, never was what /proc shows. */
static bool has_been_replaced(const struct census *census, struct child *child)
{
    if (process_runs_other_program(child->pid, child->executable))
        return child->was_seen_itself || agents_knows_exec(census->agents, child);
    if (!child->was_seen_itself)
        child->was_seen_itself = process_runs_program(child->pid, child->executable);
    return false;
}

/* Adds the program that CHILD's process has become, in which nothing will say hello. True when it
 * was added; a program that can be profiled tells of itself. */
static bool add_replacing(struct census *census, const struct child *child, uint64_t now_ns)
{
    struct process_program program;
    const struct process_sighting sighting = {
        .pid = child->pid,
        .parent_pid = child->parent_pid,
        .start_ns = agents_exec_time(census->agents, child, now_ns),
    };

    return process_program_read(child->pid, census->paths->library, &program) == 0 &&
           stays_silent(&program) &&
           census_add(census, &sighting, program.path, program.obstacle) != NULL;
}

/* Those without an agent thread cannot show that they run another program by losing a connection;
 * they may have told of the call before the session, or not at all. Of many that told nothing, a
 * look that is not for SHOWING has a few, the next one others. True when there was news. */
static bool find_replaced_programs(struct census *census, bool showing, uint64_t now_ns)
{
    const struct child *last = census->children->last; /* those behind it are added here */
    const size_t living = census->children->count - census->children->ended;
    const size_t looks = showing ? 1 : living / CENSUS_PROGRAMS_IN_A_LOOK + 1;
    const size_t turn = census->look++ % looks;
    size_t number = 0;
    bool is_news = false;

    for (struct child *child = census->children->first; child != NULL;
         child = child != last ? child->next : NULL) {
        if (!child_is_unconnected(child))
            continue;
        bool has_turn = number++ % looks == turn;
        if ((has_turn || agents_knows_exec(census->agents, child)) &&
            has_been_replaced(census, child))
            is_news |= add_replacing(census, child, now_ns);
    }
    return is_news;
}

static bool has_agent(pid_t pid, void *context)
{
    const struct census *census = context;
    const struct child *child = child_table_find_latest(census->children, pid);

    return child != NULL && child->state != CHILD_ENDED && child->agent != CHILD_IS_SILENT;
}

/* Those that ended as a program that was never heard of. */
static void settle_execs(struct census *census)
{
    for (struct child *child = census->children->first; child != NULL; child = child->next) {
        if (child->state == CHILD_ENDED)
            agents_settle_exec(child);
    }
}

/* Those in which nobody may come by to see that they have a title. */
static void read_titles(struct census *census)
{
    for (struct child *child = census->children->first; child != NULL; child = child->next) {
        if (child->agent == CHILD_IS_ALONE && !child->title.was_looked &&
            child->state != CHILD_ENDED)
            process_title_look(child);
    }
}

/* Those in a pid namespace of their own that have an agent: parents tell only of others' ends. */
static void follow_clocks(struct census *census)
{
    for (struct child *child = census->children->first; child != NULL; child = child->next) {
        if (child->state != CHILD_ENDED && lease_owner_is_foreign(child->lease_owner))
            cpu_account_follow(child);
    }
}

/* SHOWING: what is found is shown now. True when there was news. */
static bool scan_processes(struct census *census, bool showing)
{
    struct process_list list;
    bool is_news = false;
    uint64_t now_ns = uv_hrtime();

    census_read(census); /* what agents told is better known */
    is_news = find_replaced_programs(census, showing, now_ns);
    int error = process_list_read(&list, has_agent, census);

    if (error == 0)
        process_list_mark(&list, getpid());
    else
        log_warn("cannot look for processes without an agent: %s", uv_strerror(error));
    for (size_t i = 0; error == 0 && i < list.count; i++) {
        const struct process_sighting *item = &list.items[i];
        if (item->is_ours && item->state != 0 && !process_state_is_ended(item->state))
            is_news |= examine_process(census, item, now_ns);
    }
    process_list_free(&list);
    settle_execs(census);
    read_titles(census);
    follow_clocks(census);
    clear_suspects(census);
    return is_news;
}

static void on_timer(uv_timer_t *timer)
{
    struct census *census = timer->data;

    if (!session_is_on(census->session)) {
        census->scan_ms = 0;
        return;
    }
    census->scan_ms = scan_processes(census, false) ? CENSUS_FIRST_SCAN_MS : census->scan_ms * 2;
    if (census->scan_ms > CENSUS_SLOWEST_SCAN_MS)
        census->scan_ms = CENSUS_SLOWEST_SCAN_MS;
    uv_timer_start(timer, on_timer, census->scan_ms, 0);
}

static void skip_unfinished(struct census *census, struct census_ring *ring)
{
    uint64_t number = ring != NULL ? census_ring_unfinished(ring) : 0;
    uint64_t now_ns = uv_hrtime();

    if (number != census->unfinished) {
        census->unfinished = number;
        census->unfinished_ns = now_ns;
    } else if (number != 0 && now_ns - census->unfinished_ns >= CENSUS_UNFINISHED_MS * NS_PER_MS) {
        census_ring_skip(ring);
    }
}

static void on_reader(uv_timer_t *timer)
{
    struct census *census = timer->data;

    bool is_much = census_read(census) > CENSUS_MUCH_NEWS;
    skip_unfinished(census, census->ledger->ring);
    agents_forget_names(census->agents);
    if (session_is_on(census->session))
        (void)shared_tick_start(timer, on_reader, is_much ? CENSUS_NEXT_READ_MS : CENSUS_READ_MS);
}

void census_begin_session(struct census *census)
{
    census->lost = 0;
    for (struct child *child = census->children->first; child != NULL; child = child->next)
        child->cpu.before_ns =
            cpu_account_before(child->start_ns, census->session->start_ns, child->pid);
    if (census->is_open)
        uv_timer_start(&census->reader, on_reader, CENSUS_NEXT_READ_MS, 0);
    census_schedule(census);
}

void census_schedule(struct census *census)
{
    if (!census->is_open || census->scan_ms == CENSUS_FIRST_SCAN_MS)
        return;
    census->scan_ms = CENSUS_FIRST_SCAN_MS;
    uv_timer_start(&census->timer, on_timer, census->scan_ms, 0);
}

void census_take(struct census *census)
{
    if (session_is_on(census->session))
        (void)scan_processes(census, true); /* news or not */
}

/* --- What profd itself starts and reaps --- */

void census_note_started(struct census *census, const struct census_start *start)
{
    const struct process_sighting sighting = {
        .pid = start->pid,
        .parent_pid = getpid(),
        .start_ns = start->start_ns,
    };

    census_schedule(census);
    if (session_is_on(census->session) && start->obstacle != OBSTACLE_NONE &&
        !has_agent(start->pid, census))
        census_add(census, &sighting, start->executable, start->obstacle);
}

void census_note_reaped(struct census *census, pid_t pid, int wait_status,
                        const struct process_remains *remains)
{
    const struct child_ending ending = { wait_status, remains->cpu_ns, uv_hrtime() };
    bool knows_start = remains->start_ns != 0 && remains->start_ns < ending.end_ns;
    const struct process_sighting sighting = {
        .pid = pid,
        .parent_pid = getpid(),
        .start_ns = knows_start ? remains->start_ns : ending.end_ns,
    };

    census_read(census); /* what it was */
    if (agents_note_reaped(census->agents, pid, &ending) || !session_is_on(census->session))
        return;
    census_add_ended(census, &sighting, remains->name, &ending);
}

/* --- Life cycle --- */

int census_init(struct census *census, uv_loop_t *loop, const struct census_views *views,
                const struct census_events *events, void *context)
{
    census->session = views->session;
    census->paths = views->paths;
    census->ledger = views->ledger;
    census->children = views->children;
    census->agents = views->agents;
    census->events = events;
    census->context = context;
    int error = uv_timer_init(loop, &census->timer);

    if (error == 0)
        error = uv_timer_init(loop, &census->reader);
    census->timer.data = census->reader.data = census;
    census->is_open = error == 0;
    return error;
}

void census_close(struct census *census)
{
    census_names_clear(&census->names);
    if (!census->is_open)
        return;
    census->is_open = false;
    uv_close((uv_handle_t *)&census->timer, NULL);
    uv_close((uv_handle_t *)&census->reader, NULL);
}
