/* profctl.profile_places */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "profctl/capture/profile_places.h"
#include "tests/unit/run_suite.h"

static const struct message_profile_place profiles[] = {
    { .start = 10, .bytes = 5, .pid = 1 },
    { .start = 16, .bytes = 1, .pid = 2 },
    { .start = 100, .bytes = 200000, .pid = 3 },
};

START_TEST(a_byte_is_found_in_its_profile)
{
    static const struct {
        uint64_t offset;
        int index; /* -1: in none */
    } cases[] = { { 0, -1 }, { 9, -1 },  { 10, 0 },  { 14, 0 },     { 15, -1 },
                  { 16, 1 }, { 17, -1 }, { 100, 2 }, { 200099, 2 }, { 200100, -1 } };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct message_profile_place *found =
            profile_places_find(profiles, 3, cases[i].offset);
        ck_assert_ptr_eq(found, cases[i].index < 0 ? NULL : &profiles[cases[i].index]);
    }
    ck_assert_ptr_null(profile_places_find(profiles, 0, 10));
}
END_TEST

START_TEST(a_damaged_profile_becomes_an_empty_object)
{
    static char text[200200];
    int fd = memfd_create("capture", MFD_CLOEXEC);

    memset(text, 'x', sizeof(text));
    ck_assert_int_eq(write(fd, text, sizeof(text)), sizeof(text));
    ck_assert_int_eq(profile_place_blank(fd, &profiles[2]), 0);
    ck_assert_int_eq(pread(fd, text, sizeof(text), 0), sizeof(text));
    ck_assert_int_eq(text[99], 'x');
    ck_assert_int_eq(text[100], '{');
    ck_assert_uint_eq(strspn(text + 101, " "), 200000 - 2);
    ck_assert_int_eq(text[200099], '}');
    ck_assert_int_eq(text[200100], 'x');
    ck_assert_int_eq(profile_place_blank(fd, &profiles[1]), -EPROTO);
    close(fd);
}
END_TEST

START_TEST(one_can_be_taken_out)
{
    struct message_profile_place list[3];
    size_t count = 3;

    memcpy(list, profiles, sizeof(list));
    profile_places_remove(list, &count, &list[1]);
    ck_assert_uint_eq(count, 2);
    ck_assert_uint_eq(list[0].pid, 1);
    ck_assert_uint_eq(list[1].pid, 3);
    profile_places_remove(list, &count, &list[1]);
    ck_assert_uint_eq(count, 1);
    ck_assert_uint_eq(list[0].pid, 1);
}
END_TEST

START_TEST(what_was_damaged_is_told_as_far_as_there_is_room)
{
    char line[100] = "", small[12] = "1 is gone";

    profile_place_tell(&profiles[0], line, sizeof(line));
    profile_place_tell(&profiles[2], line, sizeof(line));
    ck_assert_str_eq(line, "1 made a profile that is damaged; 3 made a profile that is damaged");
    profile_place_tell(&profiles[0], small, sizeof(small));
    ck_assert_str_eq(small, "1 is gone; ");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("profctl.profile_places");
    TCase *tests = tcase_create("places");
    tcase_add_test(tests, a_byte_is_found_in_its_profile);
    tcase_add_test(tests, a_damaged_profile_becomes_an_empty_object);
    tcase_add_test(tests, one_can_be_taken_out);
    tcase_add_test(tests, what_was_damaged_is_told_as_far_as_there_is_room);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
