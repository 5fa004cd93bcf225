/* Paths that are kept for good, each once. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "child-agent/unwinding/module_paths.h"
#include "tests/unit/run_suite.h"

static struct module_paths paths;

static void setup(void)
{
    paths = (struct module_paths){ 0 };
}

static void teardown(void)
{
    module_paths_free(&paths);
    ck_assert_ptr_null(paths.newest);
}

START_TEST(one_path_is_kept_once)
{
    char first[] = "/usr/lib/libz.so and more", second[] = "/usr/lib/libz.so";
    char *kept = module_paths_keep(&paths, first, 16);

    ck_assert_str_eq(kept, "/usr/lib/libz.so");
    ck_assert_ptr_eq(module_paths_keep(&paths, second, 16), kept);
    first[1] = 'x';
    ck_assert_str_eq(kept, "/usr/lib/libz.so");
}
END_TEST

START_TEST(what_another_path_begins_with_is_a_path_of_its_own)
{
    char *whole = module_paths_keep(&paths, "/lib/libc.so.6", 14);
    char *beginning = module_paths_keep(&paths, "/lib/libc.so.6", 12);

    ck_assert_ptr_ne(whole, beginning);
    ck_assert_str_eq(whole, "/lib/libc.so.6");
    ck_assert_str_eq(beginning, "/lib/libc.so");
}
END_TEST

START_TEST(paths_stay_where_they_are_when_there_are_many)
{
    enum { PATHS = 5000 };
    static char *kept[PATHS];
    char path[40];

    for (int i = 0; i < PATHS; i++) {
        int bytes = snprintf(path, sizeof(path), "/usr/lib/plugins/libplugin-%d.so", i);
        kept[i] = module_paths_keep(&paths, path, (size_t)bytes);
        ck_assert_ptr_nonnull(kept[i]);
    }
    for (int i = 0; i < PATHS; i++) {
        int bytes = snprintf(path, sizeof(path), "/usr/lib/plugins/libplugin-%d.so", i);
        ck_assert_str_eq(kept[i], path);
        ck_assert_ptr_eq(module_paths_keep(&paths, path, (size_t)bytes), kept[i]);
    }
}
END_TEST

START_TEST(nothing_is_kept_of_what_is_longer_than_any_path)
{
    enum { BYTES = 64 * 1024 };
    char *endless = malloc(BYTES);

    ck_assert_ptr_nonnull(endless);
    memset(endless, 'a', BYTES);
    ck_assert_ptr_null(module_paths_keep(&paths, endless, BYTES));
    free(endless);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("module_paths");
    TCase *keeping = tcase_create("keeping");
    tcase_add_checked_fixture(keeping, setup, teardown);
    tcase_add_test(keeping, one_path_is_kept_once);
    tcase_add_test(keeping, what_another_path_begins_with_is_a_path_of_its_own);
    tcase_add_test(keeping, paths_stay_where_they_are_when_there_are_many);
    tcase_add_test(keeping, nothing_is_kept_of_what_is_longer_than_any_path);
    suite_add_tcase(suite, keeping);
    return run_suite(suite);
}
