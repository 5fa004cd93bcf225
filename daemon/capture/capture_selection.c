#include "daemon/capture/capture_selection.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/file_name.h"

static void copy_text(const struct message_string *text, char *out)
{
    memcpy(out, text->bytes, text->length);
    out[text->length] = '\0';
}

void capture_selection_read(const struct message_client_capture *message,
                            struct capture_selection *out)
{
    copy_text(&message->pids, out->pids);
    copy_text(&message->names, out->names);
    copy_text(&message->thread_filters, out->threads);
}

bool capture_selection_is_partial(const struct capture_selection *selection)
{
    struct selection_word word;

    return capture_selection_next(selection, NULL, &word);
}

/* The first word of LIST, if it has one. */
static bool first_word(const char *list, bool is_pid, struct selection_word *out)
{
    list += strspn(list, ",");
    *out = (struct selection_word){ list, strcspn(list, ","), is_pid };
    return out->length > 0;
}

bool capture_selection_next(const struct capture_selection *selection,
                            const struct selection_word *previous, struct selection_word *out)
{
    if (previous == NULL)
        return first_word(selection->pids, true, out) || first_word(selection->names, false, out);
    if (first_word(previous->text + previous->length, previous->is_pid, out))
        return true;
    return previous->is_pid && first_word(selection->names, false, out);
}

static bool has_part(const char *name, const char *part, size_t length)
{
    for (; *name != '\0'; name++)
        if (strncasecmp(name, part, length) == 0)
            return true;
    return false;
}

static bool is_pid(const struct selection_word *word, pid_t pid)
{
    char number[16];
    int length = snprintf(number, sizeof(number), "%d", pid);

    return (size_t)length == word->length && memcmp(number, word->text, word->length) == 0;
}

bool selection_word_fits(const struct selection_word *word, const struct selection_subject *subject)
{
    if (word->is_pid)
        return is_pid(word, subject->pid);
    return has_part(file_name_of(subject->executable), word->text, word->length) ||
           (subject->title != NULL && has_part(subject->title, word->text, word->length));
}

bool capture_selection_has(const struct capture_selection *selection,
                           const struct selection_subject *subject)
{
    struct selection_word word;
    bool has_word = false;

    for (bool more = capture_selection_next(selection, NULL, &word); more;
         more = capture_selection_next(selection, &word, &word)) {
        has_word = true;
        if (selection_word_fits(&word, subject))
            return true;
    }
    return !has_word;
}
