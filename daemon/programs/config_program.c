#include "daemon/programs/config_program.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A NULL-terminated array with one string less than its room. */
static int make_list(struct config_reader *reader, char ***out)
{
    if (*out != NULL)
        return config_refuse(reader, "is given twice");
    *out = calloc(CONFIG_MAX_STRINGS + 1, sizeof(**out));
    return *out != NULL ? 0 : config_no_memory(reader);
}

/* Gives back the room that LIST with COUNT strings does not need. */
static void fit_list(char ***list, size_t count)
{
    char **smaller = realloc(*list, (count + 1) * sizeof(*smaller));

    if (smaller != NULL)
        *list = smaller;
}

static int read_command(struct config_reader *reader, struct program_config *program)
{
    size_t count = 0;
    bool goes_on = true;
    int error =
        config_expect(reader, JSON_TOKEN_START_ARRAY, "a list of strings, the program first");

    if (error == 0)
        error = make_list(reader, &program->command);
    while (error == 0 && (error = config_more(reader, &goes_on)) == 0 && goes_on) {
        if (count == CONFIG_MAX_STRINGS)
            return config_refuse(reader, "has more than %d strings", CONFIG_MAX_STRINGS);
        error = config_expect(reader, JSON_TOKEN_STRING, "strings only");
        if (error == 0)
            error = config_take_text(reader, &program->command[count++]);
    }
    if (error < 0)
        return error;
    if (count == 0 || program->command[0][0] == '\0')
        return config_refuse(reader, "must name the program");
    fit_list(&program->command, count);
    return config_expect(reader, JSON_TOKEN_END_ARRAY, "an end");
}

/* Whether one of VARIABLES, "NAME=value" up to a NULL, has that name. */
static bool has_variable(char *const *variables, const char *name)
{
    size_t length = strlen(name);

    for (; *variables != NULL; variables++)
        if (strncmp(*variables, name, length) == 0 && (*variables)[length] == '=')
            return true;
    return false;
}

/* "NAME=value" of the member whose KEY comes next, behind the COUNT that are there. */
static int read_variable(struct config_reader *reader, char **variables, size_t count)
{
    char *name = NULL, *value = NULL;
    int error = config_expect(reader, JSON_TOKEN_KEY, "a name");

    if (error == 0)
        error = config_take_text(reader, &name);
    if (error == 0 && (*name == '\0' || strchr(name, '=') != NULL))
        error = config_refuse(reader, "'%.60s' is not a valid name of a variable", name);
    if (error == 0 && has_variable(variables, name))
        error = config_refuse(reader, "%.60s is given twice", name);
    if (error == 0)
        error = config_expect(reader, JSON_TOKEN_STRING, "strings as values");
    if (error == 0)
        error = config_take_text(reader, &value);
    if (error == 0 && asprintf(&variables[count], "%s=%s", name, value) < 0) {
        variables[count] = NULL;
        error = config_no_memory(reader);
    }
    free(name);
    free(value);
    return error;
}

static int read_environment(struct config_reader *reader, struct program_config *program)
{
    size_t count = 0;
    bool goes_on = true;
    int error = config_expect(reader, JSON_TOKEN_START_OBJECT, "an object of strings");

    if (error == 0)
        error = make_list(reader, &program->environment);
    while (error == 0 && (error = config_more(reader, &goes_on)) == 0 && goes_on) {
        if (count == CONFIG_MAX_STRINGS)
            return config_refuse(reader, "has more than %d variables", CONFIG_MAX_STRINGS);
        error = read_variable(reader, program->environment, count++);
    }
    if (error < 0)
        return error;
    fit_list(&program->environment, count);
    return config_expect(reader, JSON_TOKEN_END_OBJECT, "an end");
}

static int read_name(struct config_reader *reader, struct program_config *program)
{
    int error = config_read_text(reader, &program->name);

    if (error == 0 && strlen(program->name) > CONFIG_MAX_NAME_BYTES)
        error = config_refuse(reader, "is longer than %d bytes", CONFIG_MAX_NAME_BYTES);
    return error;
}

static int read_directory(struct config_reader *reader, struct program_config *program)
{
    return config_read_text(reader, &program->directory);
}

static int read_restart(struct config_reader *reader, struct program_config *program)
{
    static const struct {
        enum restart_policy policy;
        const char *name;
    } names[] = {
#define X(name, text) { RESTART_##name, text },
        RESTART_POLICIES(X)
#undef X
    };
    int token;
    int error = config_next(reader, &token);

    for (size_t i = 0; error == 0 && i < sizeof(names) / sizeof(names[0]); i++) {
        if (token == JSON_TOKEN_STRING && json_reader_is(reader->json, names[i].name)) {
            program->restart = names[i].policy;
            return 0;
        }
    }
    return error < 0 ? error
                     : config_refuse(reader, "must be \"never\", \"on-failure\" or \"always\"");
}

static int signal_of_name(const char *name)
{
    if (strncmp(name, "SIG", 3) == 0)
        name += 3;
    for (int number = 1; number < NSIG; number++) {
        const char *abbreviation = sigabbrev_np(number);
        if (abbreviation != NULL && strcmp(abbreviation, name) == 0)
            return number;
    }
    return -EINVAL;
}

static int read_stop_signal(struct config_reader *reader, struct program_config *program)
{
    char *name = NULL;
    int error = config_read_text(reader, &name);

    if (error == 0) {
        program->stop_signal = signal_of_name(name);
        if (program->stop_signal < 0)
            error = config_refuse(reader, "\"%.40s\" is not a signal; write one like \"SIGTERM\"",
                                  name);
    }
    free(name);
    return error;
}

static int read_stop_timeout(struct config_reader *reader, struct program_config *program)
{
    int error = config_expect(reader, JSON_TOKEN_NUMBER, "a number of milliseconds");

    if (error == 0 && (json_reader_u64(reader->json, &program->stop_timeout_ms) < 0 ||
                       program->stop_timeout_ms > CONFIG_MAX_STOP_TIMEOUT_MS))
        error = config_refuse(reader, "must be a whole number of milliseconds, at most %d",
                              CONFIG_MAX_STOP_TIMEOUT_MS);
    return error;
}

/* --- Programs --- */

static const struct {
    const char *name;
    int (*read)(struct config_reader *reader, struct program_config *program);
} keys[] = {
    { "name", read_name },
    { "command", read_command },
    { "environment", read_environment },
    { "directory", read_directory },
    { "restart", read_restart },
    { "stop_signal", read_stop_signal },
    { "stop_timeout_ms", read_stop_timeout },
};

enum { KEYS = sizeof(keys) / sizeof(keys[0]) };

/* The member whose KEY comes next; SEEN has a bit for each key that was there. */
static int read_member(struct config_reader *reader, struct program_config *program, unsigned *seen)
{
    size_t path_length = strlen(reader->path), at = 0;
    int error = config_expect(reader, JSON_TOKEN_KEY, "a key");

    if (error < 0)
        return error;
    while (at < KEYS && !json_reader_is(reader->json, keys[at].name))
        at++;
    if (at == KEYS)
        return config_refuse_key(reader, "name, command, environment, directory, restart, "
                                         "stop_signal or stop_timeout_ms");
    snprintf(reader->path + path_length, CONFIG_PATH_BYTES - path_length, ".%s", keys[at].name);
    error =
        *seen & 1u << at ? config_refuse(reader, "is given twice") : keys[at].read(reader, program);
    if (error < 0)
        return error;
    *seen |= 1u << at;
    reader->path[path_length] = '\0';
    return 0;
}

int config_read_members(struct config_reader *reader, struct program_config *program)
{
    unsigned seen = 0;
    bool goes_on = true;
    int error = 0;

    while (error == 0 && (error = config_more(reader, &goes_on)) == 0 && goes_on)
        error = read_member(reader, program, &seen);
    if (error == 0)
        error = config_expect(reader, JSON_TOKEN_END_OBJECT, "an end");
    if (error == 0 && program->name == NULL)
        error = config_refuse(reader, "has no \"name\"");
    if (error == 0 && program->command == NULL)
        error = config_refuse(reader, "has no \"command\"");
    return error;
}

static void free_list(char **list)
{
    for (char **next_one = list; next_one != NULL && *next_one != NULL; next_one++)
        free(*next_one);
    free(list);
}

void config_free_program(struct program_config *program)
{
    free(program->name);
    free(program->directory);
    free_list(program->command);
    free_list(program->environment);
}
