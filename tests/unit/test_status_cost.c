/* daemon.clients.status_cost: what a minute of a session costs. */
#include <check.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "buffer/clock.h"
#include "common/time_units.h"
#include "daemon/clients/status_cost.h"
#include "daemon/programs/command.h"
#include "daemon/programs/supervisor.h"
#include "daemon/session.h"
#include "tests/unit/run_suite.h"

static struct session session;
static struct supervisor supervisor;
static struct command command;

static void set_up(void)
{
    uint64_t now_ns = clock_monotonic_ns();

    session =
        (struct session){ .state = SESSION_ACTIVE, .start_ns = now_ns - UINT64_C(120) * NS_PER_S };
    supervisor = (struct supervisor){ 0 };
    command = (struct command){ .pid = getpid(),
                                .name = "profctl export",
                                .start_ns = now_ns - UINT64_C(10) * NS_PER_S };
}

static cJSON *make_cost(void)
{
    const struct block_account account = { .produced_blocks = 1000, .produced_bytes = 64000 };
    const struct status_cost_view view = { &session, &supervisor, &account,
                                           clock_monotonic_ns() - UINT64_C(60) * NS_PER_S };
    cJSON *root = cJSON_CreateObject();

    status_cost_add(root, &view);
    return root;
}

static const cJSON *member_of_minute(const cJSON *root, const char *name)
{
    return cJSON_GetObjectItem(cJSON_GetObjectItem(root, "minute_cost"), name);
}

START_TEST(amounts_are_those_of_a_minute)
{
    ck_assert_double_eq(status_cost_per_minute(10, UINT64_C(30) * NS_PER_S), 20);
    ck_assert_double_eq(status_cost_per_minute(10, UINT64_C(120) * NS_PER_S), 5);
    ck_assert_double_eq(status_cost_per_minute(10, 0), 0);
}
END_TEST

START_TEST(a_session_records_so_much_in_a_minute)
{
    cJSON *root = make_cost();

    ck_assert_double_eq_tol(cJSON_GetNumberValue(member_of_minute(root, "blocks")), 500, 50);
    ck_assert_double_eq_tol(cJSON_GetNumberValue(member_of_minute(root, "bytes")), 32000, 3200);
    ck_assert_double_ge(cJSON_GetNumberValue(member_of_minute(root, "profd_cpu_ms")), 0);
    ck_assert_ptr_null(member_of_minute(root, "export_cpu_ms"));
    cJSON_Delete(root);
}
END_TEST

/* This process stands for both: it has used the same time, and began at another. */
START_TEST(the_exporter_is_told_apart)
{
    struct timespec used;

    do
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    while (used.tv_sec == 0 && used.tv_nsec < 50 * NS_PER_MS);
    supervisor.commands = &command;
    cJSON *root = make_cost();
    double profd = cJSON_GetNumberValue(member_of_minute(root, "profd_cpu_ms"));
    double exporter = cJSON_GetNumberValue(member_of_minute(root, "export_cpu_ms"));

    ck_assert_double_gt(exporter, 3 * profd);
    ck_assert_double_ge(profd, 40);
    cJSON_Delete(root);
}
END_TEST

START_TEST(an_exporter_that_has_gone_is_left_out)
{
    command.pid = fork();
    if (command.pid == 0)
        _exit(0);
    ck_assert_int_eq(waitpid(command.pid, NULL, 0), command.pid);
    supervisor.commands = &command;
    cJSON *root = make_cost();

    ck_assert_ptr_null(member_of_minute(root, "export_cpu_ms"));
    cJSON_Delete(root);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("status_cost");
    TCase *all = tcase_create("all");

    tcase_add_checked_fixture(all, set_up, NULL);
    tcase_add_test(all, amounts_are_those_of_a_minute);
    tcase_add_test(all, a_session_records_so_much_in_a_minute);
    tcase_add_test(all, the_exporter_is_told_apart);
    tcase_add_test(all, an_exporter_that_has_gone_is_left_out);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
