#include <check.h>
#include <string.h>

#include "profctl/convert/page_stacks.h"
#include "tests/unit/run_suite.h"

/* Two threads: main calls work in both, in tables of another order; and main calls idle, of which
 * there is no sample. */
static const char profile[] =
    "{\"meta\":{\"interval\":1},\"threads\":["
    "{\"name\":\"GeckoMain\",\"stringTable\":[\"main\",\"work\",\"idle\"],"
    "\"frameTable\":{\"schema\":{\"location\":0},\"data\":[[0],[1],[2]]},"
    "\"stackTable\":{\"schema\":{\"prefix\":0,\"frame\":1},\"data\":[[null,0],[0,2],[0,1]]},"
    "\"samples\":{\"schema\":{\"stack\":0,\"time\":1},\"data\":[[2,1],[null,2]]}},"
    "{\"name\":\"worker\",\"stringTable\":[\"work\",\"main\"],"
    "\"frameTable\":{\"schema\":{\"location\":0},\"data\":[[0],[1]]},"
    "\"stackTable\":{\"schema\":{\"prefix\":0,\"frame\":1},\"data\":[[null,1],[0,0],[1,0]]},"
    "\"samples\":{\"schema\":{\"stack\":0,\"time\":1},\"data\":[[1,1],[2,2]]}}]}";

struct taken {
    struct thread_stacks names;
    struct page_stacks stacks;
    uint32_t number_of_sample[2]; /* of the first sample of each thread */
    size_t threads;
};

static int on_thread(void *owner, const struct profile_thread *thread)
{
    struct taken *taken = owner;

    ck_assert_int_eq(thread_stacks_take(&taken->names, thread), 0);
    ck_assert_int_eq(page_stacks_take(&taken->stacks, &taken->names, thread), 0);
    taken->number_of_sample[taken->threads++] =
        page_stacks_number(&taken->stacks, thread->samples[0].stack);
    return 0;
}

static void check_name(const struct taken *taken, uint32_t number, const char *expected)
{
    size_t length;
    const char *name = unique_strings_get(&taken->names.names,
                                          page_stacks_at(&taken->stacks, number).name, &length);
    ck_assert_uint_eq(length, strlen(expected));
    ck_assert_mem_eq(name, expected, length);
}

START_TEST(threads_share_stacks_of_the_same_functions)
{
    static const struct profile_walk_events events = { .on_thread = on_thread };
    struct taken taken = { 0 };
    struct profile_facts facts;
    struct json_reader *reader;

    thread_stacks_init(&taken.names);
    page_stacks_init(&taken.stacks);
    ck_assert_int_eq(json_reader_open_memory(profile, strlen(profile), &reader), 0);
    ck_assert_int_eq(profile_walk(reader, &events, &taken, &facts), 0);
    ck_assert_uint_eq(taken.threads, 2);
    ck_assert_uint_eq(taken.number_of_sample[0], taken.number_of_sample[1]);

    /* Without idle, and with work that calls itself. */
    ck_assert_uint_eq(page_stacks_count(&taken.stacks), 3);
    ck_assert_uint_eq(page_stacks_at(&taken.stacks, 0).prefix, TABLE_NONE);
    ck_assert_uint_eq(page_stacks_at(&taken.stacks, 1).prefix, 0);
    ck_assert_uint_eq(page_stacks_at(&taken.stacks, 2).prefix, 1);
    check_name(&taken, 0, "main");
    check_name(&taken, 1, "work");
    check_name(&taken, 2, "work");
    json_reader_close(reader);
    page_stacks_fini(&taken.stacks);
    thread_stacks_fini(&taken.names);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("profctl.page_stacks");
    TCase *all = tcase_create("all");
    tcase_add_test(all, threads_share_stacks_of_the_same_functions);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
