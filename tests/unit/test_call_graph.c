#include <check.h>
#include <stdlib.h>

#include "profctl/convert/call_graph.h"
#include "tests/unit/run_suite.h"

/* Functions, whose lines do not matter. */
#define MAIN ((struct call_step){ 0, 0 })
#define WORK ((struct call_step){ 1, 0 })
#define LEAF ((struct call_step){ 2, 0 })

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
        const struct call_step path[] = { __VA_ARGS__ };                                           \
        ck_assert_int_eq(call_graph_add(&graph, path, sizeof(path) / sizeof(path[0]), cost), 0);   \
    } while (0)

static void check_edge(size_t index, struct call_step caller, uint32_t callee, uint64_t cost)
{
    const struct call_edge *edges = graph.edges.items;
    ck_assert_uint_lt(index, graph.edges.count);
    ck_assert_uint_eq(edges[index].caller.function, caller.function);
    ck_assert_uint_eq(edges[index].caller.line, caller.line);
    ck_assert_uint_eq(edges[index].callee, callee);
    ck_assert_uint_eq(edges[index].cost, cost);
}

static void check_cost(size_t index, struct call_step at, uint64_t cost)
{
    const struct call_cost *costs = graph.costs.items;
    ck_assert_uint_lt(index, graph.costs.count);
    ck_assert_uint_eq(costs[index].at.function, at.function);
    ck_assert_uint_eq(costs[index].at.line, at.line);
    ck_assert_uint_eq(costs[index].cost, cost);
}

/* One path of as many functions as a file may have; a time that grows with its square is minutes.
 */
START_TEST(a_very_deep_path_is_added_at_once)
{
    enum { DEEP = 1000000 };
    struct call_step *path = malloc(DEEP * sizeof(*path));

    ck_assert_ptr_nonnull(path);
    for (uint32_t i = 0; i < DEEP; i++)
        path[i] = (struct call_step){ i, 0 };
    ck_assert_int_eq(call_graph_add(&graph, path, DEEP, 3), 0);
    ck_assert_uint_eq(graph.edges.count, DEEP - 1);
    check_cost(0, (struct call_step){ DEEP - 1, 0 }, 3);
    free(path);
}
END_TEST

START_TEST(costs_go_to_the_leaf_and_to_each_call_that_led_there)
{
    ADD(5, MAIN, WORK, LEAF);
    ADD(2, MAIN, WORK);
    ADD(1, MAIN, LEAF);
    call_graph_sort(&graph);
    ck_assert_uint_eq(graph.costs.count, 2);
    check_cost(0, WORK, 2);
    check_cost(1, LEAF, 6);
    ck_assert_uint_eq(graph.edges.count, 3);
    check_edge(0, MAIN, WORK.function, 7);
    check_edge(1, MAIN, LEAF.function, 1);
    check_edge(2, WORK, LEAF.function, 5);
}
END_TEST

START_TEST(recursion_counts_once)
{
    ADD(5, MAIN, WORK, WORK, WORK, LEAF);
    ADD(3, MAIN, WORK, LEAF, WORK, LEAF);
    call_graph_sort(&graph);
    check_edge(0, MAIN, WORK.function, 8);
    check_edge(1, WORK, WORK.function, 5);
    check_edge(2, WORK, LEAF.function, 8);
    check_edge(3, LEAF, WORK.function, 3);
}
END_TEST

START_TEST(lines_have_costs_and_calls_of_their_own)
{
    const struct call_step early = { WORK.function, 10 }, late = { WORK.function, 20 };

    ADD(4, MAIN, early);
    ADD(2, MAIN, late);
    ADD(3, MAIN, late, LEAF);
    ADD(1, MAIN, early, late, early); /* recursion, from another line */
    call_graph_sort(&graph);
    ck_assert_uint_eq(graph.costs.count, 3);
    check_cost(0, early, 5);
    check_cost(1, late, 2);
    check_cost(2, LEAF, 3);
    ck_assert_uint_eq(graph.edges.count, 3);
    check_edge(0, MAIN, WORK.function, 10);
    check_edge(1, early, WORK.function, 1);
    check_edge(2, late, LEAF.function, 3);
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
    tcase_add_test(all, lines_have_costs_and_calls_of_their_own);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
