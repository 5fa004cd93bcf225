#include "profctl/profile/process_accounts.h"

#include <stdlib.h>
#include <string.h>

#include "common/time_units.h"

struct process_account process_account_of(const struct process_log *log, double sampled_ns,
                                          size_t id)
{
    return (struct process_account){
        .pid = log->pid,
        .later_images = log->later_images,
        .goes_on = log->outcome != NULL && strcmp(log->outcome, "execed") == 0,
        .is_known = log->pid >= 0 && log->cpu_ms >= 0 && log->cpu_before_ms >= 0,
        .charged_ns = log->cpu_ms * NS_PER_MS,
        .before_ns = log->cpu_before_ms * NS_PER_MS,
        .sampled_ns = sampled_ns,
        .id = id,
    };
}

static int compare(const void *left, const void *right)
{
    const struct process_account *a = left, *b = right;

    if (a->pid != b->pid)
        return a->pid < b->pid ? -1 : 1;
    return (a->later_images < b->later_images) - (a->later_images > b->later_images);
}

static double rest_of(const struct process_account *account, double sampled_ns)
{
    double rest_ns = account->charged_ns - account->before_ns - sampled_ns;

    return account->is_known && rest_ns > 0 ? rest_ns : 0;
}

void process_accounts_settle(struct process_account *accounts, size_t count)
{
    double sampled_ns = 0;

    if (count > 1)
        qsort(accounts, count, sizeof(*accounts), compare);
    for (size_t i = 0; i < count; i++) {
        bool is_next_program =
            i > 0 && accounts[i - 1].goes_on && accounts[i - 1].pid == accounts[i].pid;
        sampled_ns = accounts[i].sampled_ns + (is_next_program ? sampled_ns : 0);
        accounts[i].rest_ns = accounts[i].goes_on ? 0 : rest_of(&accounts[i], sampled_ns);
    }
}
