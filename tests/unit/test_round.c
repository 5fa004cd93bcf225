#include <check.h>
#include <errno.h>
#include <string.h>

#include "daemon/children/child_table.h"
#include "daemon/requests/round.h"
#include "tests/unit/run_suite.h"

enum { MANY = 7 };

static uv_loop_t loop;
static struct child_table table;
static struct round order; /* round() is a function */
static struct child *children[MANY];
static unsigned sent, over;
static char last_silent[ROUND_TEXT_BYTES];
static const struct child *unreachable;

static int send_order(struct child *child, void *context)
{
    ck_assert_ptr_eq(context, &table);
    ck_assert_ptr_nonnull(child->connection);
    sent++;
    return child == unreachable ? -EPIPE : 0;
}

static void on_over(const char *silent, void *context)
{
    ck_assert_ptr_eq(context, &table);
    over++;
    strcpy(last_silent, silent);
}

static const struct round_events events = { send_order, on_over };

/* A connection that is not looked at. */
static struct connection *some_connection(void)
{
    static char place;
    return (struct connection *)&place;
}

static void set_up(void)
{
    sent = over = 0;
    unreachable = NULL;
    memset(&table, 0, sizeof(table));
    memset(&order, 0, sizeof(order));
    ck_assert_int_eq(uv_loop_init(&loop), 0);
    ck_assert_int_eq(round_init(&order, &loop, &table, &events, &table), 0);
    for (int i = 0; i < MANY; i++) {
        struct child_introduction who = { .pid = 100 + i,
                                          .executable = "/bin/asked",
                                          .executable_length = strlen("/bin/asked") };
        children[i] = child_table_add(&table, &who);
        ck_assert_ptr_nonnull(children[i]);
    }
}

static void tear_down(void)
{
    round_close(&order);
    uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_int_eq(uv_loop_close(&loop), 0);
    while (table.first != NULL)
        child_table_remove(&table, table.first);
}

static void connect_first(int count)
{
    for (int i = 0; i < count; i++)
        children[i]->connection = some_connection();
}

START_TEST(with_nobody_to_tell_it_is_over_at_once)
{
    round_begin(&order);
    ck_assert_uint_eq(sent, 0);
    ck_assert_uint_eq(over, 1);
    ck_assert_str_eq(last_silent, "");
}
END_TEST

START_TEST(it_is_over_with_the_last_answer)
{
    connect_first(3);
    round_begin(&order);
    ck_assert_uint_eq(sent, 3);
    round_count_off(&order, children[1]);
    round_count_off(&order, children[0]);
    ck_assert_uint_eq(over, 0);
    round_count_off(&order, children[2]);
    ck_assert_uint_eq(over, 1);
    ck_assert_str_eq(last_silent, "");
    ck_assert(!uv_is_active((uv_handle_t *)&order.deadline));
}
END_TEST

START_TEST(an_answer_counts_once_and_only_of_who_was_asked)
{
    connect_first(2);
    round_begin(&order);
    round_count_off(&order, children[0]);
    round_count_off(&order, children[0]);
    round_count_off(&order, children[MANY - 1]);
    ck_assert_uint_eq(over, 0);
    ck_assert_uint_eq(order.missing, 1);
}
END_TEST

START_TEST(who_cannot_be_reached_is_not_awaited)
{
    connect_first(2);
    unreachable = children[0];
    round_begin(&order);
    round_count_off(&order, children[1]);
    ck_assert_uint_eq(over, 1);
}
END_TEST

START_TEST(after_the_deadline_the_first_few_silent_ones_are_named)
{
    connect_first(MANY);
    round_begin(&order);
    round_count_off(&order, children[1]);
    uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_uint_eq(over, 1);
    ck_assert_ptr_nonnull(strstr(last_silent, "no answer from 100 (/bin/asked), 102 (/bin/asked)"));
    ck_assert_ptr_null(strstr(last_silent, "101"));
    ck_assert_ptr_nonnull(strstr(last_silent, " and 1 more"));
}
END_TEST

START_TEST(there_can_be_one_after_the_other)
{
    connect_first(1);
    for (unsigned i = 1; i <= 3; i++) {
        round_begin(&order);
        round_count_off(&order, children[0]);
        ck_assert_uint_eq(over, i);
    }
}
END_TEST

START_TEST(a_closed_one_says_nothing)
{
    connect_first(2);
    round_begin(&order);
    ck_assert_uint_eq(over, 0); /* and the fixture closes it */
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("daemon.requests.round");
    TCase *all = tcase_create("round");
    tcase_add_checked_fixture(all, set_up, tear_down);
    tcase_set_timeout(all, 60);
    tcase_add_test(all, with_nobody_to_tell_it_is_over_at_once);
    tcase_add_test(all, it_is_over_with_the_last_answer);
    tcase_add_test(all, an_answer_counts_once_and_only_of_who_was_asked);
    tcase_add_test(all, who_cannot_be_reached_is_not_awaited);
    tcase_add_test(all, after_the_deadline_the_first_few_silent_ones_are_named);
    tcase_add_test(all, there_can_be_one_after_the_other);
    tcase_add_test(all, a_closed_one_says_nothing);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
