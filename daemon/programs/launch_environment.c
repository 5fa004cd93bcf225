#include "daemon/programs/launch_environment.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/features.h"
#include "common/preload_list.h"

enum { LAUNCH_ADDED_VARIABLES = 10 };

/* The array and its strings, filled from both ends of one allocation. */
struct environment_builder {
    char **entries;
    size_t count;
    char *text, *text_end;
};

/* Variables that profd sets itself: an older value would tell agents of another profd. */
static bool is_replaced(const char *entry)
{
    return strncmp(entry, "PROFD_SOCKET=", 13) == 0 || strncmp(entry, "PROFD_STARTUP", 13) == 0 ||
           strncmp(entry, PRELOAD_PREFIX, PRELOAD_PREFIX_BYTES) == 0;
}

static void add_variable(struct environment_builder *builder, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* There is room: environment_bytes() counted it. */
static void add_variable(struct environment_builder *builder, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length =
        vsnprintf(builder->text, (size_t)(builder->text_end - builder->text), format, arguments);
    va_end(arguments);
    builder->entries[builder->count++] = builder->text;
    builder->text += length + 1;
}

bool launch_wants_malloc_hooks(const struct launch_agent *agent)
{
    return agent->session.generation != 0 &&
           (agent->session.features & FEATURES_OF_ALLOCATIONS) != 0;
}

/* The hooks go in front of everything: an allocator that is preloaded as well is what they call. */
static void add_preload(struct environment_builder *builder, const struct launch_agent *agent,
                        const char *old)
{
    const char *hooks = "", *library = "";

    if (old == NULL)
        old = "";
    if (launch_wants_malloc_hooks(agent) && strstr(old, agent->malloc_hooks) == NULL)
        hooks = agent->malloc_hooks;
    if (strstr(old, agent->library) == NULL)
        library = agent->library;
    add_variable(builder, PRELOAD_PREFIX "%s%s%s%s%s", hooks,
                 *hooks != '\0' && *library != '\0' ? ":" : "", library,
                 *old != '\0' && (*hooks != '\0' || *library != '\0') ? ":" : "", old);
}

static void add_session(struct environment_builder *builder, const struct message_session *session)
{
    char features[FEATURES_TEXT_BYTES];

    if (session->generation == 0)
        return;
    add_variable(builder, "PROFD_STARTUP=1");
    add_variable(builder, "PROFD_STARTUP_GENERATION=%" PRIu64, session->generation);
    add_variable(builder, "PROFD_STARTUP_INTERVAL=%" PRIu64 "ns", session->interval_ns);
    add_variable(builder, "PROFD_STARTUP_FEATURES=%s",
                 features_format(session->features, features));
    add_variable(builder, "PROFD_STARTUP_LIMIT=%" PRIu64, session->memory_limit_bytes);
    if (session->allocation_interval_bytes != 0)
        add_variable(builder, "PROFD_STARTUP_ALLOC_INTERVAL=%" PRIu64,
                     session->allocation_interval_bytes);
    if (session->clock != SAMPLING_CLOCK_AUTO)
        add_variable(builder, "PROFD_STARTUP_CLOCK=%s",
                     sampling_clock_name((enum sampling_clock)session->clock));
    add_variable(builder, "PROFD_STARTUP_FILTERS=%.*s", (int)session->thread_filters.length,
                 session->thread_filters.bytes);
}

static size_t count_strings(const char *bytes, size_t length)
{
    size_t count = 0;
    for (size_t i = 0; i < length; i++)
        count += bytes[i] == '\0';
    return count;
}

int launch_environment_build(const char *base, size_t base_bytes, const struct launch_agent *agent,
                             char ***out)
{
    if (base_bytes > 0 && base[base_bytes - 1] != '\0')
        return -EINVAL;
    if (strpbrk(agent->library, " :") != NULL || strpbrk(agent->malloc_hooks, " :") != NULL)
        return -EINVAL;

    size_t entries = count_strings(base, base_bytes) + LAUNCH_ADDED_VARIABLES + 1;
    size_t text_bytes = base_bytes + strlen(agent->library) + strlen(agent->malloc_hooks) +
                        strlen(agent->socket) + agent->session.thread_filters.length +
                        FEATURES_TEXT_BYTES + LAUNCH_ADDED_VARIABLES * 64;
    char **array = malloc(entries * sizeof(char *) + text_bytes);
    if (array == NULL)
        return -ENOMEM;

    char *text = (char *)(array + entries);
    struct environment_builder builder = { array, 0, text, text + text_bytes };
    const char *old_preload = NULL;
    for (const char *entry = base; entry < base + base_bytes; entry += strlen(entry) + 1) {
        if (strncmp(entry, PRELOAD_PREFIX, PRELOAD_PREFIX_BYTES) == 0)
            old_preload = entry + PRELOAD_PREFIX_BYTES;
        if (!is_replaced(entry))
            add_variable(&builder, "%s", entry);
    }
    add_preload(&builder, agent, old_preload);
    add_variable(&builder, "PROFD_SOCKET=%s", agent->socket);
    add_session(&builder, &agent->session);
    array[builder.count] = NULL;
    *out = array;
    return 0;
}

/* In place: what is left is never longer. */
static void drop_ours(char *list)
{
    const char *rest = list;
    char *end = list;
    struct library_path path;

    while (preload_list_take(&rest, &path)) {
        if (preload_list_is_ours(&path))
            continue;
        if (end != list)
            *end++ = ':';
        memmove(end, path.start, path.length);
        end += path.length;
    }
    *end = '\0';
}

void launch_environment_drop_agent(char **environment)
{
    char **kept = environment;

    for (; *environment != NULL; environment++) {
        bool is_preload = strncmp(*environment, PRELOAD_PREFIX, PRELOAD_PREFIX_BYTES) == 0;
        if (is_preload)
            drop_ours(*environment + PRELOAD_PREFIX_BYTES);
        if (!is_preload || (*environment)[PRELOAD_PREFIX_BYTES] != '\0')
            *kept++ = *environment;
    }
    *kept = NULL;
}
