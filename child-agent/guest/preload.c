#include "child-agent/guest/preload.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "child-agent/core.h"
#include "common/apart.h"
#include "common/preload_list.h"

enum { PRELOAD_OWN_BYTES = 4096 };

/* What a filter of system calls forbids to know is taken to be there. */
static bool is_absence(int error)
{
    return error == ENOENT || error == ENOTDIR || error == EACCES || error == ELOOP;
}

/* The kernel answers for the real user and without what an exec takes away, as it will be for the
 * loader; where that one has another user than the real one, it preloads no paths. */
static bool is_out_of_reach(const struct library_path *path)
{
    int call_errno = errno;

    if (atomic_load(&core.has_filter))
        return true; /* it could be opened, and be killed by what it does then */
    if (path->length >= PRELOAD_PATH_BYTES)
        return false;
    char terminated[path->length + 1]; /* the stack may be small */
    memcpy(terminated, path->start, path->length);
    terminated[path->length] = '\0';
    bool is_absent = access(terminated, R_OK) < 0 && is_absence(errno);
    errno = call_errno;
    return is_absent;
}

static bool is_kept(const struct library_path *path, bool is_refused)
{
    return !preload_list_is_ours(path) || (!is_refused && !is_out_of_reach(path));
}

static bool is_preload(const char *variable)
{
    return strncmp(variable, PRELOAD_PREFIX, PRELOAD_PREFIX_BYTES) == 0;
}

/* The list of libraries that the loader takes, the last one; NULL: there is none. */
static const char *find_list(char *const *environment, size_t *variables)
{
    const char *list = NULL;

    *variables = 0;
    for (; environment != NULL && *environment != NULL; environment++, ++*variables) {
        if (is_preload(*environment))
            list = *environment + PRELOAD_PREFIX_BYTES;
    }
    return list;
}

struct preload_look preload_look(char *const *environment, bool is_refused)
{
    struct preload_look look = { 0 };
    struct library_path path;
    size_t variables;
    bool has_agent = false, is_rewritten = false;
    const char *list = find_list(environment, &variables);

    for (const char *rest = list; rest != NULL && preload_list_take(&rest, &path);) {
        bool stays = is_kept(&path, is_refused);
        is_rewritten |= !stays;
        if (preload_list_is_agent(&path)) {
            has_agent |= stays;
            look.lacks_agent = !has_agent;
        }
    }
    if (!is_rewritten)
        return look;
    size_t text_bytes = PRELOAD_PREFIX_BYTES + strlen(list) + 1;
    size_t bytes = (variables + 1) * sizeof(char *) + text_bytes;
    look.rewritten_bytes = bytes <= PRELOAD_MOST_BYTES ? bytes : 0;
    return look;
}

/* The variable with what is kept of LIST, in TEXT, which has room for all of it. False when that is
 * nothing. */
static bool write_kept(const char *list, bool is_refused, char *text)
{
    struct library_path path;
    char *end = mempcpy(text, PRELOAD_PREFIX, PRELOAD_PREFIX_BYTES);
    const char *first = end;

    while (preload_list_take(&list, &path)) {
        if (!is_kept(&path, is_refused))
            continue;
        if (end != first)
            *end++ = ':';
        end = mempcpy(end, path.start, path.length);
    }
    *end = '\0';
    return end != first;
}

char *const *preload_rewrite(char *const *environment, bool is_refused, void *space)
{
    size_t variables, count = 0;
    const char *list = find_list(environment, &variables);
    char **rewritten = space, *text = (char *)(rewritten + variables + 1);

    for (size_t i = 0; i < variables; i++) {
        if (!is_preload(environment[i]))
            rewritten[count++] = environment[i];
        else if (environment[i] + PRELOAD_PREFIX_BYTES == list &&
                 write_kept(list, is_refused, text))
            rewritten[count++] = text;
    }
    rewritten[count] = NULL;
    return rewritten;
}

/* The array may be read by other threads: an entry of it is replaced, and none is removed. One that
 * moves it at this moment, by setenv(), is not awaited: its lock is the C library's. */
void preload_leave_environment(void)
{
    static LARGE_APART char text[PRELOAD_OWN_BYTES];
    size_t variables;
    const char *list = find_list(environ, &variables);

    bool has_left = list == text + PRELOAD_PREFIX_BYTES; /* in the parent */
    if (list == NULL || has_left || PRELOAD_PREFIX_BYTES + strlen(list) >= sizeof(text))
        return;
    write_kept(list, true, text);
    for (char **variable = environ; *variable != NULL; variable++)
        if (*variable + PRELOAD_PREFIX_BYTES == list)
            *variable = text;
}
