#include "profctl/report/process_accounts.h"

#include <stdlib.h>

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
