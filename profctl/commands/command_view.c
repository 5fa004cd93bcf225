/* view: a profile in the browser, with source and machine code, until no browser shows it. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include "buffer/clock.h"
#include "common/time_units.h"
#include "profctl/commands/commands.h"
#include "profctl/commands/compared_profiles.h"
#include "profctl/profile/profile_input.h"
#include "profctl/view/view_page.h"
#include "profctl/view/view_profile.h"
#include "profctl/view/view_server.h"
#include "profctl/view/view_socket.h"
#include "profctl/view/view_urls.h"

enum { LOOK_MS = 500 };

struct view {
    struct view_site site;
    struct view_server *server;
    uint16_t port;
    bool names_files; /* the profile tells of files of native functions */
};

/* --- What is served --- */

static int open_profile(struct view *view, const char *path, struct failure *failure)
{
    unsigned char magic[2] = { 0 };

    if (!profile_input_is_repeatable(path, failure))
        return (int)failure->code;
    if (!profile_input_open_file(path, &view->site.profile_fd, failure))
        return (int)failure->code;
    view->site.profile_is_gzip =
        pread(view->site.profile_fd, magic, sizeof(magic), 0) == (ssize_t)sizeof(magic) &&
        magic[0] == 0x1f && magic[1] == 0x8b;
    return EXIT_CODE_SUCCESS;
}

static int make_page(struct view *view, const char *path,
                     const struct profile_comparison *comparison, struct failure *failure)
{
    struct profile_input input;
    struct view_page_result result;

    signal(SIGXFSZ, SIG_IGN); /* a limit on the size of files is an error like any other */
    if (library_list_create(&view->site.libraries) < 0)
        return (int)failure_set(failure, EXIT_CODE_FAILED, "out of memory");
    view->site.page_fd = memfd_create("profctl-view", MFD_CLOEXEC);
    if (view->site.page_fd < 0)
        return (int)failure_set(failure, EXIT_CODE_FAILED, "cannot make the page: %s",
                                strerror(errno));
    if (!profile_input_open_again(&input, path, view->site.profile_fd, failure))
        return (int)failure->code;
    int error =
        view_page_make(input.reader, view->site.page_fd, comparison, view->site.libraries, &result);
    if (result.write_error < 0)
        failure_set(failure, EXIT_CODE_FAILED, "cannot make the page: %s",
                    strerror(-result.write_error));
    else if (error < 0)
        (void)profile_input_failed(&input, error, failure);
    profile_input_close(&input);
    view->names_files = result.names_files;
    return error < 0 ? (int)failure->code : EXIT_CODE_SUCCESS;
}

/* Takes the place of the profile: the same in the Firefox Profiler's own format. */
static int convert_profile(struct view *view, const char *path, struct failure *failure)
{
    struct profile_input input;
    int write_error = 0, fd = memfd_create("profctl-view-profile", MFD_CLOEXEC);

    if (fd < 0)
        return (int)failure_set(failure, EXIT_CODE_FAILED, "cannot convert the profile: %s",
                                strerror(errno));
    if (!profile_input_open_again(&input, path, view->site.profile_fd, failure)) {
        close(fd);
        return (int)failure->code;
    }
    int error = view_profile_make(input.reader, fd, &write_error);
    if (write_error < 0)
        failure_set(failure, EXIT_CODE_FAILED, "cannot convert the profile: %s",
                    strerror(-write_error));
    else if (error < 0)
        (void)profile_input_failed(&input, error, failure);
    profile_input_close(&input);
    close(view->site.profile_fd);
    view->site.profile_fd = fd;
    view->site.profile_is_gzip = false;
    return error < 0 ? (int)failure->code : EXIT_CODE_SUCCESS;
}

static int make_compared_page(struct view *view, const struct arguments *arguments,
                              struct failure *failure)
{
    struct report_diff diff;
    int code = compared_profiles_read(arguments, &diff, failure);

    if (code == EXIT_CODE_SUCCESS) {
        const struct profile_comparison comparison = compared_profiles_view(arguments, &diff);
        code = make_page(view, arguments->operands[0], &comparison, failure);
    }
    report_diff_free(&diff);
    return code;
}

/* --- Serving --- */

static int begin_server(struct view *view, struct failure *failure)
{
    int fd, error = view_site_make_token(&view->site);

    if (error == 0)
        error = view_socket_listen(&view->port, &fd);
    if (error == -EADDRINUSE)
        return (int)failure_set(failure, EXIT_CODE_FAILED,
                                "port %u is taken; choose another one with --port, or omit it",
                                (unsigned)view->port);
    if (error == 0)
        error = view_server_create(fd, &view->site, &view->server);
    if (error < 0)
        return (int)failure_set(failure, EXIT_CODE_FAILED, "cannot serve the profile: %s",
                                strerror(-error));
    return EXIT_CODE_SUCCESS;
}

static int ended_fd = -1; /* an eventfd: a signal asked us to end */

static void on_end(int number)
{
    int saved = errno;
    (void)number;

    (void)eventfd_write(ended_fd, 1); /* it has room for more than two */
    errno = saved;
}

/* The first one of each ends the command between requests; the next one at once, should a request
 * take longer than users like to wait. */
static int watch_signals(struct failure *failure)
{
    static const int ends[] = { SIGINT, SIGTERM, SIGHUP };
    struct sigaction action = { .sa_handler = on_end, .sa_flags = SA_RESTART | (int)SA_RESETHAND };
    bool is_watching = (ended_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) >= 0;

    for (size_t i = 0; is_watching && i < sizeof(ends) / sizeof(ends[0]); i++)
        is_watching = sigaction(ends[i], &action, NULL) == 0;
    if (is_watching)
        return EXIT_CODE_SUCCESS;
    return (int)failure_set(failure, EXIT_CODE_FAILED, "cannot watch for signals: %s",
                            strerror(errno));
}

static bool is_idle(const struct view *view, uint64_t idle_ms)
{
    return (clock_monotonic_ns() - view_server_last_request_ns(view->server)) / NS_PER_MS >=
           idle_ms;
}

static void serve_profile(const struct view *view, uint64_t idle_ms)
{
    struct pollfd waited[] = { { .fd = view_server_fd(view->server), .events = POLLIN },
                               { .fd = ended_fd, .events = POLLIN } };

    while (waited[1].revents == 0 && !is_idle(view, idle_ms)) {
        /* Whatever it says, there may be something to do. */
        (void)poll(waited, 2, view_server_due_ms(view->server, LOOK_MS));
        view_server_work(view->server);
    }
}

/* --- The browser --- */

static bool has_display(void)
{
    return getenv("DISPLAY") != NULL || getenv("WAYLAND_DISPLAY") != NULL;
}

/* In a group of its own: the browser may live longer than we do. */
static void open_browser(const char *url)
{
    char *words[] = { (char *)"xdg-open", (char *)url, NULL };
    posix_spawnattr_t attributes;
    pid_t pid;

    if (posix_spawnattr_init(&attributes) != 0)
        return;
    (void)posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    if (posix_spawnp(&pid, words[0], NULL, &attributes, words, environ) != 0)
        say("cannot open a browser: xdg-open is not installed; open the address yourself");
    (void)posix_spawnattr_destroy(&attributes);
}

static int tell_urls(const struct view *view, const struct arguments *arguments,
                     struct failure *failure)
{
    struct view_urls urls;

    if (view_urls_make(view->port, view->site.token, &urls) < 0)
        return (int)failure_set(failure, EXIT_CODE_FAILED, "out of memory");
    if (arguments->json)
        printf("{\"page\":\"%s\",\"firefoxProfiler\":\"%s\"}\n", urls.page, urls.firefox_profiler);
    else
        printf("Page:             %s\nFirefox Profiler: %s\n", urls.page, urls.firefox_profiler);
    int error = fflush(stdout) == 0 ? 0 : -errno;
    if (error == 0 && has_display() && !arguments->no_browser)
        open_browser(urls.page);
    view_urls_free(&urls);
    if (error < 0)
        return (int)failure_set(failure, EXIT_CODE_FAILED, "cannot print the addresses: %s",
                                strerror(-error));
    return EXIT_CODE_SUCCESS;
}

/* --- The command --- */

static int view_profile(struct view *view, const char *path, const struct arguments *arguments,
                        struct failure *failure)
{
    int code = open_profile(view, path, failure);

    if (code == EXIT_CODE_SUCCESS)
        code = arguments->before != NULL ? make_compared_page(view, arguments, failure)
                                         : make_page(view, path, NULL, failure);
    if (code == EXIT_CODE_SUCCESS && view->names_files)
        code = convert_profile(view, path, failure);
    if (code == EXIT_CODE_SUCCESS)
        code = watch_signals(failure);
    if (code == EXIT_CODE_SUCCESS)
        code = begin_server(view, failure);
    if (code == EXIT_CODE_SUCCESS)
        code = tell_urls(view, arguments, failure);
    if (code == EXIT_CODE_SUCCESS)
        serve_profile(view, arguments->idle_ms);
    return code;
}

static void close_if_open(int fd)
{
    if (fd >= 0)
        close(fd);
}

int command_view(const struct arguments *arguments, struct failure *failure)
{
    struct view view = { .site = { .profile_fd = -1, .page_fd = -1 },
                         .port = (uint16_t)arguments->port };
    int code = compared_profiles_check(arguments, failure)
                   ? view_profile(&view, arguments->operands[0], arguments, failure)
                   : (int)failure->code;

    view_server_destroy(view.server);
    library_list_free(view.site.libraries);
    close_if_open(view.site.profile_fd);
    close_if_open(view.site.page_fd);
    close_if_open(ended_fd);
    ended_fd = -1;
    return code;
}
