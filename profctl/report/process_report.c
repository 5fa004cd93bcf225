#include "profctl/report/process_report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/time_units.h"
#include "profctl/profile/profile_walk.h"

static const char unnamed[] = "(unnamed process)";

/* --- Reading --- */

static int on_thread(void *owner, const struct profile_thread *thread)
{
    struct process_report *report = owner;

    if (profile_thread_is_of_profd(thread))
        return 0;
    char **name = thread->is_of_root ? &report->root_name : &report->inner_name;
    *(thread->is_of_root ? &report->root_ms : &report->inner_ms) +=
        profile_thread_cpu_ns(thread) / NS_PER_MS;
    free(*name);
    *name = strdup(thread->process_name != NULL ? thread->process_name : unnamed);
    return *name != NULL ? 0 : -ENOMEM;
}

static uint32_t number_name(struct process_report *report, const char *name)
{
    return name != NULL ? unique_strings_add(&report->names, name, strlen(name)) : UNIQUE_NONE;
}

static int add_life(struct process_report *report, const char *name, const struct process_log *log,
                    double recorded_ms)
{
    const char *command = process_log_command_line(log);
    struct process_life *life = mapped_array_push(&report->lives, sizeof(*life));

    if (life == NULL)
        return -ENOMEM;
    *life = process_life_of(log);
    life->recorded_ms = recorded_ms;
    life->program = number_name(report, name);
    life->verdict = number_name(report, log->verdict);
    life->command = command != NULL ? strndup(command, PROCESS_COMMAND_MAX_BYTES) : NULL;
    if (command != NULL && life->command == NULL)
        return -ENOMEM;
    return failure_latch_error(&report->latch);
}

static int on_process(void *owner, bool is_root, struct process_log *log)
{
    struct process_report *report = owner;
    char **name = is_root ? &report->root_name : &report->inner_name;
    double *recorded_ms = is_root ? &report->root_ms : &report->inner_ms;
    int error = *name != NULL ? add_life(report, *name, log, *recorded_ms) : 0;

    *recorded_ms = 0;
    free(*name);
    *name = NULL;
    return error;
}

/* --- By program --- */

static bool is_before_in_program(const void *left, const void *right)
{
    const struct process_life *a = left, *b = right;

    if (a->program != b->program)
        return a->program < b->program;
    if (a->wall_ms != b->wall_ms)
        return a->wall_ms > b->wall_ms;
    return a->start_ms != b->start_ms ? a->start_ms < b->start_ms : a->pid < b->pid;
}

static bool has_more_cpu(const void *left, const void *right)
{
    const struct program_lives *a = left, *b = right;

    if (a->cpu_ms != b->cpu_ms)
        return a->cpu_ms > b->cpu_ms;
    return a->count != b->count ? a->count > b->count : a->program < b->program;
}

/* How long those took of which SHARE were quicker; LIVES are sorted, the longest first. */
static double find_quantile(const struct process_life *lives, size_t ended, double share)
{
    size_t index = (size_t)((double)ended * (1 - share));

    return ended > 0 ? lives[index < ended ? index : ended - 1].wall_ms : -1;
}

static int add_program(struct process_report *report, size_t first, size_t count)
{
    const struct process_life *lives = (struct process_life *)report->lives.items + first;
    struct program_lives *program = mapped_array_push(&report->programs, sizeof(*program));

    if (program == NULL)
        return -ENOMEM;
    *program = (struct program_lives){
        .program = lives->program, .first = first, .count = count, .cpu_ms = -1
    };
    for (size_t i = 0; i < count; i++) {
        program->ended += lives[i].wall_ms >= 0;
        program->is_least_cpu |= lives[i].is_least_cpu;
        if (lives[i].cpu_ms >= 0)
            program->cpu_ms = lives[i].cpu_ms + (program->cpu_ms > 0 ? program->cpu_ms : 0);
    }
    program->median_ms = find_quantile(lives, program->ended, 0.5);
    program->p99_ms = find_quantile(lives, program->ended, 0.99);
    program->longest_ms = find_quantile(lives, program->ended, 1);
    return 0;
}

static int group_by_program(struct process_report *report)
{
    const struct process_life *lives = report->lives.items;
    size_t total = report->lives.count, end;
    int error = 0;

    process_lives_settle(report->lives.items, total);
    mapped_array_sort(&report->lives, sizeof(struct process_life), is_before_in_program);
    for (size_t first = 0; first < total && error == 0; first = end) {
        for (end = first + 1; end < total && lives[end].program == lives[first].program;)
            end++;
        error = add_program(report, first, end - first);
    }
    mapped_array_sort(&report->programs, sizeof(struct program_lives), has_more_cpu);
    return error;
}

int process_report_read(struct json_reader *reader, struct process_report *out)
{
    static const struct profile_walk_events events = { .on_thread = on_thread,
                                                       .on_process = on_process };
    struct profile_facts facts;

    *out = (struct process_report){ 0 };
    failure_latch_init(&out->latch);
    unique_strings_init(&out->names, &out->latch);
    int error = profile_walk(reader, &events, out, &facts);
    return error < 0 ? error : group_by_program(out);
}

void process_report_free(struct process_report *report)
{
    for (size_t i = 0; i < report->lives.count; i++)
        free(((struct process_life *)report->lives.items)[i].command);
    mapped_array_free(&report->lives);
    mapped_array_free(&report->programs);
    unique_strings_fini(&report->names);
    free(report->root_name);
    free(report->inner_name);
}
