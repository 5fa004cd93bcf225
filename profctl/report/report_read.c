/* Counts a profile into a report, thread by thread. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "profctl/convert/thread_stacks.h"
#include "profctl/profile/profile_walk.h"
#include "profctl/report/report.h"
#include "profctl/report/report_settle.h"

struct report_pass {
    struct report *report;
    struct seen_process root, inner; /* the processes at hand: one has the others in it */
    struct mapped_array seen;        /* struct seen_process, all that were read */
    struct mapped_array weights;     /* struct stack_weight for each stack of the thread at hand */
};

/* --- Threads --- */

static void add_sample(struct report_size *size, bool counts_idle,
                       const struct profile_sample *sample, struct stack_weight *weights)
{
    bool is_ranked = sample->is_active || counts_idle;

    size->samples++;
    size->active_samples += sample->is_active;
    size->ranked_samples += is_ranked;
    size->cpu_ns += sample->cpu_ns;
    if (sample->stack == TABLE_NONE)
        return;
    weights[sample->stack].samples += is_ranked;
    weights[sample->stack].cpu_ns += (uint64_t)sample->weight_ns;
    weights[sample->stack].squares += sample->weight_ns * sample->weight_ns;
}

/* What its samples say, by stack, into the weights. */
static int weigh_stacks(struct report_pass *pass, const struct profile_thread *thread,
                        struct report_size *size)
{
    size_t stacks = thread->tables->stacks.count + 1;
    int error = mapped_array_reserve(&pass->weights, stacks, sizeof(struct stack_weight));

    if (error < 0)
        return error;
    memset(pass->weights.items, 0, stacks * sizeof(struct stack_weight));
    for (size_t i = 0; i < thread->sample_count; i++)
        add_sample(size, pass->report->counts_idle, &thread->samples[i], pass->weights.items);
    size->not_sampled_ns = thread->not_sampled_ns;
    return 0;
}

static void add_size(struct report_size *sum, const struct report_size *size)
{
    sum->samples += size->samples;
    sum->active_samples += size->active_samples;
    sum->ranked_samples += size->ranked_samples;
    sum->cpu_ns += size->cpu_ns;
    sum->not_sampled_ns += size->not_sampled_ns;
}

static void note_process(struct report *report, struct seen_process *seen,
                         struct report_process *process, struct report_thread *thread,
                         const struct report_size *size)
{
    if (seen->group == NULL) {
        seen->group = process;
        process->processes++;
        report->processes++;
    }
    seen->thread = thread;
    seen->samples += size->samples;
    seen->sampled_ns += size->cpu_ns;
}

static int on_thread(void *owner, const struct profile_thread *read)
{
    struct report_pass *pass = owner;
    struct report_size size = { 0 };

    if (profile_thread_is_of_profd(read))
        return 0;
    struct report_process *process = report_find_process(
        pass->report, read->process_name != NULL ? read->process_name : "process");
    struct report_thread *thread =
        process != NULL ? report_find_thread(process, thread_label_name(read)) : NULL;
    int error = thread != NULL ? weigh_stacks(pass, read, &size) : -ENOMEM;
    if (error < 0)
        return error;
    pass->report->knows_cpu |= read->knows_cpu && read->sample_count > 0;
    note_process(pass->report, read->is_of_root ? &pass->root : &pass->inner, process, thread,
                 &size);
    thread->threads++;
    add_size(&thread->size, &size);
    add_size(&process->size, &size);
    add_size(&pass->report->size, &size);
    return size.ranked_samples == 0
               ? 0
               : report_count_functions(thread, read->tables, read->libraries, pass->weights.items);
}

/* --- Processes --- */

static void add_refusals(struct stack_refusals *sum, const struct stack_refusals *told)
{
    if (told->unreadable > 0)
        sum->unreadable += told->unreadable;
    if (told->unasked > 0)
        sum->unasked += told->unasked;
}

static int on_process(void *owner, bool is_root, struct process_log *log)
{
    struct report_pass *pass = owner;
    struct seen_process *seen = is_root ? &pass->root : &pass->inner;
    struct seen_process *place = NULL;

    report_clocks_add(&pass->report->clocks, log);
    add_refusals(&pass->report->refused, &log->refused);
    if (log->lost_blocks > 0)
        pass->report->lost_blocks += log->lost_blocks;
    bool is_wanted = seen->group != NULL;
    if (is_wanted)
        place = mapped_array_push(&pass->seen, sizeof(*place));
    if (place != NULL) {
        *place = *seen;
        place->log = *log;
        process_log_init(log);
    }
    *seen = (struct seen_process){ 0 };
    return is_wanted && place == NULL ? -ENOMEM : 0;
}

static const struct profile_walk_events events = { .on_thread = on_thread,
                                                   .on_process = on_process };

int report_read(struct json_reader *reader, bool count_idle, struct report *out)
{
    struct report_pass pass = { .report = out };
    struct profile_facts facts;

    *out = (struct report){ .counts_idle = count_idle };
    int error = profile_walk(reader, &events, &pass, &facts);
    out->clocks.asked_ns = facts.asked_ns;
    if (error == 0)
        error = report_settle(out, &pass.seen);
    seen_processes_free(&pass.seen);
    mapped_array_free(&pass.weights);
    if (error == 0)
        report_sort(out);
    return error;
}
