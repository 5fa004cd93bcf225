/* profctl.view.view_page */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "profctl/view/view_page.h"
#include "tests/unit/run_suite.h"

#define ID "0403020106050807090A0B0C0D0E0F100"

static const char profile[] =
    "{\"meta\":{\"startTime\":1,\"interval\":1},\"libs\":[{\"start\":4096,\"end\":8192,"
    "\"offset\":0,\"name\":\"lib\",\"path\":\"/lib\",\"debugName\":\"lib\",\"breakpadId\":\"" ID
    "\",\"codeId\":null}],\"threads\":[{\"name\":\"GeckoMain\",\"pid\":7,\"tid\":7,"
    "\"stringTable\":[\"f\"],\"frameTable\":{\"schema\":{\"location\":0},\"data\":[[0]]},"
    "\"stackTable\":{\"schema\":{\"prefix\":0,\"frame\":1},\"data\":[[null,0]]},"
    "\"samples\":{\"schema\":{\"stack\":0,\"time\":1},\"data\":[[0,1]]}}],\"processes\":[]}";

static const char named_profile[] =
    "{\"meta\":{\"interval\":1},\"threads\":[{\"name\":\"GeckoMain\",\"pid\":7,\"tid\":7,"
    "\"stringTable\":[\"f\",\"f.c\"],"
    "\"frameTable\":{\"schema\":{\"location\":0,\"file\":1},\"data\":[[0],[0,1]]},"
    "\"stackTable\":{\"schema\":{\"prefix\":0,\"frame\":1},\"data\":[[null,0]]},"
    "\"samples\":{\"schema\":{\"stack\":0,\"time\":1},\"data\":[[0,1]]}}],\"processes\":[]}";

static struct library_list *libraries;

static int make_page(const char *text, int fd, struct view_page_result *result)
{
    struct json_reader *reader;

    ck_assert_int_eq(library_list_create(&libraries), 0);
    ck_assert_int_eq(json_reader_open_memory(text, strlen(text), &reader), 0);
    int error = view_page_make(reader, fd, NULL, libraries, result);
    json_reader_close(reader);
    return error;
}

static void free_libraries(void)
{
    library_list_free(libraries);
}

START_TEST(the_page_and_the_libraries_are_made)
{
    char text[16] = "";
    struct view_page_result result;
    int error, fd = memfd_create("page", MFD_CLOEXEC);

    ck_assert_int_eq(make_page(profile, fd, &result), 0);
    ck_assert_int_eq(result.write_error, 0);
    ck_assert_int_gt(pread(fd, text, sizeof(text) - 1, 0), 0);
    ck_assert_ptr_eq(strcasestr(text, "<!doctype html>"), text);
    ck_assert_ptr_nonnull(library_list_find(libraries, "lib", ID, &error));
    ck_assert_ptr_null(library_list_find(libraries, "other", ID, &error));
    close(fd);
}
END_TEST

START_TEST(files_that_a_profile_names_are_noticed)
{
    struct view_page_result result;
    int fd = memfd_create("page", MFD_CLOEXEC);

    ck_assert_int_eq(make_page(profile, fd, &result), 0);
    ck_assert(!result.names_files);
    free_libraries();
    ck_assert_int_eq(make_page(named_profile, fd, &result), 0);
    ck_assert(result.names_files);
    close(fd);
}
END_TEST

START_TEST(a_profile_that_is_none_is_at_fault)
{
    struct view_page_result result;
    int fd = memfd_create("page", MFD_CLOEXEC);

    ck_assert_int_eq(make_page("{\"threads\":7}", fd, &result), -EPROTO);
    ck_assert_int_eq(result.write_error, 0);
    close(fd);
}
END_TEST

START_TEST(a_page_that_finds_no_room_is_told_apart)
{
    struct view_page_result result;
    int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);

    ck_assert_int_lt(make_page(profile, fd, &result), 0);
    ck_assert_int_eq(result.write_error, -ENOSPC);
    close(fd);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("profctl.view.view_page");
    TCase *tests = tcase_create("all");
    tcase_add_checked_fixture(tests, NULL, free_libraries);
    tcase_add_test(tests, the_page_and_the_libraries_are_made);
    tcase_add_test(tests, files_that_a_profile_names_are_noticed);
    tcase_add_test(tests, a_profile_that_is_none_is_at_fault);
    tcase_add_test(tests, a_page_that_finds_no_room_is_told_apart);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
