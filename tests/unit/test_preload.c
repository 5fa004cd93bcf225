/* LD_PRELOAD without libraries of ours that are out of reach. */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "child-agent/guest/preload.h"
#include "tests/unit/run_suite.h"

static char folder[32];

/* TEXT with the folder, in which there are libprofd.so and libprofd-malloc.so, for each "@". */
static const char *expand_folder(const char *text)
{
    static char out[8][512];
    static unsigned next;
    char *start = out[next++ % 8], *end = start;

    for (; *text != '\0'; text++) {
        if (*text == '@')
            end = stpcpy(end, folder);
        else
            *end++ = *text;
    }
    *end = '\0';
    return start;
}

static void make_library(const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT, 0600);
    ck_assert_int_ge(fd, 0);
    close(fd);
}

static void make_folder(void)
{
    strcpy(folder, "/tmp/profd-preload.XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    make_library(expand_folder("@/libprofd.so"));
    make_library(expand_folder("@/libprofd-malloc.so"));
}

static void remove_folder(void)
{
    unlink(expand_folder("@/libprofd.so"));
    unlink(expand_folder("@/libprofd-malloc.so"));
    rmdir(folder);
}

/* AFTER NULL: it goes. */
static const struct {
    const char *before, *after;
    bool lacks_agent;
} rewritten[] = {
    { "/no/libprofd.so", NULL, true },
    { "/no/libprofd-malloc.so:/no/libprofd.so", NULL, true },
    { "/no/libprofd.so.1:@/libprofd.so", "@/libprofd.so", false },
    { "@/libprofd-malloc.so:/no/libprofd.so.1", "@/libprofd-malloc.so", true },
    { "/no/libprofd.so:/no/other.so", "/no/other.so", true },
    { "/no/a.so  /no/libprofd.so:b.so:", "/no/a.so:b.so", true },
    { "/no/libprofd-malloc.so:@/libprofd.so", "@/libprofd.so", false },
    { "@/libprofd-malloc.so:/no/libprofd.so", "@/libprofd-malloc.so", true },
    { "/no/libprofd.so:@/libprofd.so", "@/libprofd.so", false },
    { "@/libprofd.so/libprofd.so:c.so", "c.so", true },
};

START_TEST(what_is_out_of_reach_goes)
{
    static const char variable[] = "LD_PRELOAD=";
    char preload[512];
    snprintf(preload, sizeof(preload), "%s%s", variable, expand_folder(rewritten[_i].before));
    char *environment[] = { "A=1", preload, "B=2", NULL };
    struct preload_look look = preload_look(environment, false);
    ck_assert_uint_gt(look.rewritten_bytes, 0);
    ck_assert_int_eq(look.lacks_agent, rewritten[_i].lacks_agent);

    void *space = malloc(look.rewritten_bytes); /* which memcheck and sanitizers know the end of */
    char *const *out = preload_rewrite(environment, false, space);
    ck_assert_ptr_eq(*out++, environment[0]);
    if (rewritten[_i].after != NULL) {
        ck_assert_int_eq(strncmp(*out, variable, strlen(variable)), 0);
        ck_assert_str_eq(*out++ + strlen(variable), expand_folder(rewritten[_i].after));
    }
    ck_assert_ptr_eq(*out++, environment[2]);
    ck_assert_ptr_null(*out);
    free(space);
}
END_TEST

static const char *untouched[] = {
    "LD_PRELOAD=",
    "LD_PRELOAD=@/libprofd.so",
    "LD_PRELOAD=@/libprofd-malloc.so @/libprofd.so:/no/other.so",
    "LD_PRELOAD=libprofd.so", /* the loader searches for it */
    "LD_PRELOAD=no/libprofd.so",
    "LD_PRELOAD=/no/mylibprofd.so:/no/libprofd.so.10:/no/libprofd.sox",
    "XLD_PRELOAD=/no/libprofd.so",
};

START_TEST(everything_else_stays)
{
    char *environment[] = { "A=1", (char *)expand_folder(untouched[_i]), NULL };
    errno = EXDEV;
    struct preload_look look = preload_look(environment, false);
    ck_assert_uint_eq(look.rewritten_bytes, 0);
    ck_assert(!look.lacks_agent);
    ck_assert_int_eq(errno, EXDEV);
}
END_TEST

START_TEST(no_environment_names_no_library)
{
    char *empty[] = { NULL };
    ck_assert_uint_eq(preload_look(NULL, false).rewritten_bytes, 0);
    ck_assert_uint_eq(preload_look(empty, false).rewritten_bytes, 0);
}
END_TEST

START_TEST(errno_stays_as_it_is)
{
    char *environment[] = { "LD_PRELOAD=/no/libprofd.so", NULL };
    errno = EXDEV;
    ck_assert_uint_gt(preload_look(environment, false).rewritten_bytes, 0);
    ck_assert_int_eq(errno, EXDEV);
}
END_TEST

/* The loader takes the last one; what it never took does not come to count. */
START_TEST(of_two_variables_the_last_one_counts)
{
    char *environment[] = { "LD_PRELOAD=/no/first.so", "LD_PRELOAD=/no/libprofd.so", NULL };
    struct preload_look look = preload_look(environment, false);
    char *const *out = preload_rewrite(environment, false, malloc(look.rewritten_bytes));
    ck_assert_ptr_null(out[0]);
    free((void *)out);
    environment[1] = "LD_PRELOAD=/no/other.so";
    environment[0] = "LD_PRELOAD=/no/libprofd.so";
    ck_assert_uint_eq(preload_look(environment, false).rewritten_bytes, 0);
}
END_TEST

/* COUNT variables and one that is to go. */
static struct preload_look look_at_many(size_t count)
{
    char **environment = calloc(count + 2, sizeof(char *));
    for (size_t i = 0; i < count; i++)
        environment[i] = "A=1";
    environment[count] = "LD_PRELOAD=/no/libprofd.so";
    struct preload_look look = preload_look(environment, false);
    free(environment);
    return look;
}

START_TEST(what_no_stack_has_room_for_stays)
{
    enum { MOST = PRELOAD_MOST_BYTES / sizeof(char *) };
    ck_assert_uint_gt(look_at_many(MOST - 100).rewritten_bytes, 0);
    ck_assert_uint_eq(look_at_many(MOST).rewritten_bytes, 0);
    ck_assert(look_at_many(MOST).lacks_agent);
}
END_TEST

START_TEST(a_program_that_refuses_ours_keeps_the_others)
{
    char variable[512];
    char *environment[] = { variable, NULL };

    snprintf(variable, sizeof(variable), "LD_PRELOAD=%s",
             expand_folder("@/libprofd-malloc.so:@/libprofd.so:/other.so"));
    struct preload_look look = preload_look(environment, true);
    ck_assert(look.lacks_agent);
    ck_assert_uint_gt(look.rewritten_bytes, 0);
    void *space = malloc(look.rewritten_bytes);
    ck_assert_str_eq(preload_rewrite(environment, true, space)[0], "LD_PRELOAD=/other.so");
    free(space);
}
END_TEST

START_TEST(a_path_that_is_too_long_to_be_looked_at_stays)
{
    char preload[2 * PRELOAD_PATH_BYTES] = "LD_PRELOAD=/";
    char *environment[] = { preload, NULL };
    memset(preload + strlen(preload), 'a', PRELOAD_PATH_BYTES);
    strcat(preload, "/libprofd.so");
    ck_assert_uint_eq(preload_look(environment, false).rewritten_bytes, 0);
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("guest.preload");
    TCase *tests = tcase_create("preload");

    tcase_add_unchecked_fixture(tests, make_folder, remove_folder);
    tcase_add_loop_test(tests, what_is_out_of_reach_goes, 0,
                        sizeof(rewritten) / sizeof(rewritten[0]));
    tcase_add_loop_test(tests, everything_else_stays, 0, sizeof(untouched) / sizeof(untouched[0]));
    tcase_add_test(tests, no_environment_names_no_library);
    tcase_add_test(tests, errno_stays_as_it_is);
    tcase_add_test(tests, of_two_variables_the_last_one_counts);
    tcase_add_test(tests, what_no_stack_has_room_for_stays);
    tcase_add_test(tests, a_program_that_refuses_ours_keeps_the_others);
    tcase_add_test(tests, a_path_that_is_too_long_to_be_looked_at_stays);
    suite_add_tcase(suite, tests);
    return suite;
}

int main(void)
{
    return run_suite(make_suite());
}
