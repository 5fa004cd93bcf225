#include <check.h>
#include <stdio.h>
#include <string.h>

#include "profctl/convert/call_samples.h"
#include "profctl/profile/profile_walk.h"
#include "tests/unit/run_suite.h"

/* A thread at a tick of 4 ms. Stacks: 0 main, 1 main;work, 2 main;wait, 3 and 4 the same function
 * at two columns, 5 main;work by another frame, 6 (idle), 7 (garbage collector). */
static const char profile[] =
    "{\"meta\":{\"interval\":4,\"sampleUnits\":{\"threadCPUDelta\":\"ns\"}},\"threads\":[{"
    "\"name\":\"t\",\"stringTable\":[\"main\",\"work\",\"wait\",\"f (a.js:1:2)\",\"f (a.js:1:9)\","
    "\"(idle)\",\"(garbage collector)\"],"
    "\"frameTable\":{\"schema\":{\"location\":0},\"data\":[[0],[1],[2],[3],[4],[1],[5],[6]]},"
    "\"stackTable\":{\"schema\":{\"prefix\":0,\"frame\":1},\"data\":[[null,0],[0,1],[0,2],[null,3],"
    "[null,4],[0,5],[null,6],[null,7]]},"
    "\"samples\":{\"schema\":{\"stack\":0,\"time\":1,\"threadCPUDelta\":2},\"data\":[%s]}}]}";

enum { MOST_TEXT = 4096 };

static struct thread_stacks stacks;
static struct profile_tree tree;
static struct call_samples samples;

static int on_thread(void *owner, const struct profile_thread *thread)
{
    (void)owner;
    ck_assert_int_eq(thread_stacks_take(&stacks, thread), 0);
    ck_assert_int_eq(profile_tree_take(&tree, thread), 0);
    return call_samples_take(&samples, &tree, thread);
}

/* ROWS: [stack, ms, ns of CPU time], … */
static void read_samples(const char *rows)
{
    static const struct profile_walk_events events = { .on_thread = on_thread };
    struct profile_facts facts;
    struct json_reader *reader;
    char text[MOST_TEXT];
    snprintf(text, sizeof(text), profile, rows);
    ck_assert_int_eq(json_reader_open_memory(text, strlen(text), &reader), 0);
    ck_assert_int_eq(profile_walk(reader, &events, NULL, &facts), 0);
    json_reader_close(reader);
}

static void set_up(void)
{
    thread_stacks_init(&stacks);
    profile_tree_init(&tree, &stacks);
    samples = (struct call_samples){ 0 };
}

static void tear_down(void)
{
    call_samples_free(&samples);
    profile_tree_fini(&tree);
    thread_stacks_fini(&stacks);
}

static const struct call_sample *sample_at(size_t index)
{
    ck_assert_uint_lt(index, samples.samples.count);
    return (const struct call_sample *)samples.samples.items + index;
}

static const struct profile_node *node_at(size_t index)
{
    return profile_tree_node(&tree, sample_at(index)->node);
}

START_TEST(paths_are_nodes)
{
    read_samples("[1,0,4e6],[5,4,4e6]");
    ck_assert_uint_eq(sample_at(0)->node, sample_at(1)->node);
    const struct profile_node *work = node_at(0),
                              *main_node = profile_tree_node(&tree, work->parent);
    ck_assert_uint_eq(main_node->parent, PROFILE_TREE_ROOT);
    ck_assert_uint_eq(main_node->first_child, sample_at(0)->node);
    ck_assert_uint_eq(profile_tree_node(&tree, main_node->first_child)->next_sibling,
                      main_node->last_child);
    for (uint32_t i = 0; i < profile_tree_count(&tree); i++)
        ck_assert_uint_eq(profile_tree_node(&tree, i)->id, i + 1);
}
END_TEST

START_TEST(columns_make_nodes_but_no_functions)
{
    read_samples("[3,0,4e6],[4,4,4e6]");
    ck_assert_uint_ne(sample_at(0)->node, sample_at(1)->node);
    ck_assert_uint_eq(node_at(0)->identity, node_at(1)->identity);
    ck_assert_uint_ne(node_at(0)->identity, profile_tree_node(&tree, 1)->identity);
}
END_TEST

START_TEST(meta_nodes_are_known_by_name)
{
    read_samples("[6,0,4e6],[7,4,4e6],[null,8,4e6]");
    ck_assert_int_eq(node_at(0)->kind, PROFILE_NODE_IDLE);
    ck_assert_int_eq(node_at(1)->kind, PROFILE_NODE_GARBAGE_COLLECTOR);
    ck_assert_int_eq(node_at(2)->kind, PROFILE_NODE_PROGRAM);
    ck_assert_uint_eq(node_at(2)->parent, PROFILE_TREE_ROOT);
}
END_TEST

START_TEST(sleep_is_idle_a_tick_later)
{
    read_samples("[1,0,4e6],[1,100,4e6]");
    ck_assert_uint_eq(samples.samples.count, 3);
    ck_assert_int_eq(node_at(1)->kind, PROFILE_NODE_IDLE);
    ck_assert_double_eq(sample_at(1)->time_ms, 4);
}
END_TEST

/* The thread was looked at while it slept, and then at another place. */
START_TEST(a_look_knows_where_it_slept)
{
    read_samples("[0,0,4e6],[2,50,0],[2,100,0],[1,150,4e6]");
    ck_assert_uint_eq(samples.samples.count, 6);
    ck_assert_uint_eq(sample_at(1)->node, profile_tree_of_stack(&tree, 2));
    ck_assert_double_eq(sample_at(1)->time_ms, 4);
    ck_assert_double_eq(sample_at(2)->time_ms, 50);
    ck_assert_double_eq(sample_at(3)->time_ms, 100);
    ck_assert_int_eq(node_at(4)->kind, PROFILE_NODE_IDLE);
    ck_assert_double_eq(sample_at(4)->time_ms, 104);
}
END_TEST

START_TEST(more_than_two_ticks_without_cpu_time_are_sleep)
{
    ck_assert(!call_samples_slept(8, 0, 4));
    ck_assert(call_samples_slept(8.1, 0, 4));
    ck_assert(!call_samples_slept(100, 92, 4));
    ck_assert(call_samples_slept(100, 91, 4));
}
END_TEST

START_TEST(samples_are_sorted_by_time)
{
    read_samples("[1,8,4e6],[0,4,4e6],[2,4,4e6]");
    ck_assert_double_eq(sample_at(0)->time_ms, 4);
    ck_assert_uint_eq(sample_at(0)->node, profile_tree_of_stack(&tree, 0));
    ck_assert_uint_eq(sample_at(1)->node, profile_tree_of_stack(&tree, 2));
    ck_assert_uint_eq(sample_at(2)->node, profile_tree_of_stack(&tree, 1));
}
END_TEST

START_TEST(a_single_program_sample_is_mended)
{
    read_samples("[1,0,4e6],[null,4,4e6],[2,8,4e6],[null,12,4e6],[3,16,4e6],[null,20,4e6],"
                 "[null,24,4e6],[3,28,4e6]");
    call_samples_mend(&samples, &tree);
    ck_assert_uint_eq(sample_at(1)->node, sample_at(0)->node); /* both in main */
    ck_assert_int_eq(node_at(3)->kind, PROFILE_NODE_PROGRAM);
    ck_assert_int_eq(node_at(5)->kind, PROFILE_NODE_PROGRAM);
    ck_assert_int_eq(node_at(6)->kind, PROFILE_NODE_PROGRAM);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("profctl.call_samples");
    TCase *all = tcase_create("all");
    tcase_add_checked_fixture(all, set_up, tear_down);
    tcase_add_test(all, paths_are_nodes);
    tcase_add_test(all, columns_make_nodes_but_no_functions);
    tcase_add_test(all, meta_nodes_are_known_by_name);
    tcase_add_test(all, sleep_is_idle_a_tick_later);
    tcase_add_test(all, a_look_knows_where_it_slept);
    tcase_add_test(all, more_than_two_ticks_without_cpu_time_are_sleep);
    tcase_add_test(all, samples_are_sorted_by_time);
    tcase_add_test(all, a_single_program_sample_is_mended);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
