/* common.file_name */
#include <check.h>
#include <string.h>

#include "common/file_name.h"
#include "tests/unit/run_suite.h"

static const struct {
    const char *path, *name;
} paths[] = {
    { "/usr/bin/nginx", "nginx" },
    { "nginx", "nginx" },
    { "./a b", "a b" },
    { "/x", "x" },
    { "//x", "x" },
    { "a/b/", "b/" },
    { "/", "/" },
    { "", "" },
};

START_TEST(a_name_is_what_is_behind_the_last_slash)
{
    ck_assert_str_eq(file_name_of(paths[_i].path), paths[_i].name);
    ck_assert_ptr_eq(file_name_of_bytes(paths[_i].path, strlen(paths[_i].path)),
                     file_name_of(paths[_i].path));
}
END_TEST

START_TEST(bytes_behind_a_path_are_not_read)
{
    static const char title[] = "/usr/bin/redis-server /etc/redis.conf";

    ck_assert_ptr_eq(file_name_of_bytes(title, strlen("/usr/bin/redis-server")), title + 9);
    ck_assert_ptr_eq(file_name_of_bytes(NULL, 0), NULL);
}
END_TEST

START_TEST(files_of_one_name_are_the_same_wherever_they_are)
{
    ck_assert(file_name_is_same("/bin/sh", "/usr/bin/shell", strlen("/usr/bin/sh")));
    ck_assert(file_name_is_same("sh", "/bin/sh", strlen("/bin/sh")));
    ck_assert(!file_name_is_same("/bin/sh", "/bin/bash", strlen("/bin/bash")));
    ck_assert(!file_name_is_same("/bin/bash", "/bin/sh", strlen("/bin/sh")));
    ck_assert(!file_name_is_same("/bin/sh", "", 0));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("common.file_name");
    TCase *names = tcase_create("names");

    tcase_add_loop_test(names, a_name_is_what_is_behind_the_last_slash, 0,
                        sizeof(paths) / sizeof(paths[0]));
    tcase_add_test(names, bytes_behind_a_path_are_not_read);
    tcase_add_test(names, files_of_one_name_are_the_same_wherever_they_are);
    suite_add_tcase(suite, names);
    return run_suite(suite);
}
