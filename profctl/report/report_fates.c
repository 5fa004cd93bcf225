#include "profctl/report/report_fates.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static bool is_good(const char *verdict, int code)
{
    return strcmp(verdict, "live") == 0 || strcmp(verdict, "execed") == 0 ||
           (strcmp(verdict, "exited") == 0 && code == 0);
}

static struct report_end *find_end(struct report_fates *fates, const char *name,
                                   const char *verdict, int code)
{
    struct report_end *ends = fates->ends.items;

    for (size_t i = 0; i < fates->ends.count; i++)
        if (ends[i].code == code && strcmp(ends[i].verdict, verdict) == 0 &&
            strcmp(ends[i].name, name) == 0)
            return &ends[i];
    struct report_end *end = mapped_array_push(&fates->ends, sizeof(*end));
    if (end != NULL)
        *end = (struct report_end){ strdup(name), strdup(verdict), code, 0 };
    return end;
}

int report_fates_note_end(struct report_fates *fates, const char *name, const char *verdict,
                          int code)
{
    if (is_good(verdict, code))
        return 0;
    struct report_end *end = find_end(fates, name, verdict, code);
    if (end == NULL || end->name == NULL || end->verdict == NULL)
        return -ENOMEM;
    end->processes++;
    return 0;
}

static struct report_absence *find_absence(struct report_fates *fates, const char *name,
                                           const char *reason)
{
    struct report_absence *absences = fates->absences.items;

    for (size_t i = 0; i < fates->absences.count; i++)
        if (strcmp(absences[i].name, name) == 0 && strcmp(absences[i].reason, reason) == 0)
            return &absences[i];
    struct report_absence *absence = mapped_array_push(&fates->absences, sizeof(*absence));
    if (absence != NULL)
        *absence = (struct report_absence){ .name = strdup(name), .reason = strdup(reason) };
    return absence;
}

int report_fates_note_absence(struct report_fates *fates, const char *name, const char *reason,
                              double cpu_ns)
{
    struct report_absence *absence = find_absence(fates, name, reason);

    if (absence == NULL || absence->name == NULL || absence->reason == NULL)
        return -ENOMEM;
    absence->processes++;
    absence->unknown += cpu_ns < 0;
    absence->cpu_ns += cpu_ns < 0 ? 0 : cpu_ns;
    return 0;
}

static int compare_ends(const void *left, const void *right)
{
    const struct report_end *a = left, *b = right;
    int order = (a->processes < b->processes) - (a->processes > b->processes);

    if (order == 0)
        order = strcmp(a->name, b->name);
    if (order == 0)
        order = strcmp(a->verdict, b->verdict);
    return order != 0 ? order : (a->code > b->code) - (a->code < b->code);
}

static int compare_absences(const void *left, const void *right)
{
    const struct report_absence *a = left, *b = right;
    int order = (a->cpu_ns < b->cpu_ns) - (a->cpu_ns > b->cpu_ns);

    if (order == 0)
        order = strcmp(a->name, b->name);
    return order != 0 ? order : strcmp(a->reason, b->reason);
}

void report_fates_sort(struct report_fates *fates)
{
    if (fates->ends.count > 1)
        qsort(fates->ends.items, fates->ends.count, sizeof(struct report_end), compare_ends);
    if (fates->absences.count > 1)
        qsort(fates->absences.items, fates->absences.count, sizeof(struct report_absence),
              compare_absences);
}

void report_fates_free(struct report_fates *fates)
{
    struct report_end *ends = fates->ends.items;
    struct report_absence *absences = fates->absences.items;

    for (size_t i = 0; i < fates->ends.count; i++) {
        free(ends[i].name);
        free(ends[i].verdict);
    }
    for (size_t i = 0; i < fates->absences.count; i++) {
        free(absences[i].name);
        free(absences[i].reason);
    }
    mapped_array_free(&fates->ends);
    mapped_array_free(&fates->absences);
}

/* --- In words --- */

/* Whether the kernel sends it for what the program did itself. */
static bool is_crash(int signal_number)
{
    switch (signal_number) {
    case SIGSEGV:
    case SIGBUS:
    case SIGILL:
    case SIGFPE:
    case SIGABRT:
    case SIGTRAP:
    case SIGSYS:
        return true;
    default:
        return false;
    }
}

const char *report_signal_name(int number, char out[REPORT_END_TEXT_BYTES])
{
    const char *name = sigabbrev_np(number);

    if (name == NULL)
        return NULL;
    snprintf(out, REPORT_END_TEXT_BYTES, "SIG%s", name);
    return out;
}

const char *report_end_text(const struct report_end *end, char out[REPORT_END_TEXT_BYTES])
{
    char name[REPORT_END_TEXT_BYTES];

    if (strcmp(end->verdict, "killed") == 0 && report_signal_name(end->code, name) != NULL)
        snprintf(out, REPORT_END_TEXT_BYTES, "%s by %.20s",
                 is_crash(end->code) ? "crashed" : "killed", name);
    else if (strcmp(end->verdict, "killed") == 0)
        snprintf(out, REPORT_END_TEXT_BYTES, "killed by signal %d", end->code);
    else if (strcmp(end->verdict, "exited") == 0)
        snprintf(out, REPORT_END_TEXT_BYTES, "exited with status %d", end->code);
    else if (strcmp(end->verdict, "frozen") == 0)
        snprintf(out, REPORT_END_TEXT_BYTES, "did not answer");
    else if (strcmp(end->verdict, "vanished") == 0)
        snprintf(out, REPORT_END_TEXT_BYTES, "nobody told profd how");
    else
        snprintf(out, REPORT_END_TEXT_BYTES, "%.40s", end->verdict);
    return out;
}
