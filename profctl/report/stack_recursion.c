#include "profctl/report/stack_recursion.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "json/unique_strings.h"

/* The stacks as a tree from callers to callees, and the way through it. */
struct visit {
    const struct thread_tables *tables;
    uint32_t first_root;
    uint32_t *first_callee, *next_sibling; /* of each stack; TABLE_NONE: there is none */
    const uint32_t *functions;
    uint32_t
        *outermost; /* of each function, the stack on the way that ends in it; TABLE_NONE: none */
    bool *is_recursion;
};

static uint32_t caller_of(const struct visit *visit, uint32_t stack)
{
    return thread_tables_stack(visit->tables, stack)->prefix;
}

static void link_stacks(struct visit *visit)
{
    for (uint32_t i = (uint32_t)visit->tables->stacks.count; i-- > 0;) {
        uint32_t caller = caller_of(visit, i);
        uint32_t *first = caller != TABLE_NONE ? &visit->first_callee[caller] : &visit->first_root;

        visit->next_sibling[i] = *first;
        *first = i;
    }
}

static void enter_stack(struct visit *visit, uint32_t stack)
{
    uint32_t function = visit->functions[stack];

    visit->is_recursion[stack] =
        function != UNIQUE_NONE && visit->outermost[function] != TABLE_NONE;
    if (function != UNIQUE_NONE && !visit->is_recursion[stack])
        visit->outermost[function] = stack;
}

static void leave_stack(struct visit *visit, uint32_t stack)
{
    if (visit->functions[stack] != UNIQUE_NONE && !visit->is_recursion[stack])
        visit->outermost[visit->functions[stack]] = TABLE_NONE;
}

/* Where the way goes from STACK, whose callees were visited if it has any; TABLE_NONE: it ends. */
static uint32_t next_stack(struct visit *visit, uint32_t stack)
{
    while (stack != TABLE_NONE) {
        leave_stack(visit, stack);
        if (visit->next_sibling[stack] != TABLE_NONE)
            return visit->next_sibling[stack];
        stack = caller_of(visit, stack);
    }
    return TABLE_NONE;
}

static void visit_all(struct visit *visit)
{
    uint32_t stack = visit->first_root;

    while (stack != TABLE_NONE) {
        enter_stack(visit, stack);
        stack = visit->first_callee[stack] != TABLE_NONE ? visit->first_callee[stack]
                                                         : next_stack(visit, stack);
    }
}

/* COUNT times TABLE_NONE; NULL without memory. */
static uint32_t *make_empty(size_t count)
{
    uint32_t *numbers = malloc((count + 1) * sizeof(*numbers));

    if (numbers != NULL)
        memset(numbers, 0xff, (count + 1) * sizeof(*numbers));
    return numbers;
}

int stack_recursion_mark(const struct thread_tables *tables, const uint32_t *functions,
                         uint32_t function_count, bool *is_recursion)
{
    struct visit visit = {
        .tables = tables,
        .first_root = TABLE_NONE,
        .first_callee = make_empty(tables->stacks.count),
        .next_sibling = make_empty(tables->stacks.count),
        .functions = functions,
        .outermost = make_empty(function_count),
        .is_recursion = is_recursion,
    };
    bool has_room =
        visit.first_callee != NULL && visit.next_sibling != NULL && visit.outermost != NULL;

    if (has_room) {
        link_stacks(&visit);
        visit_all(&visit);
    }
    free(visit.first_callee);
    free(visit.next_sibling);
    free(visit.outermost);
    return has_room ? 0 : -ENOMEM;
}
