#include <check.h>
#include <stdlib.h>

#include "profctl/convert/call_graph.h"

enum { MAIN, WORK, LEAF };

static struct call_graph graph;

static void set_up(void)
{
    call_graph_init(&graph);
}

static void tear_down(void)
{
    call_graph_fini(&graph);
}

#define ADD(cost, ...)                                                                             \
    do {                                                                                           \
        const uint32_t path[] = { __VA_ARGS__ };                                                   \
        ck_assert_int_eq(call_graph_add(&graph, path, sizeof(path) / sizeof(path[0]), cost), 0);   \
    } while (0)

static void check_edge(size_t index, uint32_t caller, uint32_t callee, uint64_t cost)
{
    const struct call_edge *edges = graph.edges.items;
    ck_assert_uint_lt(index, graph.edges.count);
    ck_assert_uint_eq(edges[index].caller, caller);
    ck_assert_uint_eq(edges[index].callee, callee);
    ck_assert_uint_eq(edges[index].cost, cost);
}

/* One path of as many functions as a file may have; a time that grows with its square is minutes.
 */
START_TEST(a_very_deep_path_is_added_at_once)
{
    enum { DEEP = 1000000 };
    uint32_t *path = malloc(DEEP * sizeof(*path));

    ck_assert_ptr_nonnull(path);
    for (uint32_t i = 0; i < DEEP; i++)
        path[i] = i;
    ck_assert_int_eq(call_graph_add(&graph, path, DEEP, 3), 0);
    ck_assert_uint_eq(graph.edges.count, DEEP - 1);
    ck_assert_uint_eq(call_graph_self(&graph, DEEP - 1), 3);
    free(path);
}
END_TEST

START_TEST(costs_go_to_the_leaf_and_to_each_call_that_led_there)
{
    ADD(5, MAIN, WORK, LEAF);
    ADD(2, MAIN, WORK);
    ADD(1, MAIN, LEAF);
    call_graph_sort(&graph);
    ck_assert_uint_eq(call_graph_self(&graph, MAIN), 0);
    ck_assert_uint_eq(call_graph_self(&graph, WORK), 2);
    ck_assert_uint_eq(call_graph_self(&graph, LEAF), 6);
    ck_assert_uint_eq(call_graph_self(&graph, 99), 0);
    ck_assert_uint_eq(graph.edges.count, 3);
    check_edge(0, MAIN, WORK, 7);
    check_edge(1, MAIN, LEAF, 1);
    check_edge(2, WORK, LEAF, 5);
}
END_TEST

START_TEST(recursion_counts_once)
{
    ADD(5, MAIN, WORK, WORK, WORK, LEAF);
    ADD(3, MAIN, WORK, LEAF, WORK, LEAF);
    call_graph_sort(&graph);
    check_edge(0, MAIN, WORK, 8);
    check_edge(1, WORK, WORK, 5);
    check_edge(2, WORK, LEAF, 8);
    check_edge(3, LEAF, WORK, 3);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("profctl.call_graph");
    TCase *all = tcase_create("all");
    tcase_add_checked_fixture(all, set_up, tear_down);
    tcase_add_test(all, a_very_deep_path_is_added_at_once);
    tcase_add_test(all, costs_go_to_the_leaf_and_to_each_call_that_led_there);
    tcase_add_test(all, recursion_counts_once);
    suite_add_tcase(suite, all);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
