/* profctl.call_tree: sums of paths, and the order of calls. */
#include <check.h>

#include "profctl/convert/call_tree.h"
#include "tests/unit/run_suite.h"

static struct call_tree tree;

static void set_up(void)
{
    call_tree_init(&tree);
}

static void tear_down(void)
{
    call_tree_fini(&tree);
}

/* CPU time was spent in the last of the names of PATH, which ends with 0; returns its node. */
static uint32_t spend_time(const uint32_t *path, uint64_t cpu_ns)
{
    const struct stack_sum sum = { .samples = 1, .cpu_ns = cpu_ns };
    uint32_t node = CALL_TREE_NONE;
    for (; *path != 0; path++)
        node = call_tree_child(&tree, node, *path);
    call_tree_spend(&tree, node, &sum);
    return node;
}

START_TEST(totals_have_what_was_spent_inside)
{
    uint32_t main = spend_time((uint32_t[]){ 1, 0 }, 5);
    uint32_t slow = spend_time((uint32_t[]){ 1, 3, 2, 0 }, 70);
    uint32_t quick = spend_time((uint32_t[]){ 1, 2, 0 }, 10);
    ck_assert_uint_eq(spend_time((uint32_t[]){ 1, 2, 0 }, 15), quick);
    ck_assert_uint_ne(slow, quick);
    ck_assert_int_eq(call_tree_settle(&tree, false), 0);
    ck_assert_uint_eq(tree.first, main);
    ck_assert_uint_eq(tree.total.cpu_ns, 100);
    ck_assert_uint_eq(tree.total.samples, 4);
    const struct call_tree_node *node = call_tree_node(&tree, main);
    ck_assert_uint_eq(node->self.cpu_ns, 5);
    ck_assert_uint_eq(node->total.cpu_ns, 100);
    const struct call_tree_node *first = call_tree_node(&tree, node->first_child);
    ck_assert_uint_eq(first->name, 3);
    ck_assert_uint_eq(first->total.cpu_ns, 70);
    ck_assert_uint_eq(first->self.samples, 0);
    ck_assert_uint_eq(first->first_child, slow);
    ck_assert_uint_eq(first->next, quick);
    ck_assert_uint_eq(call_tree_node(&tree, quick)->next, CALL_TREE_NONE);
}
END_TEST

START_TEST(samples_decide_where_time_is_not_known)
{
    uint32_t rare = spend_time((uint32_t[]){ 1, 0 }, 0),
             often = spend_time((uint32_t[]){ 2, 0 }, 0);
    spend_time((uint32_t[]){ 2, 0 }, 0);
    ck_assert_int_eq(call_tree_settle(&tree, true), 0);
    ck_assert_uint_eq(tree.first, often);
    ck_assert_uint_eq(call_tree_node(&tree, often)->next, rare);
}
END_TEST

START_TEST(an_empty_tree_has_nothing)
{
    ck_assert_int_eq(call_tree_settle(&tree, false), 0);
    ck_assert_uint_eq(tree.first, CALL_TREE_NONE);
    ck_assert_uint_eq(tree.total.samples, 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("call_tree");
    TCase *adding = tcase_create("adding");
    tcase_add_checked_fixture(adding, set_up, tear_down);
    tcase_add_test(adding, totals_have_what_was_spent_inside);
    tcase_add_test(adding, samples_decide_where_time_is_not_known);
    tcase_add_test(adding, an_empty_tree_has_nothing);
    suite_add_tcase(suite, adding);
    return run_suite(suite);
}
