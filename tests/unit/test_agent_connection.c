/* daemon.agents.agent_connection: what an agent says after its hello, over a real socket on a real
 * loop, and no daemon. */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "daemon/agents/agent_connection.h"
#include "daemon/agents/agents.h"
#include "daemon/children/child_table.h"
#include "daemon/limit/memory.h"
#include "daemon/session.h"
#include "ipc/messages.h"
#include "ipc/socket.h"
#include "tests/unit/run_suite.h"

enum { GENERATION = 5, LOOP_ENDS_MS = 20 * 1000, HITS = 3 };

static uv_loop_t loop;
static uv_timer_t limit;
static struct session session;
static struct child_table table;
static struct memory memory;
static struct agents agents;
static struct child *child;
static int agent; /* its end of the socket; -1: closed */

static struct {
    unsigned acknowledged, progress, profiles, markers, news, ends;
    unsigned kind;
    uint64_t generation, marker, hits;
    bool had_descriptor;
} seen;

/* --- What happens --- */

static void on_acknowledged(struct child *of, unsigned kind, uint64_t generation, void *context)
{
    ck_assert_ptr_eq(of, child);
    ck_assert_ptr_eq(context, &seen);
    seen.kind = kind;
    seen.generation = generation;
    seen.acknowledged++;
}

static void on_progress(struct child *of, const struct message_gather_progress *message,
                        void *context)
{
    (void)context;
    ck_assert_ptr_eq(of, child);
    ck_assert_uint_eq(message->gather_id, 2);
    seen.progress++;
}

static void on_profile(struct child *of, const struct message_profile *message, int *fd,
                       void *context)
{
    (void)message, (void)context;
    ck_assert_ptr_eq(of, child);
    seen.had_descriptor = fd != NULL && fcntl(*fd, F_GETFD) >= 0;
    seen.profiles++;
}

static void on_marker(struct child *of, uint64_t marker, uint64_t hits, void *context)
{
    (void)context;
    ck_assert_ptr_eq(of, child);
    seen.marker = marker;
    seen.hits = hits;
    seen.markers++;
}

/* What the process told before is read before its end is judged. */
static void on_news_wanted(void *context)
{
    (void)context;
    ck_assert_int_ne(child->state, CHILD_ENDED);
    seen.news++;
}

static void on_end(struct child *of, void *context)
{
    (void)context;
    ck_assert_ptr_eq(of, child);
    ck_assert_uint_eq(seen.news, 1);
    seen.ends++;
}

static const struct agents_events events = {
    .on_end = on_end,
    .on_news_wanted = on_news_wanted,
    .on_acknowledged = on_acknowledged,
    .on_progress = on_progress,
    .on_profile = on_profile,
    .on_marker = on_marker,
};

static void on_limit(uv_timer_t *timer)
{
    (void)timer;
    ck_abort_msg("nothing happened in %d ms", LOOP_ENDS_MS);
}

/* --- A child with a connection --- */

static void set_up(void)
{
    const struct agents_views views = {
        .loop = &loop, .session = &session, .children = &table, .memory = &memory
    };
    const struct child_introduction who = { .pid = 10, .executable = "x", .executable_length = 1 };
    int ends[2];

    memset(&seen, 0, sizeof(seen));
    memset(&table, 0, sizeof(table));
    memset(&memory, 0, sizeof(memory));
    session = (struct session){ .state = SESSION_ACTIVE, .generation = GENERATION };
    ck_assert_int_eq(uv_loop_init(&loop), 0);
    ck_assert_int_eq(uv_timer_init(&loop, &limit), 0);
    ck_assert_int_eq(uv_timer_start(&limit, on_limit, LOOP_ENDS_MS, 0), 0);
    agents_init(&agents, &views, &events, &seen);
    child = child_table_add(&table, &who);
    child->agents = &agents;
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    ck_assert_int_eq(
        connection_accept(&loop, ends[0], &agent_connection_events, child, &child->connection), 0);
    agent = ends[1];
}

static void hang_up(void)
{
    if (agent >= 0)
        close(agent);
    agent = -1;
}

static void run_until(const unsigned *count, unsigned at_least)
{
    while (*count < at_least)
        uv_run(&loop, UV_RUN_ONCE);
}

static void tear_down(void)
{
    hang_up();
    run_until(&seen.ends, 1);
    child_table_remove(&table, child);
    uv_close((uv_handle_t *)&limit, NULL);
    uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_int_eq(uv_loop_close(&loop), 0);
}

/* --- What the agent says --- */

static uint8_t frame[MESSAGE_MAX_BYTES];

static void say(long bytes, int fd)
{
    ck_assert_int_gt(bytes, 0);
    ck_assert_int_eq(socket_send(agent, frame, (size_t)bytes, &fd, fd >= 0), bytes);
}

static void say_state(enum message_kind kind, uint64_t generation)
{
    const struct message_generation message = { generation };

    say(message_put_generation(frame, sizeof(frame), kind, &message), -1);
}

static void say_trouble(const char *text)
{
    const struct message_text message = { { text, strlen(text) } };

    say(message_put_text(frame, sizeof(frame), MESSAGE_AGENT_LOG, &message), -1);
}

static void say_profile(uint64_t bytes, int fd)
{
    const struct message_profile message = { .gather_id = 2, .json_bytes = bytes };

    say(message_put_profile(frame, sizeof(frame), MESSAGE_PROFILE, &message), fd);
}

static void say_triggered(uint64_t generation)
{
    const struct message_triggered message = { .generation = generation,
                                               .marker = 1,
                                               .hits = HITS };

    say(message_put_triggered(frame, sizeof(frame), MESSAGE_TRIGGERED, &message), -1);
}

/* --- Tests --- */

START_TEST(what_it_has_done_is_passed_on)
{
    static const enum message_kind kinds[] = { MESSAGE_STARTED, MESSAGE_STOPPED, MESSAGE_PAUSED,
                                               MESSAGE_RESUMED };

    say_state(kinds[_i], GENERATION);
    run_until(&seen.acknowledged, 1);
    ck_assert_uint_eq(seen.kind, kinds[_i]);
    ck_assert_uint_eq(seen.generation, GENERATION);
    ck_assert_int_eq(child->state, CHILD_CONNECTED);
}
END_TEST

START_TEST(its_trouble_is_known_until_it_takes_part)
{
    say_trouble("no room");
    say_state(MESSAGE_STARTED, GENERATION - 1);
    run_until(&seen.acknowledged, 1);
    ck_assert_str_eq(child->trouble, "no room");
    say_trouble("no clock");
    say_state(MESSAGE_STOPPED, GENERATION);
    run_until(&seen.acknowledged, 2);
    ck_assert_str_eq(child->trouble, "no clock");
    say_state(MESSAGE_STARTED, GENERATION);
    run_until(&seen.acknowledged, 3);
    ck_assert_ptr_null(child->trouble);
}
END_TEST

START_TEST(its_profile_comes_with_a_descriptor)
{
    const struct message_gather_progress progress = { .gather_id = 2 };
    int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

    say(message_put_gather_progress(frame, sizeof(frame), MESSAGE_GATHER_PROFILE_PROGRESS,
                                    &progress),
        -1);
    say_profile(7, fd);
    close(fd);
    run_until(&seen.profiles, 1);
    ck_assert_uint_eq(seen.progress, 1);
    ck_assert(seen.had_descriptor);
    say_profile(0, -1); /* there was nothing */
    run_until(&seen.profiles, 2);
    ck_assert(!seen.had_descriptor);
}
END_TEST

START_TEST(a_profile_without_its_bytes_ends_the_connection)
{
    say_profile(7, -1);
    run_until(&seen.ends, 1);
    ck_assert_uint_eq(seen.profiles, 0);
    ck_assert_ptr_null(child->connection);
}
END_TEST

START_TEST(markers_of_another_session_are_nobodys)
{
    say_triggered(GENERATION - 1);
    say_triggered(GENERATION);
    run_until(&seen.markers, 1);
    ck_assert_uint_eq(seen.marker, 1);
    ck_assert_uint_eq(seen.hits, HITS);
    say_state(MESSAGE_STOPPED, GENERATION);
    run_until(&seen.acknowledged, 1);
    ck_assert_uint_eq(seen.markers, 1);
}
END_TEST

START_TEST(what_is_no_word_of_an_agents_is_passed_over)
{
    const struct message_text message = { { "?", 1 } };

    say(message_put_text(frame, sizeof(frame), MESSAGE_REPLY, &message), -1);
    say_state(MESSAGE_STOPPED, GENERATION);
    run_until(&seen.acknowledged, 1);
    ck_assert_uint_eq(seen.ends, 0);
}
END_TEST

START_TEST(a_word_that_makes_no_sense_ends_the_connection)
{
    const struct message_text message = { { "?", 1 } };

    say(message_put_text(frame, sizeof(frame), MESSAGE_STARTED, &message), -1);
    run_until(&seen.ends, 1);
    ck_assert_uint_eq(seen.acknowledged, 0);
    ck_assert_int_eq(child->verdict, VERDICT_VANISHED);
}
END_TEST

START_TEST(one_that_cannot_be_watched_has_ended_with_its_connection)
{
    hang_up();
    run_until(&seen.ends, 1);
    ck_assert_int_eq(child->state, CHILD_ENDED);
    ck_assert_ptr_null(child->connection);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("daemon.agents.agent_connection");
    TCase *all = tcase_create("messages");
    tcase_add_checked_fixture(all, set_up, tear_down);
    tcase_set_timeout(all, LOOP_ENDS_MS / 1000 + 10);
    tcase_add_loop_test(all, what_it_has_done_is_passed_on, 0, 4);
    tcase_add_test(all, its_trouble_is_known_until_it_takes_part);
    tcase_add_test(all, its_profile_comes_with_a_descriptor);
    tcase_add_test(all, a_profile_without_its_bytes_ends_the_connection);
    tcase_add_test(all, markers_of_another_session_are_nobodys);
    tcase_add_test(all, what_is_no_word_of_an_agents_is_passed_over);
    tcase_add_test(all, a_word_that_makes_no_sense_ends_the_connection);
    tcase_add_test(all, one_that_cannot_be_watched_has_ended_with_its_connection);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
