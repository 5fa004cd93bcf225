#include "profctl/profile/process_accounts.h"

#include <stdlib.h>

#include "common/time_units.h"

struct process_account process_account_of(const struct process_log *log, double sampled_ns,
                                          size_t id)
{
    double charged_ms = process_log_charged_ms(log);

    return (struct process_account){
        .pid = log->pid,
        .later_images = log->later_images,
        .goes_on = process_log_goes_on(log),
        .is_known = log->pid >= 0 && charged_ms >= 0 && log->cpu_before_ms >= 0,
        .charged_ns = charged_ms * NS_PER_MS,
        .before_ns = log->cpu_before_ms * NS_PER_MS,
        .sampled_ns = sampled_ns,
        .id = id,
    };
}

static int compare_accounts(const void *left, const void *right)
{
    const struct process_account *a = left, *b = right;

    if (a->pid != b->pid)
        return a->pid < b->pid ? -1 : 1;
    return (a->later_images < b->later_images) - (a->later_images > b->later_images);
}

/* How far the account of a process got: what was charged up to there, and what samples behind it,
 * or beyond it, say. */
struct reached {
    double charged_ns, sampled_ns;
};

/* What samples say beyond a program's own time is owed by the next one, so that sums stay. */
static void settle_account(struct process_account *account, struct reached *reached)
{
    reached->sampled_ns += account->sampled_ns;
    account->rest_ns = 0;
    if (!account->is_known)
        return;
    double from_ns =
        reached->charged_ns > account->before_ns ? reached->charged_ns : account->before_ns;
    double rest_ns = account->charged_ns - from_ns - reached->sampled_ns;
    account->rest_ns = rest_ns > 0 ? rest_ns : 0;
    reached->charged_ns = account->charged_ns;
    reached->sampled_ns = rest_ns < 0 ? -rest_ns : 0;
}

void process_accounts_settle(struct process_account *accounts, size_t count)
{
    struct reached reached = { 0 };

    if (count > 1)
        qsort(accounts, count, sizeof(*accounts), compare_accounts);
    for (size_t i = 0; i < count; i++) {
        bool is_next_program =
            i > 0 && accounts[i - 1].goes_on && accounts[i - 1].pid == accounts[i].pid;
        if (!is_next_program)
            reached = (struct reached){ 0 };
        settle_account(&accounts[i], &reached);
    }
}
