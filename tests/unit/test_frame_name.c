#include <check.h>
#include <string.h>

#include "profctl/profile/frame_name.h"
#include "tests/unit/run_suite.h"

static struct frame_name_parts parts;

static void split_name(const char *name)
{
    frame_name_split(name, strlen(name), &parts);
}

static void check_function(const char *function)
{
    ck_assert_uint_eq(parts.function_length, strlen(function));
    ck_assert_mem_eq(parts.function, function, strlen(function));
}

static void check_source(const char *source, unsigned line, unsigned column)
{
    ck_assert_ptr_nonnull(parts.source);
    ck_assert_uint_eq(parts.source_length, strlen(source));
    ck_assert_mem_eq(parts.source, source, strlen(source));
    ck_assert_uint_eq(parts.line, line);
    ck_assert_uint_eq(parts.column, column);
}

START_TEST(functions_of_libraries)
{
    split_name("operator()(int) const (in libfoo (1).so)");
    check_function("operator()(int) const");
    check_source("libfoo (1).so", 0, 0);
    ck_assert(parts.is_library);
}
END_TEST

START_TEST(functions_of_files)
{
    split_name("parse (file:///srv/a (1).js:42:7)");
    check_function("parse");
    check_source("file:///srv/a (1).js", 42, 7);
    ck_assert(!parts.is_library);
    ck_assert_uint_eq(parts.length_to_line, strlen("parse (file:///srv/a (1).js:42"));
    split_name("parse (a.js:42)");
    check_source("a.js", 42, 0);
    ck_assert_uint_eq(parts.length_to_line, strlen("parse (a.js:42)"));
    split_name("parse (/srv/app.py)");
    check_source("/srv/app.py", 0, 0);
    ck_assert(!parts.has_line);
    split_name("parse (/srv/app.py:0)");
    check_source("/srv/app.py", 0, 0);
    ck_assert(parts.has_line);
    split_name("parse (a.js:0:7)");
    check_source("a.js", 0, 7);
}
END_TEST

START_TEST(other_names_are_functions)
{
    static const char *const names[] = {
        "",
        ")",
        "()",
        " ()",
        "(program)",
        "f()",
        "f ()",
        "GC (major)",
        "f (:1:2)",
        "f (a:99999999999)",
        "f (in )",
        "f(a.js:1:2)",
        "f (a.js:1:2) x",
        "f )a.js:1:2)",
    };
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        split_name(names[i]);
        check_function(names[i]);
        ck_assert_ptr_null(parts.source);
        ck_assert_uint_eq(parts.length_to_line, strlen(names[i]));
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("profctl.frame_name");
    TCase *all = tcase_create("all");
    tcase_add_test(all, functions_of_libraries);
    tcase_add_test(all, functions_of_files);
    tcase_add_test(all, other_names_are_functions);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
