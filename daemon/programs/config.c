#include "daemon/programs/config.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/units.h"
#include "daemon/programs/export_program.h"
#include "ipc/messages.h"
#include "json/json_reader.h"

enum { KEY_PATH_BYTES = 160 };

struct parser {
    struct json_reader *reader;
    const char *text, *file;
    char *error_text;
    char path[KEY_PATH_BYTES]; /* of the value being read: "programs[1].restart"; "" at the top */
};

/* --- Errors --- */

static unsigned line_at(const struct parser *parser)
{
    uint64_t end = json_reader_offset(parser->reader);
    unsigned line = 1;

    for (uint64_t i = 0; i < end; i++)
        line += parser->text[i] == '\n';
    return line;
}

/* Says what is wrong with the value at the path. */
__attribute__((format(printf, 2, 3))) static void complain(struct parser *parser,
                                                           const char *format, ...)
{
    va_list arguments;
    int length = snprintf(parser->error_text, CONFIG_ERROR_TEXT, "%.200s:%u: %s%s", parser->file,
                          line_at(parser), parser->path, parser->path[0] != '\0' ? ": " : "");

    va_start(arguments, format);
    vsnprintf(parser->error_text + length, CONFIG_ERROR_TEXT - (size_t)length, format, arguments);
    va_end(arguments);
}

#define refuse(...) (complain(__VA_ARGS__), -EINVAL)

static int no_memory(struct parser *parser)
{
    complain(parser, "no memory");
    return -ENOMEM;
}

/* The next token, which is no error. */
static int next(struct parser *parser, int *token)
{
    *token = json_reader_next(parser->reader);
    return *token >= 0 ? 0 : refuse(parser, "%s", json_reader_error(parser->reader));
}

static int expect(struct parser *parser, enum json_token wanted, const char *what)
{
    int token;
    int error = next(parser, &token);

    return error < 0 ? error : token == (int)wanted ? 0 : refuse(parser, "needs %s", what);
}

/* Whether the open collection goes on. */
static int more(struct parser *parser, bool *goes_on)
{
    int answer = json_reader_more(parser->reader);

    *goes_on = answer > 0;
    return answer >= 0 ? 0 : refuse(parser, "%s", json_reader_error(parser->reader));
}

/* --- Values --- */

/* The token's text, owned by the caller, in *OUT, which is NULL. */
static int take_text(struct parser *parser, char **out)
{
    const char *text;
    size_t length;

    if (*out != NULL)
        return refuse(parser, "is there twice");
    if (json_reader_string(parser->reader, &text, &length) < 0)
        return no_memory(parser);
    if (memchr(text, '\0', length) != NULL)
        return refuse(parser, "cannot hold a zero byte");
    *out = strndup(text, length);
    return *out != NULL ? 0 : no_memory(parser);
}

static int read_text(struct parser *parser, char **out)
{
    int error = expect(parser, JSON_TOKEN_STRING, "a string");

    if (error == 0)
        error = take_text(parser, out);
    return error == 0 && **out == '\0' ? refuse(parser, "cannot be empty") : error;
}

/* A NULL-terminated array with one string less than its room. */
static int make_list(struct parser *parser, char ***out)
{
    if (*out != NULL)
        return refuse(parser, "is there twice");
    *out = calloc(CONFIG_MAX_STRINGS + 1, sizeof(**out));
    return *out != NULL ? 0 : no_memory(parser);
}

/* Gives back the room that LIST with COUNT strings does not need. */
static void fit_list(char ***list, size_t count)
{
    char **smaller = realloc(*list, (count + 1) * sizeof(*smaller));

    if (smaller != NULL)
        *list = smaller;
}

static int read_command(struct parser *parser, struct program_config *program)
{
    size_t count = 0;
    bool goes_on = true;
    int error = expect(parser, JSON_TOKEN_START_ARRAY, "a list of strings, the program first");

    if (error == 0)
        error = make_list(parser, &program->command);
    while (error == 0 && (error = more(parser, &goes_on)) == 0 && goes_on) {
        if (count == CONFIG_MAX_STRINGS)
            return refuse(parser, "has more than %d strings", CONFIG_MAX_STRINGS);
        error = expect(parser, JSON_TOKEN_STRING, "strings only");
        if (error == 0)
            error = take_text(parser, &program->command[count++]);
    }
    if (error < 0)
        return error;
    if (count == 0 || program->command[0][0] == '\0')
        return refuse(parser, "needs at least the program");
    fit_list(&program->command, count);
    return expect(parser, JSON_TOKEN_END_ARRAY, "an end");
}

/* "NAME=value" of the member whose KEY comes next. */
static int read_variable(struct parser *parser, char **out)
{
    char *name = NULL, *value = NULL;
    int error = expect(parser, JSON_TOKEN_KEY, "a name");

    if (error == 0)
        error = take_text(parser, &name);
    if (error == 0 && (*name == '\0' || strchr(name, '=') != NULL))
        error = refuse(parser, "'%.60s' cannot be the name of a variable", name);
    if (error == 0)
        error = expect(parser, JSON_TOKEN_STRING, "strings as values");
    if (error == 0)
        error = take_text(parser, &value);
    if (error == 0 && asprintf(out, "%s=%s", name, value) < 0) {
        *out = NULL;
        error = no_memory(parser);
    }
    free(name);
    free(value);
    return error;
}

static int read_environment(struct parser *parser, struct program_config *program)
{
    size_t count = 0;
    bool goes_on = true;
    int error = expect(parser, JSON_TOKEN_START_OBJECT, "an object of strings");

    if (error == 0)
        error = make_list(parser, &program->environment);
    while (error == 0 && (error = more(parser, &goes_on)) == 0 && goes_on) {
        if (count == CONFIG_MAX_STRINGS)
            return refuse(parser, "has more than %d variables", CONFIG_MAX_STRINGS);
        error = read_variable(parser, &program->environment[count++]);
    }
    if (error < 0)
        return error;
    fit_list(&program->environment, count);
    return expect(parser, JSON_TOKEN_END_OBJECT, "an end");
}

static int read_name(struct parser *parser, struct program_config *program)
{
    int error = read_text(parser, &program->name);

    if (error == 0 && strlen(program->name) > CONFIG_MAX_NAME_BYTES)
        error = refuse(parser, "is longer than %d bytes", CONFIG_MAX_NAME_BYTES);
    return error;
}

static int read_directory(struct parser *parser, struct program_config *program)
{
    return read_text(parser, &program->directory);
}

static int read_restart(struct parser *parser, struct program_config *program)
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
    int error = next(parser, &token);

    for (size_t i = 0; error == 0 && i < sizeof(names) / sizeof(names[0]); i++) {
        if (token == JSON_TOKEN_STRING && json_reader_is(parser->reader, names[i].name)) {
            program->restart = names[i].policy;
            return 0;
        }
    }
    return error < 0 ? error : refuse(parser, "is \"never\", \"on-failure\" or \"always\"");
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

static int read_stop_signal(struct parser *parser, struct program_config *program)
{
    char *name = NULL;
    int error = read_text(parser, &name);

    if (error == 0) {
        program->stop_signal = signal_of_name(name);
        if (program->stop_signal < 0)
            error = refuse(parser, "\"%.40s\" is no signal; write one like \"SIGTERM\"", name);
    }
    free(name);
    return error;
}

static int read_stop_timeout(struct parser *parser, struct program_config *program)
{
    int error = expect(parser, JSON_TOKEN_NUMBER, "a number of milliseconds");

    if (error == 0 && (json_reader_u64(parser->reader, &program->stop_timeout_ms) < 0 ||
                       program->stop_timeout_ms > CONFIG_MAX_STOP_TIMEOUT_MS))
        error = refuse(parser, "is a whole number of milliseconds up to %d",
                       CONFIG_MAX_STOP_TIMEOUT_MS);
    return error;
}

/* --- Programs --- */

static const struct {
    const char *name;
    int (*read)(struct parser *parser, struct program_config *program);
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

static int refuse_key(struct parser *parser)
{
    size_t length;
    const char *key = json_reader_raw(parser->reader, &length);

    return refuse(parser,
                  "there is no key \"%.*s\"; there are name, command, environment, directory, "
                  "restart, stop_signal and stop_timeout_ms",
                  length > 60 ? 60 : (int)length, key);
}

/* The member whose KEY comes next; SEEN has a bit for each key that was there. */
static int read_member(struct parser *parser, struct program_config *program, unsigned *seen)
{
    size_t path_length = strlen(parser->path), at = 0;
    int error = expect(parser, JSON_TOKEN_KEY, "a key");

    if (error < 0)
        return error;
    while (at < KEYS && !json_reader_is(parser->reader, keys[at].name))
        at++;
    if (at == KEYS)
        return refuse_key(parser);
    snprintf(parser->path + path_length, KEY_PATH_BYTES - path_length, ".%s", keys[at].name);
    error = *seen & 1u << at ? refuse(parser, "is there twice") : keys[at].read(parser, program);
    if (error < 0)
        return error;
    *seen |= 1u << at;
    parser->path[path_length] = '\0';
    return 0;
}

static int check_name(struct parser *parser, const struct config *config,
                      const struct program_config *program)
{
    for (size_t i = 0; i < config->count; i++) {
        if (strcmp(config->programs[i].name, program->name) == 0)
            return refuse(parser, "the name \"%s\" is that of programs[%zu] too", program->name, i);
    }
    return 0;
}

/* The rest of a program behind its '{'. */
static int read_members(struct parser *parser, struct program_config *program)
{
    unsigned seen = 0;
    bool goes_on = true;
    int error = 0;

    while (error == 0 && (error = more(parser, &goes_on)) == 0 && goes_on)
        error = read_member(parser, program, &seen);
    if (error == 0)
        error = expect(parser, JSON_TOKEN_END_OBJECT, "an end");
    if (error == 0 && program->name == NULL)
        error = refuse(parser, "has no \"name\"");
    if (error == 0 && program->command == NULL)
        error = refuse(parser, "has no \"command\"");
    return error;
}

static void free_list(char **list)
{
    for (char **next_one = list; next_one != NULL && *next_one != NULL; next_one++)
        free(*next_one);
    free(list);
}

static void free_program(struct program_config *program)
{
    free(program->name);
    free(program->directory);
    free_list(program->command);
    free_list(program->environment);
}

static int read_program(struct parser *parser, struct config *config)
{
    struct program_config program = { .stop_signal = SIGTERM,
                                      .stop_timeout_ms = CONFIG_USUAL_STOP_TIMEOUT_MS };

    snprintf(parser->path, KEY_PATH_BYTES, "programs[%zu]", config->count);
    int error = config->count < CONFIG_MAX_PROGRAMS
                    ? expect(parser, JSON_TOKEN_START_OBJECT, "an object with name and command")
                    : refuse(parser, "there are more than %d programs", CONFIG_MAX_PROGRAMS);
    if (error == 0)
        error = read_members(parser, &program);
    if (error == 0)
        error = check_name(parser, config, &program);
    if (error < 0) {
        free_program(&program);
        return error;
    }
    config->programs[config->count++] = program;
    return 0;
}

static int read_programs(struct parser *parser, struct config *config)
{
    bool goes_on = true;

    snprintf(parser->path, KEY_PATH_BYTES, "programs");
    if (config->programs != NULL)
        return refuse(parser, "is there twice");
    config->programs = calloc(CONFIG_MAX_PROGRAMS, sizeof(*config->programs));
    if (config->programs == NULL)
        return no_memory(parser);
    int error = expect(parser, JSON_TOKEN_START_ARRAY, "a list of programs");
    while (error == 0 && (error = more(parser, &goes_on)) == 0 && goes_on)
        error = read_program(parser, config);
    if (error < 0)
        return error;
    snprintf(parser->path, KEY_PATH_BYTES, "programs");
    error = expect(parser, JSON_TOKEN_END_ARRAY, "an end");
    return error == 0 && config->count == 0 ? refuse(parser, "is empty") : error;
}

static int read_always(struct parser *parser, uint64_t *interval_ns)
{
    char *rate = NULL;

    snprintf(parser->path, KEY_PATH_BYTES, "always");
    if (*interval_ns != 0)
        return refuse(parser, "is there twice");
    int error = read_text(parser, &rate);
    if (error == 0 && units_parse_rate(rate, interval_ns) < 0)
        error = refuse(parser, "is a rate like \"19Hz\"");
    if (error == 0 &&
        (*interval_ns < MESSAGE_MIN_INTERVAL_NS || *interval_ns > MESSAGE_MAX_INTERVAL_NS))
        error = refuse(parser, "is at most \"100000Hz\"");
    free(rate);
    return error;
}

static int read_export(struct parser *parser, char **url)
{
    snprintf(parser->path, KEY_PATH_BYTES, "export");
    if (*url != NULL)
        return refuse(parser, "is there twice");
    int error = read_text(parser, url);
    if (error == 0 && !export_program_takes(*url))
        error = refuse(parser, "is a URL like \"clickhouse://HOST/DATABASE\"");
    return error;
}

static int read_key(struct parser *parser, struct config *config)
{
    int error = expect(parser, JSON_TOKEN_KEY, "a key");

    if (error < 0)
        return error;
    if (json_reader_is(parser->reader, "programs"))
        return read_programs(parser, config);
    if (json_reader_is(parser->reader, "always"))
        return read_always(parser, &config->always_interval_ns);
    if (json_reader_is(parser->reader, "export"))
        return read_export(parser, &config->export_url);
    return refuse(parser, "only the keys \"programs\", \"always\" and \"export\" can be here");
}

static int read_root(struct parser *parser, struct config *config)
{
    bool goes_on = true;
    int token;
    int error = expect(parser, JSON_TOKEN_START_OBJECT, "an object with \"programs\"");

    while (error == 0 && (error = more(parser, &goes_on)) == 0 && goes_on) {
        error = read_key(parser, config);
        parser->path[error == 0 ? 0 : strlen(parser->path)] = '\0';
    }
    if (error == 0)
        error = expect(parser, JSON_TOKEN_END_OBJECT, "an end");
    if (error == 0 && config->count == 0 && config->always_interval_ns == 0 &&
        config->export_url == NULL)
        error = refuse(parser, "has neither \"programs\" nor \"always\" nor \"export\"");
    return error < 0 ? error : next(parser, &token); /* nothing may follow */
}

int config_parse(const char *text, size_t bytes, const char *file, struct config *out,
                 char error_text[CONFIG_ERROR_TEXT])
{
    struct parser parser = { .text = text, .file = file, .error_text = error_text };

    *out = (struct config){ 0 };
    if (json_reader_open_memory(text, bytes, &parser.reader) < 0) {
        snprintf(error_text, CONFIG_ERROR_TEXT, "%.200s: no memory", file);
        return -ENOMEM;
    }
    int error = read_root(&parser, out);
    json_reader_close(parser.reader);
    if (error < 0)
        config_free(out);
    return error;
}

static int read_file(const char *file, char *text, size_t capacity, size_t *bytes)
{
    int fd = open(file, O_RDONLY | O_CLOEXEC);
    ssize_t got = 1;
    int error = fd < 0 ? -errno : 0;

    *bytes = 0;
    while (error == 0 && got > 0 && *bytes < capacity) {
        got = read(fd, text + *bytes, capacity - *bytes);
        if (got < 0)
            error = -errno;
        else
            *bytes += (size_t)got;
    }
    if (fd >= 0)
        close(fd);
    return error == 0 && *bytes == capacity ? -EFBIG : error;
}

int config_load(const char *file, struct config *out, char error_text[CONFIG_ERROR_TEXT])
{
    size_t bytes;
    char *text = malloc(CONFIG_MAX_BYTES);
    int error = text == NULL ? -ENOMEM : read_file(file, text, CONFIG_MAX_BYTES, &bytes);

    *out = (struct config){ 0 };
    if (error < 0)
        snprintf(error_text, CONFIG_ERROR_TEXT, "cannot read the config %.300s: %s", file,
                 strerror(-error));
    else
        error = config_parse(text, bytes, file, out, error_text);
    free(text);
    return error;
}

void config_free(struct config *config)
{
    for (size_t i = 0; i < config->count; i++)
        free_program(&config->programs[i]);
    free(config->programs);
    free(config->export_url);
    *config = (struct config){ 0 };
}
