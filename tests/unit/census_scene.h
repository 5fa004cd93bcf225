/* A census without a daemon, and a process to be told of. */
#ifndef TESTS_UNIT_CENSUS_SCENE_H
#define TESTS_UNIT_CENSUS_SCENE_H

#include <check.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "buffer/lease_ledger.h"
#include "daemon/agents/agents.h"
#include "daemon/census/census.h"
#include "daemon/children/child_table.h"
#include "daemon/paths.h"
#include "daemon/session.h"

enum { START_NS = 1000, LOOP_ENDS_MS = 20 * 1000 };

static uv_loop_t loop;
static uv_timer_t limit;
static struct session session;
static struct install_paths paths;
static struct lease_ledger ledger;
static struct child_table table;
static struct agents agents;
static struct census census;
static pid_t process, worker;
static unsigned wishes, told_ends, ends;

static void on_agents_event(void *context)
{
    ck_assert_ptr_eq(context, &agents);
}

static void on_news_wanted(void *context)
{
    on_agents_event(context);
    census_read(&census);
}

static inline void on_silence(struct child *child, void *context)
{
    on_agents_event(context);
    ck_assert_ptr_nonnull(child);
}

static void on_end(struct child *child, void *context)
{
    on_agents_event(context);
    agents_detach_process(child);
    agents_store(&agents, child);
    ends++;
}

static void on_verdict(struct child *child, void *context)
{
    on_agents_event(context);
    ck_assert_int_eq(child->state, CHILD_ENDED);
}

static void on_forgotten(struct child *child, void *context)
{
    on_agents_event(context);
    ck_assert_ptr_nonnull(child);
}

static const struct agents_events agents_events = {
    .on_news_wanted = on_news_wanted,
    .on_silence = on_silence,
    .on_replaced = on_agents_event,
    .on_end = on_end,
    .on_verdict = on_verdict,
    .on_forgotten = on_forgotten,
    .on_ended_count = on_agents_event,
};

static bool is_own_worker(pid_t pid, void *context)
{
    ck_assert_ptr_eq(context, &census);
    return pid == worker;
}

static void on_loan_request(struct child *child, void *context)
{
    ck_assert_ptr_eq(context, &census);
    ck_assert_ptr_nonnull(child);
    wishes++;
}

static void on_end_told(pid_t pid, int wait_status, void *context)
{
    ck_assert_ptr_eq(context, &census);
    ck_assert_int_eq(pid, process);
    ck_assert_int_eq(wait_status, SIGKILL);
    told_ends++;
}

static const struct census_events events = { is_own_worker, on_loan_request, on_end_told };

static void on_limit(uv_timer_t *timer)
{
    (void)timer;
    ck_abort_msg("nothing happened in %d ms", LOOP_ENDS_MS);
}

static void begin_parts(void)
{
    const struct agents_views agents_views = { .loop = &loop,
                                               .session = &session,
                                               .children = &table };
    const struct census_views views = { &session, &paths, &ledger, &table, &agents };

    agents_init(&agents, &agents_views, &agents_events, &agents);
    memset(&census, 0, sizeof(census));
    ck_assert_int_eq(census_init(&census, &loop, &views, &events, &census), 0);
}

/* A program that has no agent, and lives until it is killed. */
static void begin_process(void)
{
    int until_exec[2];
    char byte;

    ck_assert_int_eq(pipe2(until_exec, O_CLOEXEC), 0);
    process = fork();
    ck_assert_int_ge(process, 0);
    if (process == 0) {
        execlp("sleep", "sleep", "1000", (char *)NULL);
        _exit(127);
    }
    close(until_exec[1]);
    ck_assert_int_eq(read(until_exec[0], &byte, 1), 0);
    close(until_exec[0]);
}

static void set_up(void)
{
    memset(&table, 0, sizeof(table));
    wishes = told_ends = ends = 0;
    worker = -1;
    session = (struct session){ .state = SESSION_ACTIVE, .generation = 3, .start_ns = START_NS };
    ledger.ring =
        mmap(NULL, sizeof(*ledger.ring), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(ledger.ring, MAP_FAILED);
    ck_assert_int_eq(uv_loop_init(&loop), 0);
    ck_assert_int_eq(uv_timer_init(&loop, &limit), 0);
    ck_assert_int_eq(uv_timer_start(&limit, on_limit, LOOP_ENDS_MS, 0), 0);
    begin_parts();
    begin_process();
}

static void tear_down(void)
{
    kill(process, SIGKILL);
    waitpid(process, NULL, 0);
    census_close(&census);
    census_close(&census);
    while (table.first != NULL) {
        agents_detach_process(table.first);
        agents_forget(&agents, table.first);
    }
    uv_close((uv_handle_t *)&limit, NULL);
    uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_int_eq(uv_loop_close(&loop), 0);
    munmap(ledger.ring, sizeof(*ledger.ring));
}

static inline void put_entry(enum census_kind kind, uint64_t time_ns, int wait_status)
{
    struct census_entry entry = { .kind = kind,
                                  .pid = process,
                                  .parent_pid = getpid(),
                                  .time_ns = time_ns,
                                  .cpu_ns = 5,
                                  .wait_status = wait_status };

    census_ring_set_path(&entry, "/bin/sleep");
    census_ring_set_command_line(&entry,
                                 "sleep\0"
                                 "1000",
                                 10);
    census_ring_put(ledger.ring, &entry);
}

static const struct child *latest_child(void)
{
    return child_table_find_latest(&table, process);
}

#endif
