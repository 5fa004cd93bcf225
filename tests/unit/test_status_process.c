/* daemon.status_process: one process as JSON, from a child and its arena. */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "buffer/arena.h"
#include "daemon/children/child_table.h"
#include "daemon/clients/status_process.h"
#include "daemon/memory/lease_census.h"
#include "tests/unit/run_suite.h"

enum { PAGE = 4096 };

static struct child child;
static struct lease_census census;
static cJSON *shown;
static size_t most_bytes;

static void set_up(void)
{
    child = (struct child){ .pid = 12, .parent_pid = 11, .arena_fd = -1, .executable = "/bin/a" };
    child.cpu = CPU_ACCOUNT_NEW;
    memset(&census, 0, sizeof(census));
    shown = NULL;
}

static void tear_down(void)
{
    cJSON_Delete(shown);
    if (child.arena_fd >= 0)
        close(child.arena_fd);
}

static void make_arena(const struct arena_header *header)
{
    child.arena_fd = memfd_create("arena", MFD_CLOEXEC);
    ck_assert_int_eq(pwrite(child.arena_fd, header, sizeof(*header), 0), sizeof(*header));
}

static void show_process(void)
{
    shown = status_process_make(&child, &census, &most_bytes);
    char *text = cJSON_PrintUnformatted(shown);
    ck_assert_uint_le(strlen(text), most_bytes);
    free(text);
}

static const char *text_of(const char *name)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(shown, name));
    return text != NULL ? text : "(none)";
}

static double number_of(const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(shown, name);
    return item != NULL ? item->valuedouble : -1;
}

START_TEST(it_says_who_it_is_and_how_it_ended)
{
    child.image = 2;
    child.state = CHILD_ENDED;
    child.verdict = VERDICT_EXITED;
    child.code = 3;
    child.cpu.used_ns = 2500000;
    show_process();
    ck_assert_double_eq(number_of("pid"), 12);
    ck_assert_double_eq(number_of("parent_pid"), 11);
    ck_assert_double_eq(number_of("image"), 2);
    ck_assert_double_eq(number_of("code"), 3);
    ck_assert_double_eq(number_of("cpu_ms"), 2.5);
    ck_assert_str_eq(text_of("executable"), "/bin/a");
    ck_assert_str_eq(text_of("state"), "ended");
    ck_assert_str_eq(text_of("verdict"), process_verdict_name(VERDICT_EXITED));
}
END_TEST

START_TEST(what_is_not_known_is_not_there)
{
    show_process();
    ck_assert_double_eq(number_of("cpu_ms"), -1);
    ck_assert_double_eq(number_of("recorded_bytes"), -1);
    ck_assert_str_eq(text_of("title"), "(none)");
    ck_assert_str_eq(text_of("obstacle"), "(none)");
}
END_TEST

START_TEST(without_an_arena_it_says_why)
{
    child.obstacle = OBSTACLE_STATIC;
    show_process();
    ck_assert_str_eq(text_of("obstacle"), recording_obstacle_text(OBSTACLE_STATIC));
}
END_TEST

START_TEST(numbers_of_its_arena_are_shown)
{
    make_arena(&(struct arena_header){ .magic = ARENA_MAGIC,
                                       .live_threads = 4,
                                       .dictionary_used_bytes = 100,
                                       .drops = { [DROP_REENTRANT] = 6 } });
    show_process();
    ck_assert_double_eq(number_of("threads"), 4);
    ck_assert_double_eq(number_of("recorded_bytes"), (double)child_kernel_bytes(&child));
    ck_assert_double_eq(number_of("dictionary_bytes"), 100);
    const cJSON *drops = cJSON_GetObjectItemCaseSensitive(shown, "drops");
    ck_assert_int_eq(cJSON_GetArraySize(drops), 1);
    ck_assert_double_eq(cJSON_GetObjectItemCaseSensitive(drops->child, "count")->valuedouble, 6);
}
END_TEST

START_TEST(an_arena_that_lies_shows_no_more_than_it_takes)
{
    make_arena(&(struct arena_header){ .magic = ARENA_MAGIC, .dictionary_used_bytes = UINT32_MAX });
    show_process();
    ck_assert_double_eq(number_of("dictionary_bytes"), number_of("recorded_bytes"));
    ck_assert_double_eq(number_of("unreleased_bytes"), 0);
}
END_TEST

START_TEST(names_are_cut_and_counted_as_they_are_escaped)
{
    char name[1001];

    memset(name, '\1', 1000);
    name[1000] = '\0';
    child.executable = name;
    show_process(); /* within the bytes that are promised */
    ck_assert_uint_eq(strlen(text_of("executable")), 256);
}
END_TEST

START_TEST(an_account_is_that_of_the_arena_or_of_the_record_that_expired)
{
    struct block_account sum = { 0 };

    child.kept = CHILD_KEPT_EXPIRED;
    child.expired = (struct block_account){ .produced_blocks = 5, .dropped_blocks = 2 };
    status_process_add_account(&child, &sum);
    status_process_add_account(&child, &sum);
    ck_assert_uint_eq(sum.produced_blocks, 10);
    ck_assert_uint_eq(sum.dropped_blocks, 4);
}
END_TEST

START_TEST(who_has_no_arena_adds_nothing)
{
    struct block_account sum = { 0 };

    status_process_add_account(&child, &sum);
    ck_assert_uint_eq(sum.produced_blocks, 0);
    ck_assert_uint_eq(child_kernel_bytes(&child), 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("status_process");
    TCase *all = tcase_create("all");
    tcase_add_checked_fixture(all, set_up, tear_down);
    tcase_add_test(all, it_says_who_it_is_and_how_it_ended);
    tcase_add_test(all, what_is_not_known_is_not_there);
    tcase_add_test(all, without_an_arena_it_says_why);
    tcase_add_test(all, numbers_of_its_arena_are_shown);
    tcase_add_test(all, an_arena_that_lies_shows_no_more_than_it_takes);
    tcase_add_test(all, names_are_cut_and_counted_as_they_are_escaped);
    tcase_add_test(all, an_account_is_that_of_the_arena_or_of_the_record_that_expired);
    tcase_add_test(all, who_has_no_arena_adds_nothing);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
