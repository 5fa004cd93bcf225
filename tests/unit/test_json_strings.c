/* json.json_writer: strings and names. */
#include <cjson/cJSON.h>

#include "tests/unit/json_writer_scene.h"
#include "tests/unit/run_suite.h"

#define FFFD "\xef\xbf\xbd"

static const struct {
    const char *name, *bytes, *text;
} strings[] = {
    { "plain", "hello, world", "\"hello, world\"" },
    { "empty", "", "\"\"" },
    { "quote and backslash", "a\"b\\c", "\"a\\\"b\\\\c\"" },
    { "short escapes", "\b\f\n\r\t", "\"\\b\\f\\n\\r\\t\"" },
    { "other controls", "\x01\x1f", "\"\\u0001\\u001f\"" },
    { "slash and delete stand for themselves", "/\x7f", "\"/\x7f\"" },
    { "two to four bytes", "é€😀", "\"é€😀\"" },
    { "lone continuation", "a\x80z", "\"a" FFFD "z\"" },
    { "overlong slash", "\xc0\xaf", "\"" FFFD FFFD "\"" },
    { "surrogate", "\xed\xa0\x80", "\"" FFFD FFFD FFFD "\"" },
    { "above U+10FFFF", "\xf4\x90\x80\x80", "\"" FFFD FFFD FFFD FFFD "\"" },
    { "cut short", "\xe2\x82", "\"" FFFD "\"" },
    { "cut short by ASCII", "\xf0\x9f\x98!", "\"" FFFD "!\"" },
    { "escape behind eight plain bytes", "12345678\"", "\"12345678\\\"\"" },
    { "escape within eight bytes", "123\n5678", "\"123\\n5678\"" },
};

START_TEST(strings_are_escaped_and_valid)
{
    json_string(&writer, strings[_i].bytes);
    ck_assert_msg(strcmp(text_of(&writer), strings[_i].text) == 0, "%s: %s", strings[_i].name,
                  sink.bytes);
}
END_TEST

START_TEST(any_bytes_can_be_read_back)
{
    char bytes[255];
    for (int i = 0; i < 255; i++)
        bytes[i] = (char)(i + 1);
    json_string_bytes(&writer, bytes, sizeof(bytes));
    cJSON *json = cJSON_Parse(text_of(&writer));
    ck_assert(cJSON_IsString(json));
    cJSON_Delete(json);
}
END_TEST

START_TEST(names_are_escaped_too)
{
    json_start_object(&writer);
    json_i64_property(&writer, "a\n", -2);
    json_end_object(&writer);
    ck_assert_str_eq(text_of(&writer), "{\"a\\n\":-2}");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("json.json_strings");
    TCase *values = add_case(suite, "values");
    tcase_add_loop_test(values, strings_are_escaped_and_valid, 0, ROWS(strings));
    tcase_add_test(values, any_bytes_can_be_read_back);
    tcase_add_test(values, names_are_escaped_too);
    return run_suite(suite);
}
