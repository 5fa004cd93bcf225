/* The reader's window over its input. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "json/json_reader_state.h"

enum { WINDOW_BYTES = 256 * 1024 };

int json_reader_fail(struct json_reader *reader, int error, const char *message)
{
    if (reader->error == 0) {
        reader->error = error;
        snprintf(reader->message, sizeof(reader->message), "byte %llu: %s",
                 (unsigned long long)json_reader_offset(reader), message);
    }
    return reader->error;
}

uint64_t json_reader_offset(const struct json_reader *reader)
{
    return reader->window_offset + (uint64_t)(reader->next - reader->window);
}

int json_window_flush_copy(struct json_reader *reader)
{
    const char *until = reader->next;
    if (reader->copy_from == NULL || reader->copy_from >= until)
        return 0;
    int error =
        reader->copy(reader->copy_context, reader->copy_from, (size_t)(until - reader->copy_from));
    reader->copy_from = until;
    return error < 0 ? json_reader_fail(reader, error, "the copy was refused") : 0;
}

/* Puts the window's START to its beginning. */
static void compact_window(struct json_reader *reader, const char *start)
{
    size_t gone = (size_t)(start - reader->window);
    memmove(reader->window, start, (size_t)(reader->end - start));
    reader->window_offset += gone;
    reader->mark -= gone;
    reader->next -= gone;
    reader->end -= gone;
    if (reader->copy_from != NULL)
        reader->copy_from -= gone;
}

/* Lets the reader's places point into WINDOW, which holds the same bytes as the present one. */
static void rebase_window(struct json_reader *reader, char *window)
{
    reader->mark = window + (reader->mark - reader->window);
    reader->next = window + (reader->next - reader->window);
    reader->end = window + (reader->end - reader->window);
    if (reader->copy_from != NULL)
        reader->copy_from = window + (reader->copy_from - reader->window);
    reader->window = window;
}

static int grow_window(struct json_reader *reader)
{
    size_t wanted = reader->window_bytes == 0 ? WINDOW_BYTES : reader->window_bytes * 2;
    char *old = reader->window;
    if (reader->window_bytes >= JSON_READER_MAX_TOKEN_BYTES)
        return json_reader_fail(reader, -E2BIG, "a string or number that is too long");
    char *window = malloc(wanted);
    if (window == NULL)
        return json_reader_fail(reader, -ENOMEM, "no memory");
    if (old != NULL) {
        memcpy(window, old, (size_t)(reader->end - old));
        rebase_window(reader, window);
    } else {
        reader->window = window;
        reader->mark = reader->next = reader->end = window;
    }
    reader->window_bytes = wanted;
    free(old);
    return 0;
}

static int read_more(struct json_reader *reader)
{
    size_t used = (size_t)(reader->end - reader->window);
    ssize_t got = reader->read(reader->context, reader->window + used, reader->window_bytes - used);
    if (got < 0)
        return json_reader_fail(reader, (int)got, "the input cannot be read");
    reader->is_all_read = got == 0;
    reader->end += got;
    return got > 0;
}

int json_window_fill(struct json_reader *reader)
{
    if (reader->error != 0)
        return reader->error;
    if (reader->is_all_read)
        return 0;
    int error = json_window_flush_copy(reader);
    if (error < 0)
        return error;
    if (reader->mark > reader->window)
        compact_window(reader, reader->mark);
    if ((size_t)(reader->end - reader->window) == reader->window_bytes) {
        error = grow_window(reader);
        if (error < 0)
            return error;
    }
    return read_more(reader);
}

static ssize_t read_descriptor(void *context, char *bytes, size_t n)
{
    const int *fd = context;
    ssize_t got;
    do {
        got = read(*fd, bytes, n);
    } while (got < 0 && errno == EINTR);
    return got < 0 ? -errno : got;
}

int json_reader_open(json_source_read read_bytes, void *context, struct json_reader **out)
{
    struct json_reader *reader = calloc(1, sizeof(*reader));
    if (reader == NULL)
        return -ENOMEM;
    reader->read = read_bytes;
    reader->context = context;
    int error = grow_window(reader);
    if (error < 0) {
        free(reader);
        return error;
    }
    *out = reader;
    return 0;
}

int json_reader_open_fd(int fd, struct json_reader **out)
{
    int error = json_reader_open(read_descriptor, NULL, out);
    if (error < 0)
        return error;
    (*out)->fd = fd;
    (*out)->context = &(*out)->fd;
    return 0;
}

int json_reader_open_memory(const char *memory, size_t bytes, struct json_reader **out)
{
    struct json_reader *reader = calloc(1, sizeof(*reader));
    if (reader == NULL)
        return -ENOMEM;
    /* Never written to: there is no source to fill it from. */
    reader->window = (char *)(uintptr_t)memory;
    reader->mark = reader->next = memory;
    reader->end = memory + bytes;
    reader->is_all_read = true;
    *out = reader;
    return 0;
}

void json_reader_close(struct json_reader *reader)
{
    if (reader == NULL)
        return;
    if (reader->read != NULL)
        free(reader->window);
    free(reader->decoded);
    free(reader);
}
