#include "daemon/metrics/process_counts.h"

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "daemon/children/child_table.h"
#include "daemon/children/pidfd.h"

const char *process_end_name(enum process_end end)
{
    static const char *const names[] = { [PROCESS_END_EXITED] = "exited",
                                         [PROCESS_END_FAILED] = "failed",
                                         [PROCESS_END_KILLED] = "killed",
                                         [PROCESS_END_EXECED] = "execed",
                                         [PROCESS_END_VANISHED] = "vanished" };

    assert(end < PROCESS_ENDS);
    return names[end];
}

enum process_end process_end_of(unsigned verdict, int code)
{
    switch (verdict) {
    case VERDICT_EXITED:
        return code == 0 ? PROCESS_END_EXITED : PROCESS_END_FAILED;
    case VERDICT_KILLED:
        return PROCESS_END_KILLED;
    case VERDICT_EXECED:
        return PROCESS_END_EXECED;
    default:
        return PROCESS_END_VANISHED;
    }
}

/* --- Programs --- */

static struct metric_labels labels_of(const char *program)
{
    struct metric_labels labels = { 0 };

    metric_labels_add(&labels, "program", program, strlen(program));
    return labels;
}

int process_counts_init(struct process_counts *counts)
{
    const struct metric_labels other = labels_of("other");

    *counts = (struct process_counts){ 0 };
    int error = label_sets_init(&counts->programs, PROCESS_COUNTS_MOST_PROGRAMS, &other);
    return error < 0 ? error
                     : mapped_array_reserve(&counts->counts, PROCESS_COUNTS_MOST_PROGRAMS + 1,
                                            sizeof(struct program_count));
}

void process_counts_fini(struct process_counts *counts)
{
    for (size_t i = 0; i < counts->waiting_count; i++) {
        if (counts->waiting[i].pidfd >= 0)
            close(counts->waiting[i].pidfd);
    }
    counts->waiting_count = 0;
    label_sets_fini(&counts->programs);
    mapped_array_free(&counts->counts);
}

static struct program_count *count_at(const struct process_counts *counts, uint32_t index)
{
    return (struct program_count *)counts->counts.items + index;
}

static uint32_t place_program(struct process_counts *counts, const char *program)
{
    const struct metric_labels labels = labels_of(program);

    return label_sets_place(&counts->programs, &labels);
}

const struct program_count *process_counts_get(const struct process_counts *counts, uint32_t index)
{
    return count_at(counts, index);
}

void process_counts_begin_look(struct process_counts *counts)
{
    for (uint32_t i = 0; i < label_sets_count(&counts->programs); i++)
        count_at(counts, i)->living = 0;
}

void process_counts_add_living(struct process_counts *counts, const char *program)
{
    count_at(counts, place_program(counts, program))->living++;
}

void process_counts_add_end(struct process_counts *counts, const char *program,
                            enum process_end end)
{
    count_at(counts, place_program(counts, program))->ended[end]++;
}

/* --- Ends that are not known --- */

static void settle_end(struct process_counts *counts, size_t index, enum process_end end)
{
    struct waiting_end *waiting = &counts->waiting[index];

    count_at(counts, waiting->program)->ended[end]++;
    if (waiting->pidfd >= 0) {
        close(waiting->pidfd);
        counts->descriptors--;
    }
    counts->waiting_count--;
    memmove(waiting, waiting + 1, (counts->waiting_count - index) * sizeof(*waiting));
}

void process_counts_await_end(struct process_counts *counts, const char *program,
                              const struct ended_process *process)
{
    int pidfd = process->pidfd;

    if (counts->waiting_count == PROCESS_COUNTS_MOST_WAITING)
        process_counts_learn(counts, process->end_ns);
    if (counts->waiting_count == PROCESS_COUNTS_MOST_WAITING)
        settle_end(counts, 0, PROCESS_END_VANISHED);
    if (pidfd >= 0 && counts->descriptors == PROCESS_COUNTS_MOST_DESCRIPTORS) {
        close(pidfd);
        pidfd = -1;
    }
    counts->descriptors += pidfd >= 0;
    counts->waiting[counts->waiting_count++] =
        (struct waiting_end){ place_program(counts, program), process->pid, process->start_ns,
                              process->end_ns, pidfd };
}

void process_counts_note_end(struct process_counts *counts, pid_t pid, uint64_t start_ns,
                             enum process_end end)
{
    for (size_t i = 0; i < counts->waiting_count; i++) {
        const struct waiting_end *waiting = &counts->waiting[i];
        if (waiting->pid != pid || (start_ns != 0 && waiting->start_ns != start_ns))
            continue;
        settle_end(counts, i, end);
        return;
    }
}

/* False: something may still be known. */
static bool learn_end(const struct waiting_end *waiting, uint64_t now_ns, enum process_end *end)
{
    int wait_status, code;
    int error = waiting->pidfd >= 0 ? pidfd_wait_status(waiting->pidfd, &wait_status) : -ENOTSUP;

    if (error == 0) {
        enum process_verdict verdict = child_verdict_of(wait_status, &code);
        *end = process_end_of(verdict, code);
        return true;
    }
    *end = PROCESS_END_VANISHED;
    return error != -EAGAIN && now_ns > waiting->since_ns &&
           now_ns - waiting->since_ns > PROCESS_COUNTS_PATIENCE_NS;
}

void process_counts_learn(struct process_counts *counts, uint64_t now_ns)
{
    for (size_t i = 0; i < counts->waiting_count;) {
        enum process_end end;
        if (learn_end(&counts->waiting[i], now_ns, &end))
            settle_end(counts, i, end);
        else
            i++;
    }
}
