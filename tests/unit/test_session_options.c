/* child-agent.session_options: what a program may ask of a session of its own. */
#include <check.h>
#include <errno.h>
#include <string.h>

#include "child-agent/program/session_options.h"
#include "ipc/messages.h"
#include "tests/unit/run_suite.h"

static struct session_settings settings;

static int read_options(struct profd_session_options options)
{
    return session_options_read(&options, &settings);
}

START_TEST(test_defaults)
{
    ck_assert_int_eq(session_options_read(NULL, &settings), 0);
    ck_assert_uint_eq(settings.generation, SESSION_OWN_GENERATION);
    ck_assert_uint_eq(settings.interval_ns, 1000000);
    ck_assert_uint_eq(settings.limit_bytes, 64 << 20);
    ck_assert_uint_eq(settings.features, FEATURES_DEFAULT);
    ck_assert_int_eq(settings.clock, SAMPLING_CLOCK_AUTO);
    ck_assert_str_eq(settings.filters, "");
    ck_assert(!settings.is_paused && !settings.is_sampling_paused);
}
END_TEST

START_TEST(test_what_is_given_is_taken)
{
    const struct profd_session_options options = { .interval_ns = 10000,
                                                   .limit_bytes = 1 << 20,
                                                   .features = "stacks,markers",
                                                   .threads = "io,pid:7",
                                                   .clock = "wall" };
    ck_assert_int_eq(read_options(options), 0);
    ck_assert_uint_eq(settings.interval_ns, 10000);
    ck_assert_uint_eq(settings.limit_bytes, 1 << 20);
    ck_assert_uint_eq(settings.features, FEATURE_STACKS | FEATURE_MARKERS);
    ck_assert_str_eq(settings.filters, "io,pid:7");
    ck_assert_int_eq(settings.clock, SAMPLING_CLOCK_WALL);
}
END_TEST

START_TEST(test_bounds)
{
    const uint64_t longest_ns = UINT64_C(60000000000);
    ck_assert_int_eq(read_options((struct profd_session_options){ .interval_ns = 9999 }), -EINVAL);
    ck_assert_int_eq(read_options((struct profd_session_options){ .interval_ns = longest_ns }), 0);
    ck_assert_int_eq(read_options((struct profd_session_options){ .interval_ns = longest_ns + 1 }),
                     -EINVAL);
    ck_assert_int_eq(read_options((struct profd_session_options){ .limit_bytes = (1 << 20) - 1 }),
                     -EINVAL);
}
END_TEST

START_TEST(test_words_that_mean_nothing)
{
    static char filters[SESSION_FILTERS_BYTES + 1];
    memset(filters, 'a', SESSION_FILTERS_BYTES);
    ck_assert_int_eq(read_options((struct profd_session_options){ .clock = "moon" }), -EINVAL);
    ck_assert_int_eq(read_options((struct profd_session_options){ .features = "moon" }), -EINVAL);
    ck_assert_int_eq(read_options((struct profd_session_options){ .threads = "pid:" }), -EINVAL);
    ck_assert_int_eq(read_options((struct profd_session_options){ .threads = filters }), -EINVAL);
    filters[SESSION_FILTERS_BYTES - 1] = '\0';
    ck_assert_int_eq(read_options((struct profd_session_options){ .threads = filters }), 0);
}
END_TEST

START_TEST(test_what_is_reserved_is_zero)
{
    for (int i = 0; i < 3; i++) {
        struct profd_session_options options = { .interval_ns = 0 };
        options.reserved[i] = 1;
        ck_assert_int_eq(read_options(options), -EINVAL);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("session_options");
    TCase *cases = tcase_create("session options");
    tcase_add_test(cases, test_defaults);
    tcase_add_test(cases, test_what_is_given_is_taken);
    tcase_add_test(cases, test_bounds);
    tcase_add_test(cases, test_words_that_mean_nothing);
    tcase_add_test(cases, test_what_is_reserved_is_zero);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
