/* profctl.function_name: what names of frames say of their functions. */
#include <check.h>
#include <string.h>

#include "profctl/profile/function_name.h"
#include "tests/unit/run_suite.h"

static struct function_name parse_name(const char *text)
{
    struct function_name name;

    function_name_parse(text, strlen(text), &name);
    return name;
}

static void is_text(const char *view, size_t length, const char *text)
{
    ck_assert_ptr_nonnull(view);
    ck_assert_uint_eq(length, strlen(text));
    ck_assert_int_eq(memcmp(view, text, length), 0);
}

START_TEST(native_functions_have_a_library)
{
    struct function_name name = parse_name("operator()(in (a) ) (in libfoo.so.1)");
    is_text(name.function, name.function_length, "operator()(in (a) )");
    is_text(name.library, name.library_length, "libfoo.so.1");
    ck_assert_ptr_null(name.file);
}
END_TEST

START_TEST(script_functions_have_a_place)
{
    struct function_name name = parse_name("handle (x) (src/app.py:12:7)");
    is_text(name.function, name.function_length, "handle (x)");
    is_text(name.file, name.file_length, "src/app.py");
    ck_assert_uint_eq(name.line, 12);
    ck_assert_uint_eq(name.column, 7);
    ck_assert_ptr_null(name.library);

    name = parse_name("handle (c:/app.py:12)");
    is_text(name.file, name.file_length, "c:/app.py");
    ck_assert_uint_eq(name.line, 12);
    ck_assert_uint_eq(name.column, 0);

    name = parse_name("run (a.js (old):5:6)");
    is_text(name.file, name.file_length, "a.js (old)");

    name = parse_name("<module> (app.py:0)");
    is_text(name.function, name.function_length, "<module>");
    is_text(name.file, name.file_length, "app.py");
    ck_assert_uint_eq(name.line, 0);

    name = parse_name("app.js:3:4");
    ck_assert_uint_eq(name.function_length, 0);
    is_text(name.file, name.file_length, "app.js");
}
END_TEST

START_TEST(anything_else_is_a_label)
{
    static const char *const labels[] = {
        "",       "label",  ")",      " (in )", "f (in )", "(a:1)",    "f (a)",
        "f (:1)", "f (/a)", "f (a:)", ":1",     "0x1234",  "f (a:1) ", "f (a:99999999999)",
    };

    for (size_t i = 0; i < sizeof(labels) / sizeof(labels[0]); i++) {
        struct function_name name = parse_name(labels[i]);
        is_text(name.function, name.function_length, labels[i]);
        ck_assert_msg(name.file == NULL && name.library == NULL, "%s", labels[i]);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("profctl.function_name");
    TCase *all = tcase_create("all");
    tcase_add_test(all, native_functions_have_a_library);
    tcase_add_test(all, script_functions_have_a_place);
    tcase_add_test(all, anything_else_is_a_label);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
