/* The report on the tree of calls, as text and as JSON. */
#include <string.h>

#include "common/time_units.h"
#include "profctl/report/report_output.h"
#include "profctl/report/tree_report.h"
#include "profctl/units.h"

/* What is less than this share of all is left out of the text. */
static const double least_share = 0.005;

/* A call that has this share of what its caller has is no branch: it is printed at the same depth.
 */
static const double straight_share = 0.95;

enum { DEEPEST_INDENTATION = 60 };

/* A way through the tree, without recursion: stacks may be as deep as they like. */
struct walk {
    const struct tree_report *report;
    uint64_t top;
    FILE *out;
};

static double cost_of(const struct tree_report *report, const struct stack_sum *sum)
{
    return report->is_by_samples ? (double)sum->samples : (double)sum->cpu_ns / NS_PER_MS;
}

static double share_of(const struct tree_report *report, const struct stack_sum *sum)
{
    double all = cost_of(report, &report->tree.total);

    return all > 0 ? cost_of(report, sum) / all : 0;
}

static void print_node(const struct walk *walk, const struct call_tree_node *node, int depth)
{
    int indentation = depth < DEEPEST_INDENTATION ? depth : DEEPEST_INDENTATION;

    fprintf(walk->out, "%12.1f%8.1f", cost_of(walk->report, &node->total),
            100 * share_of(walk->report, &node->total));
    if (walk->report->direction == TREE_CALLEES)
        fprintf(walk->out, "%12.1f%8.1f", cost_of(walk->report, &node->self),
                100 * share_of(walk->report, &node->self));
    fprintf(walk->out, "  %*s", 2 * indentation, "");
    report_put_name(&walk->report->stacks.names, node->name, walk->out);
    putc('\n', walk->out);
}

static bool is_shown(const struct tree_report *report, uint32_t index)
{
    return index != CALL_TREE_NONE &&
           share_of(report, &call_tree_node(&report->tree, index)->total) >= least_share;
}

/* How much deeper the children of NODE stand. */
static int child_step(const struct tree_report *report, const struct call_tree_node *node)
{
    if (node->parent == CALL_TREE_NONE || node->first_child == CALL_TREE_NONE)
        return 1;
    const struct call_tree_node *child = call_tree_node(&report->tree, node->first_child);
    return cost_of(report, &child->total) < straight_share * cost_of(report, &node->total);
}

/* How many of those before NODE, among its siblings and with itself, have been shown. */
static uint64_t place_among_siblings(const struct tree_report *report, uint32_t index)
{
    const struct call_tree_node *node = call_tree_node(&report->tree, index);
    uint32_t at = node->parent != CALL_TREE_NONE
                      ? call_tree_node(&report->tree, node->parent)->first_child
                      : report->tree.first;
    uint64_t place = 1;

    for (; at != index; at = call_tree_node(&report->tree, at)->next)
        place++;
    return place;
}

/* The node that is shown behind INDEX, at *DEPTH; CALL_TREE_NONE: it was the last. */
static uint32_t next_shown(const struct walk *walk, uint32_t index, int *depth)
{
    const struct tree_report *report = walk->report;
    const struct call_tree_node *node = call_tree_node(&report->tree, index);

    if (is_shown(report, node->first_child)) {
        *depth += child_step(report, node);
        return node->first_child;
    }
    while (!is_shown(report, node->next) || place_among_siblings(report, index) >= walk->top) {
        index = node->parent;
        if (index == CALL_TREE_NONE)
            return CALL_TREE_NONE;
        node = call_tree_node(&report->tree, index);
        *depth -= child_step(report, node);
    }
    return node->next;
}

static void print_heading(const struct tree_report *report, const char *file, FILE *out)
{
    char count[UNITS_TEXT_BYTES];

    fprintf(out, "%s: %s samples, %.1f ms of CPU time; %s\n\n", file,
            units_format_count(report->tree.total.samples, count),
            (double)report->tree.total.cpu_ns / NS_PER_MS,
            report->direction == TREE_CALLEES ? "who called whom"
                                              : "where it was spent, and who called that");
    fputs(report->is_by_samples ? "     samples       %" : "    total ms       %", out);
    if (report->direction == TREE_CALLEES)
        fputs(report->is_by_samples ? "        self       %" : "     self ms       %", out);
    fputs("  call\n", out);
}

/* What is told of those that are too small to be shown. */
static void print_left_out(const struct tree_report *report, FILE *out)
{
    uint64_t left_out = 0;
    char count[UNITS_TEXT_BYTES];

    for (uint32_t i = 0; i < report->tree.nodes.count; i++)
        left_out += !is_shown(report, i);
    if (left_out > 0)
        fprintf(out, "%s calls of less than %.1f%% each are omitted; --json has them\n",
                units_format_count(left_out, count), 100 * least_share);
}

void tree_report_print_text(const struct tree_report *report, const char *file, uint64_t top,
                            FILE *out)
{
    const struct walk walk = { report, top, out };
    uint32_t at = report->tree.first;
    int depth = 0;

    print_heading(report, file, out);
    if (!is_shown(report, at))
        at = CALL_TREE_NONE;
    for (; at != CALL_TREE_NONE; at = next_shown(&walk, at, &depth))
        print_node(&walk, call_tree_node(&report->tree, at), depth);
    print_left_out(report, out);
}

/* --- JSON --- */

static void put_sum(struct json_writer *json, const char *samples, const char *ms,
                    const struct stack_sum *sum)
{
    json_u64_property(json, samples, sum->samples);
    json_double_property(json, ms, (double)sum->cpu_ns / NS_PER_MS);
}

static void put_node(struct json_writer *json, const struct tree_report *report, uint32_t index)
{
    const struct call_tree_node *node = call_tree_node(&report->tree, index);

    json_start_object(json);
    report_json_name(json, "name", &report->stacks.names, node->name);
    if (node->parent != CALL_TREE_NONE)
        json_u64_property(json, "parent", node->parent);
    else
        json_null_property(json, "parent");
    put_sum(json, "self", "selfMs", &node->self);
    put_sum(json, "total", "totalMs", &node->total);
    json_end_object(json);
}

int tree_report_print_json(const struct tree_report *report, const char *file, FILE *out)
{
    struct report_json json;
    struct json_writer *writer = &json.writer;

    report_json_begin(&json, out);
    json_string_property(writer, "file", file);
    json_string_property(writer, "direction",
                         report->direction == TREE_CALLEES ? "callees" : "callers");
    put_sum(writer, "samples", "cpuMs", &report->tree.total);
    json_start_array_property(writer, "nodes");
    for (size_t i = 0; i < report->tree.nodes.count; i++)
        put_node(writer, report, (uint32_t)i);
    json_end_array(writer);
    return report_json_end(&json, out);
}
