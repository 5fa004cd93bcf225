/* Which runtimes of sanitizers are known, and that ordinary programs have none. */
#include <check.h>
#include <fcntl.h>
#include <unistd.h>

#include "common/program_facts.h"
#include "common/program_sanitizer.h"
#include "tests/unit/run_suite.h"

START_TEST(runtimes_are_known_by_their_names)
{
    ck_assert_int_eq(program_sanitizer_called("libasan.so.8"), SANITIZER_ADDRESS);
    ck_assert_int_eq(program_sanitizer_called("libclang_rt.asan-x86_64.so"), SANITIZER_ADDRESS);
    ck_assert_int_eq(program_sanitizer_called("libtsan.so.2"), SANITIZER_THREAD);
    ck_assert_int_eq(program_sanitizer_called("libubsan.so.1"), SANITIZER_NONE);
    ck_assert_int_eq(program_sanitizer_called("libc.so.6"), SANITIZER_NONE);
    ck_assert_int_eq(program_sanitizer_called(""), SANITIZER_NONE);
}
END_TEST

START_TEST(an_ordinary_program_has_none)
{
    struct program_facts facts = { 0 };

    ck_assert_int_eq(program_look_at(AT_FDCWD, "/bin/sh", &facts), 0);
    ck_assert_int_eq(facts.sanitizer, SANITIZER_NONE);
}
END_TEST

START_TEST(segments_that_lead_nowhere_have_none)
{
    const Elf64_Phdr segments[] = {
        { .p_type = PT_LOAD, .p_filesz = 16 },
        { .p_type = PT_DYNAMIC, .p_offset = 8, .p_filesz = UINT64_MAX },
    };
    int fd = open("/bin/sh", O_RDONLY | O_CLOEXEC);

    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(program_sanitizer_of(fd, segments, 2), SANITIZER_NONE);
    ck_assert_int_eq(program_sanitizer_of(fd, segments, 0), SANITIZER_NONE);
    close(fd);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("common.program_sanitizer");
    TCase *runtimes = tcase_create("runtimes");
    tcase_add_test(runtimes, runtimes_are_known_by_their_names);
    tcase_add_test(runtimes, an_ordinary_program_has_none);
    tcase_add_test(runtimes, segments_that_lead_nowhere_have_none);
    suite_add_tcase(suite, runtimes);
    return run_suite(suite);
}
