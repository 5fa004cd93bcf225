#include "profctl/report/report_diff.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "profctl/report/significance.h"
#include "profctl/report/top_table.h"

/* What was seen of a function, or of all, on one side. */
struct seen_amount {
    double amount, squares; /* squares: of what each sample stands for */
    uint64_t samples;
};

/* --- Amounts --- */

/* As many samples of equal weight as know the amount as well. */
static double equal_samples(const struct seen_amount *seen)
{
    return seen->squares > 0 ? seen->amount * seen->amount / seen->squares : 0;
}

/* What one of those stands for; where there are none, one of OTHERS. */
static double weight_of(const struct seen_amount *seen, const struct seen_amount *others)
{
    return seen->amount > 0 ? seen->squares / seen->amount : others->squares / others->amount;
}

static struct seen_amount self_of(const struct function_count *count, bool is_by_cpu)
{
    if (!is_by_cpu)
        return (struct seen_amount){ (double)count->self, (double)count->self, count->self };
    return (struct seen_amount){ (double)count->self_ns, count->self_squares, count->self };
}

static struct seen_amount total_of(const struct function_count *count, bool is_by_cpu)
{
    if (!is_by_cpu)
        return (struct seen_amount){ (double)count->total, (double)count->total, count->total };
    return (struct seen_amount){ (double)count->total_ns, count->total_squares, count->total };
}

/* All of one side: each sample is the self of one function. */
static struct seen_amount sum_of(const struct report_thread *thread, bool is_by_cpu)
{
    const struct function_count *counts = thread->counts.items;
    struct seen_amount sum = { 0 };

    for (size_t i = 0; i < thread->counts.count; i++) {
        struct seen_amount self = self_of(&counts[i], is_by_cpu);
        sum.amount += self.amount;
        sum.squares += self.squares;
        sum.samples += self.samples;
    }
    return sum;
}

/* --- Measures --- */

/* Both sides of what is compared. */
struct pair {
    struct seen_amount sides[DIFF_SIDES];
};

static uint64_t rounded_count(double number)
{
    return (uint64_t)(number + 0.5);
}

static uint64_t clamp_count(uint64_t number, uint64_t most)
{
    return number < most ? number : most;
}

/* Of equal CPU times, the side whose samples stand for less has more of them. */
static double test_amounts(const struct pair *seen, const struct pair *all)
{
    double before_weight = weight_of(&seen->sides[DIFF_BEFORE], &all->sides[DIFF_BEFORE]);
    double after_weight = weight_of(&seen->sides[DIFF_AFTER], &all->sides[DIFF_AFTER]);

    return significance_of_rates(rounded_count(equal_samples(&seen->sides[DIFF_BEFORE])),
                                 rounded_count(equal_samples(&seen->sides[DIFF_AFTER])),
                                 after_weight / (before_weight + after_weight));
}

static double test_shares(const struct pair *seen, const struct pair *all)
{
    uint64_t kind[DIFF_SIDES], of[DIFF_SIDES];

    for (int side = 0; side < DIFF_SIDES; side++) {
        of[side] = rounded_count(all->sides[side].amount /
                                 weight_of(&seen->sides[side], &all->sides[side]));
        kind[side] = clamp_count(rounded_count(equal_samples(&seen->sides[side])), of[side]);
    }
    return significance_of_shares(kind[DIFF_BEFORE], of[DIFF_BEFORE], kind[DIFF_AFTER],
                                  of[DIFF_AFTER]);
}

static struct diff_measure measure_pair(const struct report_diff *diff, const struct pair *seen,
                                        const struct pair *all)
{
    struct diff_measure measure = { .probability = 1 };
    double samples = 0;

    for (int side = 0; side < DIFF_SIDES; side++) {
        measure.amount[side] = seen->sides[side].amount;
        measure.samples[side] = seen->sides[side].samples;
        if (diff->sampled[side] > 0)
            measure.share[side] = measure.amount[side] / diff->sampled[side];
        samples += equal_samples(&seen->sides[side]);
    }
    const double *compared = diff->compares_shares ? measure.share : measure.amount;
    measure.change = compared[DIFF_AFTER] - compared[DIFF_BEFORE];
    if (samples < REPORT_DIFF_FEWEST_SAMPLES || diff->sampled[DIFF_BEFORE] <= 0 ||
        diff->sampled[DIFF_AFTER] <= 0)
        return measure;
    measure.verdict = DIFF_CHANCE;
    measure.probability = (diff->compares_shares ? test_shares : test_amounts)(seen, all);
    return measure;
}

/* --- Functions --- */

/* What there is of the function at INDEX of SIDE, and at OTHER_INDEX of the other side, which is
 * UNIQUE_NONE where it is not there. */
static int add_function(struct report_diff *diff, const struct pair *all, enum diff_side side,
                        uint32_t index, uint32_t other_index)
{
    const struct report_thread *threads[DIFF_SIDES] = { top_table_thread(&diff->tables[0]),
                                                        top_table_thread(&diff->tables[1]) };
    struct function_diff *function = mapped_array_push(&diff->functions, sizeof(*function));
    struct pair self = { 0 }, total = { 0 };

    if (function == NULL)
        return -ENOMEM;
    *function = (struct function_diff){ 0 };
    function->name = unique_strings_get(&threads[side]->functions, index, &function->length);
    for (enum diff_side at = DIFF_BEFORE; at < DIFF_SIDES; at++) {
        uint32_t place = at == side ? index : other_index;
        if (place == UNIQUE_NONE)
            continue;
        const struct function_count *count =
            (const struct function_count *)threads[at]->counts.items + place;
        function->is_in[at] = true;
        self.sides[at] = self_of(count, diff->is_by_cpu);
        total.sides[at] = total_of(count, diff->is_by_cpu);
    }
    function->self = measure_pair(diff, &self, all);
    function->total = measure_pair(diff, &total, all);
    return 0;
}

static int match_functions(struct report_diff *diff, const struct pair *all)
{
    const struct report_thread *before = top_table_thread(&diff->tables[DIFF_BEFORE]);
    const struct report_thread *after = top_table_thread(&diff->tables[DIFF_AFTER]);
    const char *name;
    size_t length;
    int error = 0;

    for (uint32_t i = 0; error == 0 && i < before->counts.count; i++) {
        name = unique_strings_get(&before->functions, i, &length);
        error = add_function(diff, all, DIFF_BEFORE, i,
                             unique_strings_find(&after->functions, name, length));
    }
    for (uint32_t i = 0; error == 0 && i < after->counts.count; i++) {
        name = unique_strings_get(&after->functions, i, &length);
        if (unique_strings_find(&before->functions, name, length) == UNIQUE_NONE)
            error = add_function(diff, all, DIFF_AFTER, i, UNIQUE_NONE);
    }
    return error;
}

/* --- All together --- */

/* Two for each function. */
static struct diff_measure *measure_at(const struct report_diff *diff, size_t index)
{
    struct function_diff *function = (struct function_diff *)diff->functions.items + index / 2;

    return index % 2 == 0 ? &function->self : &function->total;
}

/* What was tested is many comparisons, any of which may be large by chance. */
static int correct_all(struct report_diff *diff)
{
    size_t measures = 2 * diff->functions.count;
    double *probabilities = malloc((measures + 1) * sizeof(*probabilities));

    if (probabilities == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < measures; i++) {
        if (measure_at(diff, i)->verdict != DIFF_TOO_FEW)
            probabilities[diff->comparisons++] = measure_at(diff, i)->probability;
    }
    int error = significance_correct(probabilities, diff->comparisons);
    for (size_t i = 0, next = 0; error == 0 && i < measures; i++) {
        struct diff_measure *measure = measure_at(diff, i);
        if (measure->verdict == DIFF_TOO_FEW)
            continue;
        measure->probability = probabilities[next++];
        if (measure->probability < REPORT_DIFF_LEVEL)
            measure->verdict = DIFF_SIGNIFICANT;
    }
    free(probabilities);
    return error;
}

static int weight_of_verdicts(const struct function_diff *function)
{
    return 2 * (function->self.verdict == DIFF_SIGNIFICANT) +
           (function->total.verdict == DIFF_SIGNIFICANT);
}

static int compare_names(const struct function_diff *a, const struct function_diff *b)
{
    int order = memcmp(a->name, b->name, a->length < b->length ? a->length : b->length);

    return order != 0 ? order : (a->length > b->length) - (a->length < b->length);
}

static bool is_first(const void *left, const void *right)
{
    const struct function_diff *a = left, *b = right;
    double a_self = fabs(a->self.change), b_self = fabs(b->self.change);
    double a_total = fabs(a->total.change), b_total = fabs(b->total.change);

    if (weight_of_verdicts(a) != weight_of_verdicts(b))
        return weight_of_verdicts(a) > weight_of_verdicts(b);
    if (a_self != b_self)
        return a_self > b_self;
    return a_total != b_total ? a_total > b_total : compare_names(a, b) < 0;
}

/* Nothing was sampled, so nothing can be said against it. */
static bool fits_any(const struct report *report)
{
    return report->size.samples == 0;
}

int report_diff_make(const struct report *before, const struct report *after, bool compare_shares,
                     struct report_diff *out)
{
    *out = (struct report_diff){ .is_by_cpu = report_is_by_cpu(fits_any(before) ? after : before) };
    out->compares_shares = compare_shares || !out->is_by_cpu;
    if (!fits_any(after) && report_is_by_cpu(after) != out->is_by_cpu)
        return -EINVAL;
    int error = top_table_make(before, &out->tables[DIFF_BEFORE]);
    if (error == 0)
        error = top_table_make(after, &out->tables[DIFF_AFTER]);
    if (error < 0)
        return error;
    struct pair all;
    for (int side = 0; side < DIFF_SIDES; side++) {
        all.sides[side] = sum_of(top_table_thread(&out->tables[side]), out->is_by_cpu);
        out->sampled[side] = all.sides[side].amount;
    }
    error = match_functions(out, &all);
    if (error == 0)
        error = correct_all(out);
    if (error == 0)
        mapped_array_sort(&out->functions, sizeof(struct function_diff), is_first);
    return error;
}

void report_diff_free(struct report_diff *diff)
{
    report_free(&diff->tables[DIFF_BEFORE]);
    report_free(&diff->tables[DIFF_AFTER]);
    mapped_array_free(&diff->functions);
}
