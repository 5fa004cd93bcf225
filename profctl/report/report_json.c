/* A report as JSON. */
#include <cjson/cJSON.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/time_units.h"
#include "json/document_print.h"
#include "profctl/profile/frame_name.h"
#include "profctl/report/report.h"

static void add_size_members(cJSON *object, const struct report_size *size)
{
    cJSON_AddNumberToObject(object, "samples", (double)size->samples);
    cJSON_AddNumberToObject(object, "activeSamples", (double)size->active_samples);
    cJSON_AddNumberToObject(object, "cpuMs", size->cpu_ns / NS_PER_MS);
    cJSON_AddNumberToObject(object, "notSampledMs", size->not_sampled_ns / NS_PER_MS);
}

static void add_text(cJSON *object, const char *member, const char *text, size_t length)
{
    char *copy = strndup(text, length);

    cJSON_AddStringToObject(object, member, copy != NULL ? copy : "");
    free(copy);
}

/* "f (in lib)" is function f of library lib; other locations have no library. */
static void add_function(cJSON *functions, const struct report_thread *thread, uint32_t index)
{
    const struct function_count *count =
        (const struct function_count *)thread->counts.items + index;
    struct frame_name_parts parts;
    size_t length;
    const char *name = unique_strings_get(&thread->functions, index, &length);
    cJSON *function = cJSON_CreateObject();

    frame_name_split(name, length, &parts);
    add_text(function, "function", name, parts.is_library ? parts.function_length : length);
    if (parts.is_library)
        add_text(function, "library", parts.source, parts.source_length);
    else
        cJSON_AddNullToObject(function, "library");
    cJSON_AddNumberToObject(function, "self", (double)count->self);
    cJSON_AddNumberToObject(function, "total", (double)count->total);
    cJSON_AddNumberToObject(function, "selfMs", (double)count->self_ns / NS_PER_MS);
    cJSON_AddNumberToObject(function, "totalMs", (double)count->total_ns / NS_PER_MS);
    cJSON_AddItemToArray(functions, function);
}

static int add_thread(cJSON *threads, const struct report *report,
                      const struct report_thread *thread, uint64_t top)
{
    uint32_t *ranked = report_rank_functions(report, thread);
    cJSON *object = cJSON_CreateObject(), *functions;

    cJSON_AddItemToArray(threads, object);
    cJSON_AddStringToObject(object, "thread", thread->name);
    cJSON_AddNumberToObject(object, "threads", (double)thread->threads);
    add_size_members(object, &thread->size);
    functions = cJSON_AddArrayToObject(object, "functions");
    for (uint64_t i = 0; ranked != NULL && i < top && i < thread->counts.count; i++)
        add_function(functions, thread, ranked[i]);
    free(ranked);
    return ranked != NULL ? 0 : -ENOMEM;
}

static int add_process(cJSON *groups, const struct report *report,
                       const struct report_process *process, uint64_t top)
{
    struct report_thread *const *all = process->threads.items;
    cJSON *object = cJSON_CreateObject(), *threads;
    int error = 0;

    cJSON_AddItemToArray(groups, object);
    cJSON_AddStringToObject(object, "process", process->name);
    cJSON_AddNumberToObject(object, "processes", (double)process->processes);
    add_size_members(object, &process->size);
    threads = cJSON_AddArrayToObject(object, "threads");
    for (size_t i = 0; error == 0 && i < process->threads.count; i++)
        error = add_thread(threads, report, all[i], top);
    return error;
}

static void add_absences(cJSON *root, const struct report_fates *fates)
{
    const struct report_absence *absences = fates->absences.items;
    cJSON *list = cJSON_AddArrayToObject(root, "notProfiled");

    for (size_t i = 0; i < fates->absences.count; i++) {
        cJSON *object = cJSON_CreateObject();
        cJSON_AddItemToArray(list, object);
        cJSON_AddStringToObject(object, "process", absences[i].name);
        cJSON_AddStringToObject(object, "reason", absences[i].reason);
        cJSON_AddNumberToObject(object, "processes", (double)absences[i].processes);
        cJSON_AddNumberToObject(object, "unknown", (double)absences[i].unknown);
        cJSON_AddNumberToObject(object, "cpuMs", absences[i].cpu_ns / NS_PER_MS);
    }
}

static void add_ends(cJSON *root, const struct report_fates *fates)
{
    const struct report_end *ends = fates->ends.items;
    cJSON *list = cJSON_AddArrayToObject(root, "ends");
    char text[REPORT_END_TEXT_BYTES];

    for (size_t i = 0; i < fates->ends.count; i++) {
        cJSON *object = cJSON_CreateObject();
        bool was_killed = strcmp(ends[i].verdict, "killed") == 0;
        cJSON_AddItemToArray(list, object);
        cJSON_AddStringToObject(object, "process", ends[i].name);
        cJSON_AddStringToObject(object, "verdict", ends[i].verdict);
        cJSON_AddNumberToObject(object, "code", ends[i].code);
        if (was_killed && report_signal_name(ends[i].code, text) != NULL)
            cJSON_AddStringToObject(object, "signal", text);
        else
            cJSON_AddNullToObject(object, "signal");
        cJSON_AddNumberToObject(object, "processes", (double)ends[i].processes);
    }
}

int report_print_json(const struct report *report, const char *file, uint64_t top, FILE *out)
{
    struct report_process *const *all = report->groups.items;
    bool by_all = report->counts_idle || !report->knows_cpu;
    cJSON *root = cJSON_CreateObject(), *groups;
    char *text = NULL;
    int error = 0;

    cJSON_AddStringToObject(root, "file", file);
    cJSON_AddStringToObject(root, "rankedBy", by_all ? "samples" : "activeSamples");
    cJSON_AddStringToObject(root, "orderedBy", report_is_by_cpu(report) ? "cpuMs" : "samples");
    cJSON_AddNumberToObject(root, "processes", (double)report->processes);
    add_size_members(root, &report->size);
    cJSON_AddNumberToObject(root, "notProfiledMs", report->absent_ns / NS_PER_MS);
    report_clocks_add_json(&report->clocks, root);
    cJSON_AddNumberToObject(root, "unreadableStacks", report->refused.unreadable);
    cJSON_AddNumberToObject(root, "unaskedStacks", report->refused.unasked);
    cJSON_AddNumberToObject(root, "lostBlocks", report->lost_blocks);
    groups = cJSON_AddArrayToObject(root, "groups");
    for (size_t i = 0; error == 0 && i < report->groups.count; i++)
        if (all[i]->processes > 0)
            error = add_process(groups, report, all[i], top);
    add_absences(root, &report->fates);
    add_ends(root, &report->fates);
    if (error == 0)
        text = document_print(root);
    if (text != NULL)
        fprintf(out, "%s\n", text);
    cJSON_Delete(root);
    error = text != NULL ? 0 : -ENOMEM;
    free(text);
    return error;
}
