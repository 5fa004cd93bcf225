/* Why a program will not be profiled. */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/program_facts.h"
#include "tests/unit/run_suite.h"

static const struct program_facts ordinary = {
    .is_elf = true,
    .has_interpreter = true,
    .has_preload = true,
    .descriptor_limit = 1024,
};

START_TEST(nothing_keeps_the_agent_out_of_an_ordinary_program)
{
    ck_assert_int_eq(program_obstacle(&ordinary), OBSTACLE_NONE);
}
END_TEST

START_TEST(each_fact_has_its_obstacle)
{
    struct program_facts facts = ordinary;
    facts.has_interpreter = false;
    ck_assert_int_eq(program_obstacle(&facts), OBSTACLE_STATIC);
    facts = ordinary;
    facts.is_foreign = true;
    ck_assert_int_eq(program_obstacle(&facts), OBSTACLE_FOREIGN);
    facts = ordinary;
    facts.raises_privileges = true;
    ck_assert_int_eq(program_obstacle(&facts), OBSTACLE_PRIVILEGED);
    facts = ordinary;
    facts.is_disabled = true;
    ck_assert_int_eq(program_obstacle(&facts), OBSTACLE_DISABLED);
    facts = ordinary;
    facts.sanitizer = SANITIZER_ADDRESS;
    ck_assert_int_eq(program_obstacle(&facts), OBSTACLE_SANITIZER);
    facts.has_preload = false; /* for that reason */
    facts.is_out_of_reach = true;
    ck_assert_int_eq(program_obstacle(&facts), OBSTACLE_SANITIZER);
    facts = ordinary;
    facts.sanitizer = SANITIZER_ADDRESS;
    program_look_variable("ASAN_OPTIONS=verbosity=1:verify_asan_link_order=0", &facts);
    ck_assert_int_eq(program_obstacle(&facts), OBSTACLE_NONE);
    facts.sanitizer = SANITIZER_THREAD;
    ck_assert_int_eq(program_obstacle(&facts), OBSTACLE_SANITIZER);
    facts = ordinary;
    facts.is_out_of_reach = true;
    ck_assert_int_eq(program_obstacle(&facts), OBSTACLE_OUT_OF_REACH);
    facts.has_preload = false; /* for that reason */
    ck_assert_int_eq(program_obstacle(&facts), OBSTACLE_OUT_OF_REACH);
    facts = ordinary;
    facts.has_preload = false;
    ck_assert_int_eq(program_obstacle(&facts), OBSTACLE_ENVIRONMENT);
    facts = ordinary;
    facts.descriptor_limit = PROGRAM_LEAST_DESCRIPTORS - 1;
    ck_assert_int_eq(program_obstacle(&facts), OBSTACLE_NO_DESCRIPTOR);
}
END_TEST

START_TEST(what_no_environment_could_change_is_named_first)
{
    struct program_facts facts = { .is_elf = true, .is_disabled = true };
    ck_assert_int_eq(program_obstacle(&facts), OBSTACLE_STATIC);
}
END_TEST

START_TEST(a_file_that_is_not_known_is_not_called_static)
{
    struct program_facts facts = { .has_preload = true, .descriptor_limit = 1024 };
    ck_assert_int_eq(program_obstacle(&facts), OBSTACLE_NONE);
}
END_TEST

START_TEST(the_environment_tells_preload_and_disable)
{
    struct program_facts facts = { 0 };
    program_look_variable("LD_PRELOAD=/usr/lib/other.so", &facts);
    program_look_variable("PROFD_DISABLE=0", &facts);
    program_look_variable("XLD_PRELOAD=/usr/lib/libprofd.so", &facts);
    ck_assert(!facts.has_preload && !facts.is_disabled);
    program_look_variable("LD_PRELOAD=/usr/lib/other.so:/opt/lib/libprofd.so", &facts);
    program_look_variable("PROFD_DISABLE=1", &facts);
    ck_assert(facts.has_preload && facts.is_disabled);
}
END_TEST

/* A file with CONTENT; its path is in PATH. */
static void make_file(char path[32], const char *content, mode_t mode)
{
    strcpy(path, "/tmp/profd-facts.XXXXXX");
    int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, content, strlen(content)), (ssize_t)strlen(content));
    ck_assert_int_eq(fchmod(fd, mode), 0);
    close(fd);
}

START_TEST(a_dynamic_program_has_an_interpreter)
{
    struct program_facts facts = { 0 };
    ck_assert_int_eq(program_look_at(AT_FDCWD, "/proc/self/exe", &facts), 0);
    ck_assert(facts.is_elf && facts.has_interpreter);
    ck_assert(!facts.is_foreign && !facts.raises_privileges);
}
END_TEST

START_TEST(a_script_is_what_its_interpreter_is)
{
    struct program_facts facts = { 0 };
    char path[32];
    make_file(path, "#! /bin/sh -e\necho\n", 0700);
    ck_assert_int_eq(program_look_at(AT_FDCWD, path, &facts), 0);
    ck_assert(facts.is_elf && facts.has_interpreter);
    unlink(path);
}
END_TEST

START_TEST(a_script_that_runs_itself_is_given_up)
{
    struct program_facts facts = { 0 };
    char path[32], content[64];
    make_file(path, "", 0700);
    snprintf(content, sizeof(content), "#!%s\n", path);
    int fd = open(path, O_WRONLY);
    ck_assert_int_gt(write(fd, content, strlen(content)), 0);
    close(fd);
    ck_assert_int_eq(program_look_at(AT_FDCWD, path, &facts), -ELOOP);
    ck_assert(!facts.is_elf);
    unlink(path);
}
END_TEST

START_TEST(what_is_no_program_says_nothing)
{
    struct program_facts facts = { 0 };
    char path[32];
    make_file(path, "not a program at all, but long enough to hold the header of an ELF file ....",
              0700);
    ck_assert_int_eq(program_look_at(AT_FDCWD, path, &facts), -ENOEXEC);
    ck_assert_int_eq(program_look_at(AT_FDCWD, "/nonexistent", &facts), -ENOENT);
    ck_assert_int_eq(program_look_at(AT_FDCWD, "/", &facts), -ENOEXEC);
    ck_assert(!facts.is_elf);
    unlink(path);
}
END_TEST

START_TEST(a_program_is_found_where_exec_would_find_it)
{
    char out[64];
    ck_assert_int_eq(program_find(AT_FDCWD, "sh", "/nonexistent::/bin", out, sizeof(out)), 0);
    ck_assert_str_eq(out, "/bin/sh");
    ck_assert_int_eq(program_find(AT_FDCWD, "sh", NULL, out, sizeof(out)), 0);
    ck_assert_str_eq(out, "/bin/sh");
    ck_assert_int_eq(program_find(AT_FDCWD, "./sh", "/bin", out, sizeof(out)), 0);
    ck_assert_str_eq(out, "./sh");
    ck_assert_int_eq(program_find(AT_FDCWD, "sh", "/nonexistent", out, sizeof(out)), -ENOENT);
    ck_assert_int_eq(program_find(AT_FDCWD, "", "/bin", out, sizeof(out)), -ENOENT);
    ck_assert_int_eq(program_find(AT_FDCWD, "bin", "/", out, sizeof(out)), -ENOENT);
    ck_assert_int_eq(program_find(AT_FDCWD, "sh", "/bin", out, 7), -ENOENT);
    int root = open("/", O_PATH | O_DIRECTORY);
    ck_assert_int_eq(program_find(root, "sh", "bin", out, sizeof(out)), 0);
    ck_assert_str_eq(out, "bin/sh");
    close(root);
}
END_TEST

/* A 32-bit ELF header, as short as a file can be and still be looked at. */
START_TEST(a_program_of_another_word_size_is_foreign)
{
    struct program_facts facts = { 0 };
    char path[32];
    uint8_t head[128] = { 0x7f, 'E', 'L', 'F', 1, 1, 1 };
    make_file(path, "", 0700);
    int fd = open(path, O_WRONLY);
    ck_assert_int_eq(write(fd, head, sizeof(head)), (ssize_t)sizeof(head));
    close(fd);
    ck_assert_int_eq(program_look_at(AT_FDCWD, path, &facts), 0);
    ck_assert(facts.is_elf && facts.is_foreign);
    unlink(path);
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("ipc.program_facts");
    TCase *tests = tcase_create("program_facts");

    tcase_add_test(tests, nothing_keeps_the_agent_out_of_an_ordinary_program);
    tcase_add_test(tests, each_fact_has_its_obstacle);
    tcase_add_test(tests, what_no_environment_could_change_is_named_first);
    tcase_add_test(tests, a_file_that_is_not_known_is_not_called_static);
    tcase_add_test(tests, the_environment_tells_preload_and_disable);
    tcase_add_test(tests, a_dynamic_program_has_an_interpreter);
    tcase_add_test(tests, a_script_is_what_its_interpreter_is);
    tcase_add_test(tests, a_script_that_runs_itself_is_given_up);
    tcase_add_test(tests, what_is_no_program_says_nothing);
    tcase_add_test(tests, a_program_is_found_where_exec_would_find_it);
    tcase_add_test(tests, a_program_of_another_word_size_is_foreign);
    suite_add_tcase(suite, tests);
    return suite;
}

int main(void)
{
    return run_suite(make_suite());
}
