/* json.gecko_categories */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "buffer/dictionary.h"
#include "json/gecko/gecko_categories.h"
#include "tests/unit/run_suite.h"

enum { FIRST = CATEGORY_FIRST_OWN };

static struct gecko_categories categories;
static char text[64 * 1024];

static void set_up(void)
{
    memset(&categories, 0, sizeof(categories));
}

static void tear_down(void)
{
    gecko_categories_free(&categories);
}

static struct arena_string view_of_text(const char *bytes)
{
    return (struct arena_string){ bytes, strlen(bytes) };
}

static int add_category(uint32_t id, const char *name, const char *colour)
{
    return gecko_categories_add(&categories, id, view_of_text(name), view_of_text(colour));
}

static int add_part(uint32_t id, uint32_t parent, const char *name)
{
    return gecko_categories_add_part(&categories, id, parent, view_of_text(name));
}

static int append_text(void *context, const char *bytes, size_t n)
{
    strncat(context, bytes, n);
    return 0;
}

/* The list, as text. */
static const char *list_as_text(void)
{
    struct failure_latch latch;
    struct json_writer writer;
    text[0] = '\0';
    failure_latch_init(&latch);
    json_writer_init_sink(&writer, append_text, text, &latch);
    gecko_categories_stream(&categories, &writer);
    ck_assert_int_eq(json_writer_flush(&writer), 0);
    json_writer_fini(&writer);
    return text;
}

static void assert_place(uint32_t id, uint32_t category, uint32_t subcategory)
{
    struct category_place place = gecko_categories_find(&categories, id);
    ck_assert_uint_eq(place.category, category);
    ck_assert_uint_eq(place.subcategory, subcategory);
}

START_TEST(own_ones_stand_behind_those_of_every_profile)
{
    ck_assert_int_eq(add_category(FIRST + 5, "Database", "orange"), 0);
    ck_assert_int_eq(add_part(FIRST + 9, FIRST + 5, "Query"), 0);
    ck_assert_int_eq(add_part(FIRST + 2, FIRST + 5, "Commit"), 0);
    assert_place(CATEGORY_DISK, CATEGORY_DISK, 0);
    assert_place(FIRST + 5, FIRST, 0);
    assert_place(FIRST + 9, FIRST, 1);
    assert_place(FIRST + 2, FIRST, 2);
    ck_assert_ptr_nonnull(strstr(list_as_text(),
                                 ",{\"name\":\"Database\",\"color\":\"orange\","
                                 "\"subcategories\":[\"Other\",\"Query\",\"Commit\"]}]"));
}
END_TEST

START_TEST(common_ones_may_have_parts)
{
    ck_assert_int_eq(add_part(FIRST, CATEGORY_DISK, "Flush"), 0);
    assert_place(FIRST, CATEGORY_DISK, 1);
    ck_assert_ptr_nonnull(strstr(list_as_text(), "{\"name\":\"Disk\",\"color\":\"orange\","
                                                 "\"subcategories\":[\"Other\",\"Flush\"]}"));
}
END_TEST

START_TEST(a_name_stands_once_with_its_first_colour)
{
    ck_assert_int_eq(add_category(FIRST, "Database", "orange"), 0);
    ck_assert_int_eq(add_category(FIRST + 1, "Database", "red"), 0);
    ck_assert_int_eq(add_category(FIRST + 2, "Network", "red"), 0);
    ck_assert_int_eq(add_part(FIRST + 3, FIRST, "Query"), 0);
    ck_assert_int_eq(add_part(FIRST + 4, FIRST + 1, "Query"), 0);
    ck_assert_int_eq(add_part(FIRST + 5, FIRST, "Other"), 0);
    assert_place(FIRST + 1, FIRST, 0);
    assert_place(FIRST + 2, CATEGORY_NETWORK, 0);
    assert_place(FIRST + 4, FIRST, 1);
    assert_place(FIRST + 5, FIRST, 0);
    ck_assert_ptr_nonnull(strstr(list_as_text(), "{\"name\":\"Database\",\"color\":\"orange\","
                                                 "\"subcategories\":[\"Other\",\"Query\"]}]"));
}
END_TEST

START_TEST(what_is_odd_stays_valid)
{
    ck_assert_int_eq(add_category(FIRST, "a\"\\\n\xff", "no colour"), 0);
    ck_assert_ptr_nonnull(
        strstr(list_as_text(), "\"color\":\"grey\",\"subcategories\":[\"Other\"]}]"));
    ck_assert_ptr_nonnull(strstr(list_as_text(), "a\\\"\\\\\\n"));
}
END_TEST

START_TEST(what_is_no_category_is_refused_and_other)
{
    ck_assert_int_eq(add_category(CATEGORY_DISK, "Database", "red"), -EPROTO);
    ck_assert_int_eq(add_category(CATEGORY_END, "Database", "red"), -EPROTO);
    ck_assert_int_eq(add_category(UINT32_MAX, "Database", "red"), -EPROTO);
    ck_assert_int_eq(add_category(FIRST, "", "red"), -EPROTO);
    ck_assert_int_eq(add_part(FIRST, FIRST + 1, "Query"), -EPROTO);
    ck_assert_int_eq(add_part(FIRST, UINT32_MAX, "Query"), -EPROTO);
    ck_assert_int_eq(add_part(FIRST, CATEGORY_DISK, "Flush"), 0);
    ck_assert_int_eq(add_part(FIRST + 1, FIRST, "Part of a part"), -EPROTO);
    assert_place(FIRST + 1, CATEGORY_OTHER, 0);
    assert_place(UINT32_MAX, CATEGORY_OTHER, 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("json.gecko_categories");
    TCase *lists = tcase_create("lists");
    tcase_add_checked_fixture(lists, set_up, tear_down);
    tcase_add_test(lists, own_ones_stand_behind_those_of_every_profile);
    tcase_add_test(lists, common_ones_may_have_parts);
    tcase_add_test(lists, a_name_stands_once_with_its_first_colour);
    tcase_add_test(lists, what_is_odd_stays_valid);
    tcase_add_test(lists, what_is_no_category_is_refused_and_other);
    suite_add_tcase(suite, lists);
    return run_suite(suite);
}
