/* daemon.triggers.trigger_waiters: who asked for a capture, and is answered once. */
#include <check.h>

#include "daemon/triggers/trigger_waiters.h"
#include "tests/unit/run_suite.h"

enum { MOST_ANSWERS = 8 };

struct client {
    int number;
};

static struct client first = { 1 }, second = { 2 };
static struct trigger_waiters waiters;
static struct {
    const struct client *client;
    uint64_t id;
} answers[MOST_ANSWERS];
static unsigned answer_count;

static void note_answer(struct client *client, uint64_t id, void *context)
{
    ck_assert_ptr_eq(context, &waiters);
    ck_assert_uint_lt(answer_count, MOST_ANSWERS);
    answers[answer_count].client = client;
    answers[answer_count++].id = id;
}

static void set_up(void)
{
    waiters = (struct trigger_waiters){ 0 };
    answer_count = 0;
}

static void release_waiters(enum trigger_waiters_kind kind)
{
    answer_count = 0;
    trigger_waiters_release(&waiters, kind, note_answer, &waiters);
}

static void add_waiter(struct client *client, uint64_t id, const char *cause)
{
    ck_assert_int_eq(trigger_waiters_add(&waiters, client, id, cause), 0);
}

START_TEST(those_of_the_cause_are_served_and_others_wait_on)
{
    add_waiter(&first, 7, "slow");
    add_waiter(&second, 8, "full");
    add_waiter(&second, 9, "slow");
    trigger_waiters_serve(&waiters, "slow");
    release_waiters(WAITERS_SERVED);
    ck_assert_uint_eq(answer_count, 2);
    ck_assert_uint_eq(answers[0].id + answers[1].id, 16);
    release_waiters(WAITERS_SERVED);
    ck_assert_uint_eq(answer_count, 0);
    release_waiters(WAITERS_UNSERVED);
    ck_assert_uint_eq(answer_count, 1);
    ck_assert_ptr_eq(answers[0].client, &second);
    ck_assert_uint_eq(answers[0].id, 8);
    ck_assert_ptr_null(waiters.first);
}
END_TEST

START_TEST(who_comes_when_the_worker_has_begun_waits_for_the_next)
{
    add_waiter(&first, 1, "slow");
    trigger_waiters_serve(&waiters, "slow");
    add_waiter(&first, 2, "slow");
    release_waiters(WAITERS_SERVED);
    ck_assert_uint_eq(answer_count, 1);
    ck_assert_uint_eq(answers[0].id, 1);
    trigger_waiters_serve(&waiters, "slow");
    release_waiters(WAITERS_SERVED);
    ck_assert_uint_eq(answer_count, 1);
    ck_assert_uint_eq(answers[0].id, 2);
}
END_TEST

START_TEST(who_is_gone_is_not_answered)
{
    add_waiter(&first, 1, "slow");
    add_waiter(&second, 2, "slow");
    add_waiter(&first, 3, "full");
    trigger_waiters_serve(&waiters, "slow");
    trigger_waiters_forget(&waiters, &first);
    release_waiters(WAITERS_UNSERVED);
    ck_assert_uint_eq(answer_count, 0);
    release_waiters(WAITERS_SERVED);
    ck_assert_uint_eq(answer_count, 1);
    ck_assert_ptr_eq(answers[0].client, &second);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("daemon.triggers.trigger_waiters");
    TCase *tests = tcase_create("waiters");
    tcase_add_checked_fixture(tests, set_up, NULL);
    tcase_add_test(tests, those_of_the_cause_are_served_and_others_wait_on);
    tcase_add_test(tests, who_comes_when_the_worker_has_begun_waits_for_the_next);
    tcase_add_test(tests, who_is_gone_is_not_answered);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
