/* daemon.launch_environment */
#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/programs/launch_environment.h"
#include "tests/unit/run_suite.h"

static struct launch_agent agent;
static char **environment;

static void set_up(void)
{
    agent = (struct launch_agent){ .library = "/opt/lib/libprofd.so",
                                   .malloc_hooks = "/opt/lib/libprofd-malloc.so",
                                   .socket = "/run/p.sock" };
    environment = NULL;
}

static void tear_down(void)
{
    free(environment);
}

/* The value of NAME, which is there at most once. */
static const char *value_of(const char *name)
{
    const char *found = NULL;
    size_t length = strlen(name);

    for (char **entry = environment; *entry != NULL; entry++) {
        if (strncmp(*entry, name, length) == 0 && (*entry)[length] == '=') {
            ck_assert_msg(found == NULL, "%s is there twice", name);
            found = *entry + length + 1;
        }
    }
    return found;
}

/* BASE is a string literal; its terminating NUL ends the last entry. */
#define BUILD(base)                                                                                \
    ck_assert_int_eq(launch_environment_build(base, sizeof(base), &agent, &environment), 0)

START_TEST(the_command_keeps_its_own)
{
    BUILD("PATH=/bin\0EMPTY=\0ODD");
    ck_assert_str_eq(value_of("PATH"), "/bin");
    ck_assert_str_eq(value_of("EMPTY"), "");
    ck_assert_str_eq(environment[2], "ODD");
}
END_TEST

START_TEST(agents_find_profd)
{
    BUILD("PROFD_SOCKET=/old\0PROFD_LOG=x");
    ck_assert_str_eq(value_of("PROFD_SOCKET"), "/run/p.sock");
    ck_assert_str_eq(value_of("PROFD_LOG"), "x");
}
END_TEST

static const struct {
    const char *before, *after;
} preloads[] = {
    { "A=1", "/opt/lib/libprofd.so" },
    { "LD_PRELOAD=", "/opt/lib/libprofd.so" },
    { "LD_PRELOAD=/x.so", "/opt/lib/libprofd.so:/x.so" },
    { "LD_PRELOAD=/x.so /opt/lib/libprofd.so", "/x.so /opt/lib/libprofd.so" },
};

START_TEST(the_library_comes_first)
{
    const char *base = preloads[_i].before;

    ck_assert_int_eq(launch_environment_build(base, strlen(base) + 1, &agent, &environment), 0);
    ck_assert_str_eq(value_of("LD_PRELOAD"), preloads[_i].after);
}
END_TEST

static const struct {
    uint64_t features;
    const char *before, *after;
} hooked[] = {
    { FEATURE_STACKS, "A=1", "/opt/lib/libprofd.so" },
    { FEATURE_MEMORY, "A=1", "/opt/lib/libprofd-malloc.so:/opt/lib/libprofd.so" },
    { FEATURE_NATIVEALLOCS, "LD_PRELOAD=/x.so",
      "/opt/lib/libprofd-malloc.so:/opt/lib/libprofd.so:/x.so" },
    { FEATURE_NATIVEALLOCS, "LD_PRELOAD=/opt/lib/libprofd.so:/x.so",
      "/opt/lib/libprofd-malloc.so:/opt/lib/libprofd.so:/x.so" },
    { FEATURE_NATIVEALLOCS, "LD_PRELOAD=/opt/lib/libprofd.so:/opt/lib/libprofd-malloc.so",
      "/opt/lib/libprofd.so:/opt/lib/libprofd-malloc.so" },
};

START_TEST(hooks_of_malloc_come_along_when_the_session_asks_for_allocations)
{
    const char *base = hooked[_i].before;

    agent.session.generation = 1;
    agent.session.features = hooked[_i].features;
    agent.session.allocation_interval_bytes = 1000;
    agent.session.thread_filters = (struct message_string){ "", 0 };
    ck_assert_int_eq(launch_environment_build(base, strlen(base) + 1, &agent, &environment), 0);
    ck_assert_str_eq(value_of("LD_PRELOAD"), hooked[_i].after);
    ck_assert_str_eq(value_of("PROFD_STARTUP_ALLOC_INTERVAL"), "1000");
}
END_TEST

START_TEST(without_a_session_agents_wait)
{
    BUILD("PROFD_STARTUP=1\0PROFD_STARTUP_GENERATION=8\0PROFD_STARTUP_CLOCK=wall");
    ck_assert_ptr_null(value_of("PROFD_STARTUP"));
    ck_assert_ptr_null(value_of("PROFD_STARTUP_GENERATION"));
    ck_assert_ptr_null(value_of("PROFD_STARTUP_CLOCK"));
}
END_TEST

START_TEST(with_a_session_agents_record_at_once)
{
    agent.session = (struct message_session){
        .generation = 4294967295,
        .interval_ns = 3600000000000,
        .memory_limit_bytes = 67108864,
        .features = 15,
        .thread_filters = { "main,pool", 9 },
        .clock = SAMPLING_CLOCK_PERF,
    };
    BUILD("PROFD_STARTUP_INTERVAL=7");
    ck_assert_str_eq(value_of("PROFD_STARTUP"), "1");
    ck_assert_str_eq(value_of("PROFD_STARTUP_GENERATION"), "4294967295");
    ck_assert_str_eq(value_of("PROFD_STARTUP_INTERVAL"), "3600000000000ns");
    ck_assert_str_eq(value_of("PROFD_STARTUP_FEATURES"), "stacks,cpu,markers,labels");
    ck_assert_str_eq(value_of("PROFD_STARTUP_LIMIT"), "67108864");
    ck_assert_str_eq(value_of("PROFD_STARTUP_CLOCK"), "perf");
    ck_assert_str_eq(value_of("PROFD_STARTUP_FILTERS"), "main,pool");
}
END_TEST

START_TEST(the_agent_can_be_dropped_again)
{
    static const char others[] = "LD_PRELOAD=/other.so:/another.so\0A=1";

    ck_assert_int_eq(launch_environment_build(others, sizeof(others), &agent, &environment), 0);
    launch_environment_drop_agent(environment);
    ck_assert_str_eq(value_of("LD_PRELOAD"), "/other.so:/another.so");
    ck_assert_str_eq(value_of("A"), "1");
}
END_TEST

START_TEST(a_list_of_nothing_else_goes_with_it)
{
    ck_assert_int_eq(launch_environment_build("A=1", 4, &agent, &environment), 0);
    launch_environment_drop_agent(environment);
    ck_assert_ptr_null(value_of("LD_PRELOAD"));
    ck_assert_str_eq(value_of("A"), "1");
}
END_TEST

START_TEST(an_empty_environment_is_fine)
{
    ck_assert_int_eq(launch_environment_build("", 0, &agent, &environment), 0);
    ck_assert_str_eq(value_of("LD_PRELOAD"), "/opt/lib/libprofd.so");
}
END_TEST

START_TEST(an_unterminated_environment_is_refused)
{
    ck_assert_int_eq(launch_environment_build("A=1", 3, &agent, &environment), -EINVAL);
}
END_TEST

START_TEST(a_library_that_can_not_be_preloaded_is_refused)
{
    agent.library = "/opt/my programs/libprofd.so";
    ck_assert_int_eq(launch_environment_build("", 0, &agent, &environment), -EINVAL);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("daemon.launch_environment");
    TCase *launch = tcase_create("launch");
    tcase_add_checked_fixture(launch, set_up, tear_down);
    tcase_add_test(launch, the_command_keeps_its_own);
    tcase_add_test(launch, agents_find_profd);
    tcase_add_loop_test(launch, the_library_comes_first, 0,
                        (int)(sizeof(preloads) / sizeof(preloads[0])));
    tcase_add_loop_test(launch, hooks_of_malloc_come_along_when_the_session_asks_for_allocations, 0,
                        sizeof(hooked) / sizeof(hooked[0]));
    tcase_add_test(launch, without_a_session_agents_wait);
    tcase_add_test(launch, with_a_session_agents_record_at_once);
    tcase_add_test(launch, the_agent_can_be_dropped_again);
    tcase_add_test(launch, a_list_of_nothing_else_goes_with_it);
    tcase_add_test(launch, an_empty_environment_is_fine);
    tcase_add_test(launch, an_unterminated_environment_is_refused);
    tcase_add_test(launch, a_library_that_can_not_be_preloaded_is_refused);
    suite_add_tcase(suite, launch);
    return run_suite(suite);
}
