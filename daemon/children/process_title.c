#include "daemon/children/process_title.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "buffer/arena_title.h"
#include "daemon/children/child_table.h"
#include "daemon/children/process_tree.h"

void process_title_set(struct process_title *title, const char *text)
{
    if (text[0] == '\0' || (title->text != NULL && strcmp(title->text, text) == 0))
        return;
    free(title->text);
    title->text = strdup(text); /* without memory there is none */
}

void process_title_expire(struct process_title *title)
{
    title->was_looked = false;
}

void process_title_free(struct process_title *title)
{
    free(title->text);
    title->text = NULL;
}

static ssize_t read_arguments(const struct child *child, char out[ARENA_TITLE_BYTES])
{
    char path[64];

    snprintf(path, sizeof(path), "/proc/%d/cmdline", child->pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd >= 0 ? read(fd, out, ARENA_TITLE_BYTES) : -1;
    if (fd >= 0)
        close(fd);
    return got;
}

/* Whether the process has written over its arguments before anybody looked: no program is started
 * by a name with spaces in it, but by a path with some. */
static bool is_title_already(const char *argument)
{
    return strchr(argument, ' ') != NULL && strchr(argument, '/') == NULL;
}

void process_title_learn_first_argument(struct child *child)
{
    char arguments[ARENA_TITLE_BYTES + 1];
    ssize_t got = child->arguments == NULL ? read_arguments(child, arguments) : -1;

    if (got <= 0)
        return;
    arguments[got] = '\0';
    const char *first = is_title_already(arguments) ? child->executable : arguments;
    child_set_arguments(child, first, strlen(first));
}

/* A program that another one runs inside of itself, as ld.so and valgrind do, has its FIRST
 * argument behind those of that one, of which the kernel tells. */
static bool is_inside_another(const char *arguments, size_t bytes, const char *first)
{
    const char *end = arguments + bytes;

    for (const char *next = arguments; next < end;
         next += strnlen(next, (size_t)(end - next)) + 1) {
        if (next > arguments && strncmp(next, first, (size_t)(end - next)) == 0)
            return true;
    }
    return false;
}

static void read_from_arguments(const struct child *child, char out[ARENA_TITLE_BYTES])
{
    char arguments[ARENA_TITLE_BYTES];

    out[0] = '\0';
    if (child->arguments == NULL)
        return;
    ssize_t got = read_arguments(child, arguments);
    if (got > 0 && !is_inside_another(arguments, (size_t)got, child->arguments))
        arena_title_find(arguments, (size_t)got, child->arguments, out);
}

static void read_from_arena(const struct child *child, char out[ARENA_TITLE_BYTES])
{
    off_t offset = offsetof(struct arena_header, title);

    out[0] = '\0';
    if (child->arena_fd >= 0 && pread(child->arena_fd, out, ARENA_TITLE_BYTES, offset) <= 0)
        out[0] = '\0';
    out[ARENA_TITLE_BYTES - 1] = '\0';
}

void process_title_look(struct child *child)
{
    char title[ARENA_TITLE_BYTES];

    child->title.was_looked = true;
    if (child->exec.start_ns != 0)
        return; /* the arguments may be another program's */
    read_from_arguments(child, title);
    if (title[0] != '\0' && process_runs_other_program(child->pid, child->executable))
        title[0] = '\0'; /* nobody has told of the exec yet */
    if (title[0] == '\0')
        read_from_arena(child, title);
    process_title_set(&child->title, title);
}

void process_title_recall(struct child *child)
{
    char title[ARENA_TITLE_BYTES];

    read_from_arena(child, title);
    process_title_set(&child->title, title);
}
