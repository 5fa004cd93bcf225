#include "profctl/report/report_settle.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "profctl/profile/process_accounts.h"

static bool is_text(const char *text, const char *wanted)
{
    return text != NULL && strcmp(text, wanted) == 0;
}

/* Nothing of it is there to be counted, and the profile says why. */
static bool is_absent(const struct seen_process *process)
{
    const struct process_log *log = &process->log;

    return is_text(log->verdict, "not-profiled") ||
           (log->reason != NULL && process->samples == 0 && !is_text(log->verdict, "frozen") &&
            !is_text(log->verdict, "execed"));
}

/* It was counted with those of its name that were profiled. */
static int take_absent(struct report *report, const struct seen_process *process,
                       const struct process_account *account)
{
    process->group->processes--;
    process->thread->threads--;
    report->absent_processes++;
    report->absent_ns += account->rest_ns;
    report->size.cpu_ns += account->rest_ns;
    return report_fates_note_absence(&report->fates, process->group->name,
                                     process->log.reason != NULL ? process->log.reason : "",
                                     account->is_known ? account->rest_ns : -1);
}

static void add_unsampled_time(struct report *report, const struct seen_process *process,
                               double rest_ns)
{
    process->group->size.cpu_ns += rest_ns;
    process->group->size.not_sampled_ns += rest_ns;
    report->size.cpu_ns += rest_ns;
    report->size.not_sampled_ns += rest_ns;
}

/* What became of it; a frozen one is more than one that lives. */
static const char *end_of(const struct process_log *log)
{
    if (is_text(log->verdict, "frozen") || log->outcome == NULL)
        return log->verdict != NULL ? log->verdict : "live";
    return log->outcome;
}

static int take_process(struct report *report, const struct seen_process *process,
                        const struct process_account *account)
{
    int error = 0;

    if (is_absent(process))
        error = take_absent(report, process, account);
    else
        add_unsampled_time(report, process, account->rest_ns);
    if (error < 0)
        return error;
    return report_fates_note_end(&report->fates, process->group->name, end_of(&process->log),
                                 (int)process->log.code);
}

int report_settle(struct report *report, const struct mapped_array *seen)
{
    const struct seen_process *processes = seen->items;
    struct process_account *accounts = calloc(seen->count + 1, sizeof(*accounts));
    int error = accounts != NULL ? 0 : -ENOMEM;

    for (size_t i = 0; error == 0 && i < seen->count; i++)
        accounts[i] = process_account_of(&processes[i].log, processes[i].sampled_ns, i);
    if (error == 0)
        process_accounts_settle(accounts, seen->count);
    for (size_t i = 0; error == 0 && i < seen->count; i++)
        error = take_process(report, &processes[accounts[i].id], &accounts[i]);
    free(accounts);
    report_fates_sort(&report->fates);
    return error;
}

void seen_processes_free(struct mapped_array *seen)
{
    struct seen_process *processes = seen->items;

    for (size_t i = 0; i < seen->count; i++)
        process_log_free(&processes[i].log);
    mapped_array_free(seen);
}
