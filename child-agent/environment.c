#include "child-agent/environment.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "ipc/messages.h"
#include "ipc/socket.h"

enum {
    DEFAULT_INTERVAL_NS = 1000 * 1000,
    SHORTEST_INTERVAL_NS = 10 * 1000,
    DEFAULT_LIMIT_BYTES = 64 * 1024 * 1024,
};

static uint64_t number_or(const char *name, uint64_t fallback)
{
    const char *text = secure_getenv(name);
    char *end;
    if (text == NULL || *text < '0' || *text > '9')
        return fallback;
    errno = 0;
    uint64_t value = strtoull(text, &end, 10);
    return errno == 0 && *end == '\0' ? value : fallback;
}

static bool is_one(const char *name)
{
    const char *text = secure_getenv(name);
    return text != NULL && strcmp(text, "1") == 0;
}

/* A signal by number or by name, with or without SIG. */
static int signal_or(const char *name, int fallback)
{
    const char *text = secure_getenv(name);
    if (text == NULL)
        return fallback;
    uint64_t number = number_or(name, 0);
    if (number > 0 && number < NSIG)
        return (int)number;
    if (strncmp(text, "SIG", 3) == 0)
        text += 3;
    for (int candidate = 1; candidate < NSIG; candidate++) {
        const char *abbreviation = sigabbrev_np(candidate);
        if (abbreviation != NULL && strcmp(abbreviation, text) == 0)
            return candidate;
    }
    return fallback;
}

static void read_filters(char out[ENVIRONMENT_FILTERS_BYTES])
{
    const char *text = secure_getenv("PROFD_STARTUP_FILTERS");
    size_t length = text != NULL ? strnlen(text, ENVIRONMENT_FILTERS_BYTES) : 0;
    if (length == ENVIRONMENT_FILTERS_BYTES)
        length = 0;
    memcpy(out, text != NULL ? text : "", length);
    out[length] = '\0';
}

void environment_read(struct environment *out)
{
    memset(out, 0, sizeof(*out));
    /* secure_getenv sees nothing in a setuid program: nobody may steer that one from outside. */
    out->is_disabled = is_one("PROFD_DISABLE") || getauxval(AT_SECURE) != 0;
    out->starts_up = is_one("PROFD_STARTUP");
    out->signal_number = signal_or("PROFD_SIGNAL", SIGURG);
    out->generation = (uint32_t)number_or("PROFD_STARTUP_GENERATION", 1);
    out->interval_ns = number_or("PROFD_STARTUP_INTERVAL", DEFAULT_INTERVAL_NS);
    if (out->interval_ns < SHORTEST_INTERVAL_NS)
        out->interval_ns = SHORTEST_INTERVAL_NS;
    out->features = number_or("PROFD_STARTUP_FEATURES", FEATURES_DEFAULT);
    out->limit_bytes = number_or("PROFD_STARTUP_LIMIT", DEFAULT_LIMIT_BYTES);
    read_filters(out->filters);
    out->is_default_socket = secure_getenv("PROFD_SOCKET") == NULL;
    if (socket_path(NULL, out->socket_path) < 0)
        out->socket_path[0] = '\0';
}
