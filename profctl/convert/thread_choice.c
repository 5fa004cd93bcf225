#include "profctl/convert/thread_choice.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profctl/convert/thread_stacks.h"

static bool is_number(const char *text)
{
    return text[0] != '\0' && text[strspn(text, "0123456789")] == '\0';
}

bool thread_choice_takes(const struct thread_choice *choice, const struct profile_thread *thread)
{
    char process[THREAD_LABEL_BYTES], both[2 * THREAD_LABEL_BYTES];
    const char *wanted = choice->wanted;

    if (wanted == NULL)
        return true;
    if (is_number(wanted) && strtod(wanted, NULL) == thread->tid)
        return true;
    snprintf(both, sizeof(both), "%.0f-%.0f", thread->pid, thread->tid);
    if (strcmp(wanted, both) == 0)
        return true;
    if (strcmp(wanted, thread_label_name(thread)) == 0)
        return true;
    thread_label_process(thread, process);
    snprintf(both, sizeof(both), "%s: %s", process, thread_label_name(thread));
    return strcmp(wanted, both) == 0;
}

/* Appends "PID-TID (names)", while there is room. */
static bool note_thread(char text[THREAD_CHOICE_TEXT_BYTES], const struct profile_thread *thread)
{
    char process[THREAD_LABEL_BYTES], note[3 * THREAD_LABEL_BYTES];
    size_t used = strlen(text);

    thread_label_process(thread, process);
    int length = snprintf(note, sizeof(note), "%s%.0f-%.0f (%s: %s)", used > 0 ? ", " : "",
                          thread->pid, thread->tid, process, thread_label_name(thread));
    if (length < 0 || used + (size_t)length >= THREAD_CHOICE_TEXT_BYTES)
        return false;
    memcpy(text + used, note, (size_t)length + 1);
    return true;
}

void thread_choice_count(struct thread_choice *choice, const struct profile_thread *thread)
{
    bool is_chosen = thread_choice_takes(choice, thread);

    if (thread->sample_count == 0)
        return;
    choice->chosen += is_chosen;
    choice->others += !is_chosen;
    bool is_noted = note_thread(is_chosen ? choice->chosen_text : choice->others_text, thread);
    *(is_chosen ? &choice->chosen_noted : &choice->others_noted) += is_noted;
}
