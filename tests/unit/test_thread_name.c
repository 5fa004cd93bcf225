/* profctl.thread_name */
#include <check.h>
#include <string.h>

#include "profctl/naming/thread_name.h"
#include "tests/unit/run_suite.h"

static const struct {
    const char *location, *expect;
} starts[] = {
    { "node::(anonymous namespace)::PlatformWorkerThread(void*) (in node)", "V8 platform worker" },
    { "node::worker::Worker::StartThread(v8::FunctionCallbackInfo<v8::Value> const&)::"
      "{lambda(void*)#1}::_FUN(void*) (in node)",
      "Node worker" },
    { "worker (in node)", "libuv pool" },
    { "worker (in libuv.so.1.0.0)", "libuv pool" },
    { "worker (in server)", NULL },
    { "worker_main (in node)", NULL },
    { "main (in node)", NULL },
    { "worker", NULL },
    { "", NULL },
    { " (in ", NULL },
    { "0x1234", NULL },
};

START_TEST(a_start_tells_what_a_thread_is_for)
{
    const char *name = thread_name_of_start(starts[_i].location, strlen(starts[_i].location));

    if (starts[_i].expect == NULL)
        ck_assert_msg(name == NULL, "%s is %s", starts[_i].location, name);
    else
        ck_assert_str_eq(name, starts[_i].expect);
}
END_TEST

START_TEST(a_name_of_its_own_is_not_inherited)
{
    static char names[2][24] = { "libc.so.6", "a-program-with-a-long" };
    struct process_library files[] = { { .name = names[0] }, { .name = names[1] } };
    const struct process_libraries libraries = { { .items = files, .count = 2 } };

    ck_assert(thread_name_is_inherited("a-program-with-", "worker 7", &libraries));
    ck_assert(thread_name_is_inherited("worker 7", "worker 7", &libraries));
    ck_assert(thread_name_is_inherited("postgres: check", "postgres: checkpointer", &libraries));
    ck_assert(!thread_name_is_inherited("pool", "worker 7", &libraries));
    ck_assert(!thread_name_is_inherited("a-program", "worker 7", &libraries));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("profctl.thread_name");
    TCase *tests = tcase_create("names");
    tcase_add_loop_test(tests, a_start_tells_what_a_thread_is_for, 0,
                        (int)(sizeof(starts) / sizeof(starts[0])));
    tcase_add_test(tests, a_name_of_its_own_is_not_inherited);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
