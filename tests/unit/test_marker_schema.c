/* buffer.marker_schema, json.marker_label, json.gecko_marker_types */
#include <check.h>
#include <errno.h>
#include <string.h>

#include "buffer/leb128.h"
#include "buffer/marker_schema.h"
#include "json/gecko/gecko_marker_types.h"
#include "json/gecko/marker_label.h"
#include "tests/unit/run_suite.h"

static struct arena_string view_of_text(const char *text)
{
    return (struct arena_string){ text, strlen(text) };
}

static bool equals_text(struct arena_string a, const char *b)
{
    return a.length == strlen(b) && memcmp(a.bytes, b, a.length) == 0;
}

static struct marker_schema request_schema(void)
{
    return (struct marker_schema){
        .name = view_of_text("request"),
        .chart_label = view_of_text("{marker.data.url}"),
        .colour_field = view_of_text("url"),
        .places = MARKER_PLACE_CHART | MARKER_PLACE_IPC,
        .is_stack_based = true,
        .is_task = true,
        .field_count = 2,
        .fields = { { MARKER_FORMAT_URL, MARKER_FIELD_SEARCHABLE, view_of_text("url"),
                      view_of_text("URL") },
                    { MARKER_FORMAT_BYTES, 0, view_of_text("sent"), view_of_text("") } },
    };
}

static struct arena_string encode_schema(const struct marker_schema *schema, uint8_t *room)
{
    size_t bytes = 0;
    ck_assert_int_eq(marker_schema_encode(schema, room, MARKER_SCHEMA_MAX_BYTES, &bytes), 0);
    return (struct arena_string){ (const char *)room, bytes };
}

START_TEST(schema_comes_back_as_it_was)
{
    uint8_t room[MARKER_SCHEMA_MAX_BYTES];
    struct marker_schema schema = request_schema(), back;
    ck_assert_int_eq(marker_schema_decode(encode_schema(&schema, room), &back), 0);
    ck_assert(equals_text(back.name, "request"));
    ck_assert(equals_text(back.chart_label, "{marker.data.url}"));
    ck_assert(equals_text(back.colour_field, "url"));
    ck_assert_uint_eq(back.table_label.length, 0);
    ck_assert_uint_eq(back.places, schema.places);
    ck_assert(back.is_stack_based);
    ck_assert(back.is_task);
    ck_assert_uint_eq(back.field_count, 2);
    ck_assert_int_eq(back.fields[0].format, MARKER_FORMAT_URL);
    ck_assert_uint_eq(back.fields[0].flags, MARKER_FIELD_SEARCHABLE);
    ck_assert(equals_text(back.fields[1].key, "sent"));
}
END_TEST

START_TEST(schema_that_is_cut_is_refused)
{
    uint8_t room[MARKER_SCHEMA_MAX_BYTES];
    struct marker_schema schema = request_schema(), back;
    struct arena_string bytes = encode_schema(&schema, room);
    for (size_t length = 0; length < bytes.length; length++)
        ck_assert_int_eq(marker_schema_decode((struct arena_string){ bytes.bytes, length }, &back),
                         -EPROTO);
    size_t written;
    for (size_t capacity = 0; capacity < bytes.length; capacity++)
        ck_assert_int_eq(marker_schema_encode(&schema, room, capacity, &written), -EMSGSIZE);
}
END_TEST

static const struct {
    const char *label;
    bool is_good;
} labels[] = {
    { "plain", true },
    { "", true },
    { "{marker.name}: {marker.data.url}", true },
    { "{ marker.data.sent }", true },
    { "{marker.start} {marker.end} {marker.duration} {marker.category}", true },
    { "{marker.data.url ? 'a' : 'b'}", true },
    { "{marker.data.url?'a':'b'}", true },
    { "open { and {} stay", false }, /* " and {" is no reference */
    { "open { stays", true },
    { "{marker.data.nothing}", false },
    { "{marker.data.ur}", false },
    { "{marker.nothing}", false },
    { "{data.url}", false },
    { "{marker.data.url ? 'a'}", false },
    { "{marker.data.url ? a : b}", false },
    { "{marker.name} {marker.data.}", false },
};

START_TEST(labels_refer_to_what_there_is)
{
    struct marker_schema schema = request_schema();
    ck_assert_msg(marker_label_is_valid(view_of_text(labels[_i].label), &schema) ==
                      labels[_i].is_good,
                  "%s", labels[_i].label);
}
END_TEST

START_TEST(colours_are_in_fields_that_are_strings)
{
    struct marker_schema schema = request_schema();
    schema.fields[schema.field_count++] =
        (struct marker_field){ MARKER_FORMAT_UNIQUE_STRING, 0, view_of_text("verb"),
                               view_of_text("") };
    ck_assert(marker_colour_is_valid(view_of_text("url"), &schema));
    ck_assert(marker_colour_is_valid(view_of_text(""), &schema));
    ck_assert(!marker_colour_is_valid(view_of_text("sent"), &schema));
    ck_assert(!marker_colour_is_valid(view_of_text("verb"), &schema));
    ck_assert(!marker_colour_is_valid(view_of_text("nothing"), &schema));
}
END_TEST

/* --- Types of a process --- */

static size_t written;
static char text[8192];

static int collect_bytes(void *context, const char *bytes, size_t n)
{
    (void)context;
    ck_assert_uint_lt(written + n, sizeof(text));
    memcpy(text + written, bytes, n);
    written += n;
    text[written] = '\0';
    return 0;
}

static const char *stream_types(const struct marker_types *types)
{
    struct failure_latch latch;
    struct json_writer writer;
    failure_latch_init(&latch);
    json_writer_init(&writer, &latch);
    json_start_array(&writer);
    marker_types_stream(types, &writer);
    json_end_array(&writer);
    written = 0;
    ck_assert_int_eq(json_writer_copy_out(&writer, collect_bytes, NULL), 0);
    json_writer_fini(&writer);
    return text;
}

static unsigned count_matches(const char *all, const char *part)
{
    unsigned found = 0;
    for (const char *at = strstr(all, part); at != NULL; at = strstr(at + 1, part))
        found++;
    return found;
}

START_TEST(same_schema_is_declared_once_and_another_of_its_name_is_renamed)
{
    static uint8_t rooms[5][MARKER_SCHEMA_MAX_BYTES];
    struct marker_types types = { 0 };
    struct marker_schema schema = request_schema(), other = request_schema(),
                         text_schema = request_schema();
    other.is_stack_based = false;
    text_schema.name = view_of_text("Text");
    ck_assert_int_eq(marker_types_add(&types, 1, encode_schema(&schema, rooms[0])), 0);
    ck_assert_int_eq(marker_types_add(&types, 2, encode_schema(&schema, rooms[1])), 0);
    ck_assert_int_eq(marker_types_add(&types, 3, encode_schema(&other, rooms[2])), 0);
    ck_assert_int_eq(marker_types_add(&types, 4, encode_schema(&other, rooms[3])), 0);
    ck_assert_int_eq(marker_types_add(&types, 5, encode_schema(&text_schema, rooms[4])), 0);
    const char *all = stream_types(&types);
    ck_assert_uint_eq(count_matches(all, "\"name\":\"request\""), 1);
    ck_assert_uint_eq(count_matches(all, "\"name\":\"request (2)\""), 1);
    ck_assert_uint_eq(count_matches(all, "\"name\":\"Text (2)\""), 1);
    ck_assert_uint_eq(count_matches(all, "\"isStackBased\":true"), 2);
    ck_assert_uint_eq(types.renamed, 2);
    ck_assert_uint_eq(marker_types_find(&types, 4)->ordinal, 2);
    ck_assert_ptr_null(marker_types_find(&types, 6));
    ck_assert_ptr_null(marker_types_find(&types, 0));
    marker_types_free(&types);
}
END_TEST

START_TEST(types_that_are_none_are_refused)
{
    uint8_t room[MARKER_SCHEMA_MAX_BYTES];
    struct marker_types types = { 0 };
    struct marker_schema schema = request_schema();
    struct arena_string bytes = encode_schema(&schema, room);
    ck_assert_int_eq(marker_types_add(&types, 2, bytes), -EPROTO);
    bytes.length--;
    ck_assert_int_eq(marker_types_add(&types, 1, bytes), -EPROTO);
    marker_types_free(&types);
}
END_TEST

/* --- Values --- */

START_TEST(values_that_are_cut_are_refused)
{
    static const uint8_t text_value[] = { 4, 'a', 'b', 'c' };
    struct marker_value value;
    for (int format = 1; format < MARKER_FORMAT_END; format++) {
        const uint8_t *in = text_value;
        ck_assert_int_eq(marker_value_read((enum marker_format)format, &in, in, &value), -EPROTO);
        ck_assert_ptr_eq(in, text_value);
    }
    const uint8_t *in = text_value;
    ck_assert_int_eq(marker_value_read(MARKER_FORMAT_URL, &in, in + 3, &value), -EPROTO);
    ck_assert_int_eq(marker_value_read(MARKER_FORMAT_URL, &in, in + 4, &value), 0);
    ck_assert(equals_text(value.text, "abc"));
    ck_assert_ptr_eq(in, text_value + 4);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("marker schemas");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, schema_comes_back_as_it_was);
    tcase_add_test(tests, schema_that_is_cut_is_refused);
    tcase_add_loop_test(tests, labels_refer_to_what_there_is, 0,
                        sizeof(labels) / sizeof(labels[0]));
    tcase_add_test(tests, colours_are_in_fields_that_are_strings);
    tcase_add_test(tests, same_schema_is_declared_once_and_another_of_its_name_is_renamed);
    tcase_add_test(tests, types_that_are_none_are_refused);
    tcase_add_test(tests, values_that_are_cut_are_refused);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
