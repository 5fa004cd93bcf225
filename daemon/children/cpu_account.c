#include "daemon/children/cpu_account.h"

#include "buffer/process_clock.h"
#include "daemon/children/child_table.h"
#include "daemon/children/pidfd.h"

uint64_t cpu_account_before(uint64_t image_start_ns, uint64_t session_start_ns, int pid)
{
    if (image_start_ns >= session_start_ns)
        return 0;
    uint64_t used_ns = process_clock_ns(pid);
    return used_ns != PROCESS_CLOCK_UNKNOWN ? used_ns : 0;
}

/* A clock does not go back: what shows less was read earlier, or is of a process that has the pid
 * now. */
static void take_reading(struct cpu_account *account, uint64_t used_ns)
{
    bool is_known = account->used_ns != CPU_TIME_UNKNOWN;
    if (used_ns != CPU_TIME_UNKNOWN && (!is_known || used_ns > account->used_ns))
        account->used_ns = used_ns;
}

void cpu_account_close(struct cpu_account *account, uint64_t used_ns)
{
    account->used_ns = used_ns;
    account->is_final = true;
}

void cpu_account_take_end(struct cpu_account *account, const struct cpu_account *other)
{
    account->used_ns = other->used_ns;
    account->is_final = other->is_final;
}

void cpu_account_note_ended(struct child *child, int pidfd)
{
    if (child->cpu.is_final)
        return;
    uint64_t used_ns = process_clock_ns(child->pid);
    /* As long as it is not reaped, its pid, whose clock this was, is nobody else's. */
    if (used_ns == PROCESS_CLOCK_UNKNOWN || pidfd < 0 || pidfd_was_reaped(pidfd))
        return;
    cpu_account_close(&child->cpu, used_ns);
}

void cpu_account_note_told(struct cpu_account *account, uint64_t used_ns)
{
    if (!account->is_final)
        take_reading(account, used_ns);
}

void cpu_account_follow(struct child *child)
{
    if (!child->cpu.is_final)
        take_reading(&child->cpu, process_clock_ns(child->pid));
}

static enum cpu_time_end end_of(const struct child *child)
{
    if (child->state != CHILD_ENDED)
        return CPU_TIME_TO_CAPTURE;
    if (child->verdict == VERDICT_EXECED)
        return CPU_TIME_TO_EXEC;
    return child->cpu.is_final ? CPU_TIME_TO_END : CPU_TIME_TO_LAST_RECORD;
}

struct process_cpu_time cpu_account_of(const struct child *child, uint64_t since_ns)
{
    struct cpu_account account = child->cpu;
    struct process_cpu_time time = { .before_ns = account.before_ns, .end = end_of(child) };

    if (time.end == CPU_TIME_TO_CAPTURE) /* or it is gone, and nobody has told so yet */
        take_reading(&account, process_clock_ns(child->pid));
    /* The program after an exec has the clock. */
    time.total_ns = time.end == CPU_TIME_TO_EXEC ? account.at_exec_ns : account.used_ns;
    if (since_ns != 0 && child->process_start_ns < since_ns)
        time.before_ns = CPU_TIME_UNKNOWN;
    return time;
}
