#include "profctl/report/report_screen.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

static const char usual_pager[] = "less -FRX";

enum { NOT_FOUND_STATUS = 127 }; /* of a shell */

/* --- What the terminal is --- */

static bool is_set(const char *variable)
{
    const char *value = getenv(variable);

    return value != NULL && value[0] != '\0';
}

static bool has_colours(void)
{
    const char *term = getenv("TERM");

    return !is_set("NO_COLOR") && term != NULL && strcmp(term, "dumb") != 0;
}

/* 0: not known. */
static size_t find_columns(void)
{
    struct winsize size;

    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

/* --- The pager --- */

static bool is_in_path(const char *program)
{
    const char *path = getenv("PATH");
    char *copy = strdup(path != NULL ? path : "/usr/bin:/bin"), *rest = NULL;
    bool is_found = false;

    for (char *folder = copy != NULL ? strtok_r(copy, ":", &rest) : NULL;
         folder != NULL && !is_found; folder = strtok_r(NULL, ":", &rest)) {
        char *file;
        if (asprintf(&file, "%s/%s", folder, program) < 0)
            break;
        is_found = access(file, X_OK) == 0;
        free(file);
    }
    free(copy);
    return is_found;
}

/* NULL: none. */
static const char *choose_pager(void)
{
    const char *pager = getenv("PAGER");

    if (pager == NULL)
        return is_in_path("less") ? usual_pager : NULL;
    return pager[0] == '\0' || strcmp(pager, "cat") == 0 ? NULL : pager;
}

static void run_pager(const char *pager, int input)
{
    if (dup2(input, STDIN_FILENO) < 0)
        _exit(NOT_FOUND_STATUS);
    execl("/bin/sh", "sh", "-c", pager, (char *)NULL);
    _exit(NOT_FOUND_STATUS);
}

/* Ctrl-C is the pager's, and so is when to end: who leaves it needs no more of the report. */
static void leave_signals_to_pager(void)
{
    signal(SIGINT, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
}

/* Its standard input; NULL, with errno, when it cannot be started. */
static FILE *start_pager(const char *pager, pid_t *pid)
{
    int ends[2];
    FILE *input = NULL;

    if (pipe(ends) < 0)
        return NULL;
    *pid = fork();
    if (*pid == 0) {
        close(ends[1]);
        run_pager(pager, ends[0]);
    }
    close(ends[0]);
    if (*pid > 0)
        input = fdopen(ends[1], "w");
    if (input == NULL)
        close(ends[1]);
    else
        leave_signals_to_pager();
    return input;
}

/* --- Lines --- */

static FILE *open_target(struct report_screen *screen)
{
    const char *pager = screen->wants_pager ? choose_pager() : NULL;

    return pager != NULL ? start_pager(pager, &screen->pager) : stdout;
}

static int keep_text(struct report_screen *screen, const char *text, size_t length)
{
    size_t count = screen->line.count + length;

    if (mapped_array_reserve(&screen->line, count + 1, 1) < 0)
        return -ENOMEM;
    memcpy((char *)screen->line.items + screen->line.count, text, length);
    screen->line.count = count;
    return 0;
}

static void put_line(struct report_screen *screen)
{
    report_paint_line(&screen->paint, screen->line.items, screen->line.count, screen->target);
    screen->line.count = 0;
}

/* A stream's writer (fopencookie). */
static ssize_t take_text(void *cookie, const char *text, size_t length)
{
    struct report_screen *screen = cookie;
    size_t left = length;

    if (screen->target == NULL && (screen->target = open_target(screen)) == NULL)
        return 0;
    while (left > 0) {
        const char *newline = memchr(text, '\n', left);
        size_t piece = newline != NULL ? (size_t)(newline - text) : left;
        if (keep_text(screen, text, piece) < 0) {
            errno = ENOMEM;
            return 0;
        }
        if (newline != NULL)
            put_line(screen);
        piece += newline != NULL;
        text += piece;
        left -= piece;
    }
    return (ssize_t)length;
}

int report_screen_open(struct report_screen *screen, bool is_plain, bool wants_pager)
{
    *screen = (struct report_screen){ .out = stdout, .wants_pager = wants_pager };
    if (is_plain || !isatty(STDOUT_FILENO))
        return 0;
    screen->paint =
        (struct report_paint){ .columns = find_columns(), .has_colours = has_colours() };
    FILE *out = fopencookie(screen, "w", (cookie_io_functions_t){ .write = take_text });
    if (out == NULL)
        return -ENOMEM;
    screen->out = out;
    return 0;
}

/* --- The end --- */

static int flush_file(FILE *file)
{
    if (fflush(file) == 0 && !ferror(file))
        return 0;
    return errno != 0 ? -errno : -EIO;
}

static int end_pager(struct report_screen *screen)
{
    int error = flush_file(screen->target);

    fclose(screen->target);
    while (waitpid(screen->pager, NULL, 0) < 0 && errno == EINTR)
        continue;
    return error == -EPIPE ? 0 : error;
}

int report_screen_close(struct report_screen *screen)
{
    int error = flush_file(screen->out);

    if (screen->out != stdout)
        fclose(screen->out);
    if (screen->line.count > 0)
        put_line(screen);
    mapped_array_free(&screen->line);
    if (screen->pager > 0) {
        int pager_err = end_pager(screen);
        return error < 0 ? error : pager_err;
    }
    return error < 0 || screen->target == NULL ? error : flush_file(stdout);
}

int report_screen_settle(struct report_screen *screen, int error, struct failure *failure)
{
    int closing_err = report_screen_close(screen);

    if (error == 0)
        error = closing_err;
    if (error == 0)
        return EXIT_CODE_SUCCESS;
    return (int)failure_set(failure, EXIT_CODE_FAILED, "cannot print the report: %s",
                            strerror(-error));
}
