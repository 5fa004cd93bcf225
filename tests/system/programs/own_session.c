/* own_session WORD…: does what each word says and tells what came of it, "WORD RESULT" a line,
 * where RESULT is 0 or the name of an error. Words are in the table below; "mark=NAME" records a
 * marker, "capture=FILE" writes a capture, "until=FILE" waits until there is a FILE. */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <profd.h>

#include "tests/system/programs/burn.h"
#include "tests/system/programs/idle_thread.h"
#include "tests/system/programs/raw_fork.h"

enum { STORM_THREADS = 4, STORM_ROUNDS = 200, MANY_MARKERS = 20000 };

static const char *name_of(int error)
{
    return error == 0                                     ? "0"
           : error < 0 && strerrorname_np(-error) != NULL ? strerrorname_np(-error)
                                                          : "?";
}

static int start_with(struct profd_session_options options)
{
    return profd_session_start(&options);
}

static int start_session(void)
{
    return profd_session_start(NULL);
}

static int start_wall(void)
{
    return start_with(
        (struct profd_session_options){ .clock = "wall", .features = "stacks,cpu,markers" });
}

static int start_large(void)
{
    return start_with((struct profd_session_options){ .limit_bytes = 128 << 20 });
}

/* More than profctl run asks for by itself. */
static int start_more(void)
{
    return start_with((struct profd_session_options){ .features = "stacks,switches" });
}

static int start_of_all(void)
{
    return start_with((struct profd_session_options){ .scope = PROFD_SESSION_OF_ALL });
}

static int start_of_all_wall(void)
{
    return start_with(
        (struct profd_session_options){ .scope = PROFD_SESSION_OF_ALL, .clock = "wall" });
}

static int unknown_scope(void)
{
    return start_with((struct profd_session_options){ .scope = 2 });
}

static int start_filtered(void)
{
    return start_with((struct profd_session_options){ .threads = "nobody" });
}

static int short_interval(void)
{
    return start_with((struct profd_session_options){ .interval_ns = 1 });
}

static int long_interval(void)
{
    return start_with((struct profd_session_options){ .interval_ns = UINT64_MAX });
}

static int small_limit(void)
{
    return start_with((struct profd_session_options){ .limit_bytes = 4096 });
}

static int unknown_clock(void)
{
    return start_with((struct profd_session_options){ .clock = "sundial" });
}

static int unknown_feature(void)
{
    return start_with((struct profd_session_options){ .features = "stacks,stakcs" });
}

static int bad_filter(void)
{
    return start_with((struct profd_session_options){ .threads = "pid:x" });
}

static int long_filter(void)
{
    static char text[100000];
    memset(text, 'a', sizeof(text) - 1);
    return start_with((struct profd_session_options){ .threads = text });
}

static int start_with_reserved(void)
{
    return start_with((struct profd_session_options){ .reserved = { 0, 0, 1 } });
}

static int is_active(void)
{
    return profd_is_active() ? 0 : -ENOENT;
}

static int burn_time(void)
{
    PROFD_LABEL_SCOPE("burning", PROFD_CATEGORY_COMPUTE);
    burn_outer(0.2);
    return 0;
}

static int capture_nothing(void)
{
    return profd_capture_to_fd(-1);
}

static int capture_closed(void)
{
    return profd_capture_to_fd(1000);
}

static int capture_readonly(void)
{
    int fd = open("/dev/null", O_RDONLY);
    int error = profd_capture_to_fd(fd);
    close(fd);
    return error;
}

static int capture_full(void)
{
    int fd = open("/dev/full", O_WRONLY);
    int error = profd_capture_to_fd(fd);
    close(fd);
    return error;
}

static int capture_unread(void)
{
    int ends[2];
    if (pipe(ends) < 0)
        return -errno;
    close(ends[0]);
    int error = profd_capture_to_fd(ends[1]);
    close(ends[1]);
    return error;
}

static void *read_slowly(void *end)
{
    char bytes[1000];
    size_t total = 0;
    ssize_t got;
    while ((got = read(*(int *)end, bytes, sizeof(bytes))) > 0)
        total += (size_t)got;
    return (void *)total;
}

/* Into a pipe that does not block, of what is more than it holds. */
static int capture_pipe(void)
{
    for (int i = 0; i < MANY_MARKERS; i++)
        PROFD_MARKER("one of many", PROFD_CATEGORY_OTHER);
    int ends[2];
    pthread_t reader;
    void *total;
    if (pipe2(ends, O_NONBLOCK) < 0 || fcntl(ends[0], F_SETFL, 0) < 0)
        return -errno;
    pthread_create(&reader, NULL, read_slowly, &ends[0]);
    int error = profd_capture_to_fd(ends[1]);
    close(ends[1]);
    pthread_join(reader, &total);
    close(ends[0]);
    return error < 0 ? error : (size_t)total > 10 * MANY_MARKERS ? 0 : -ENODATA;
}

static sem_t was_called;
static int called_result;

static void stop_there(enum profd_sampling_outcome outcome, void *unused)
{
    (void)outcome, (void)unused;
    called_result = profd_session_stop();
    sem_post(&was_called);
}

static int stop_in_callback(void)
{
    sem_init(&was_called, 0, 0);
    int error = profd_call_after_sampling(stop_there, NULL);
    if (error < 0)
        return error;
    while (sem_wait(&was_called) < 0)
        ;
    return called_result;
}

/* A child that the C library knows nothing of. */
static int start_in_raw_child(void)
{
    int status;
    pid_t child = raw_fork();
    if (child == 0)
        _exit(-profd_session_start(NULL));
    waitpid(child, &status, 0);
    return -WEXITSTATUS(status);
}

static void *make_trouble(void *seed)
{
    unsigned state = (unsigned)(uintptr_t)seed;
    int fd = open("/dev/null", O_WRONLY);
    for (int i = 0; i < STORM_ROUNDS; i++) {
        switch (rand_r(&state) % 6) {
        case 0:
            profd_session_start(NULL);
            break;
        case 1:
            profd_session_stop();
            break;
        case 2:
            profd_session_pause();
            break;
        case 3:
            profd_session_resume();
            break;
        case 4:
            profd_capture_to_fd(fd);
            break;
        default: {
            pid_t child = fork();
            if (child == 0)
                _exit(profd_is_active() && profd_capture_to_fd(fd) < 0 ? 1 : 0);
            waitpid(child, NULL, 0);
        }
        }
        PROFD_MARKER("trouble", PROFD_CATEGORY_OTHER);
    }
    close(fd);
    return NULL;
}

static int storm_threads(void)
{
    pthread_t threads[STORM_THREADS];
    for (int i = 0; i < STORM_THREADS; i++)
        pthread_create(&threads[i], NULL, make_trouble, (void *)(uintptr_t)(i + 1));
    for (int i = 0; i < STORM_THREADS; i++)
        pthread_join(threads[i], NULL);
    (void)profd_session_stop();
    return 0;
}

static int go_on_in_child(void)
{
    int status;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0)
        return 0;
    waitpid(child, &status, 0);
    exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}

static int capture_into(const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    int error = profd_capture_to_fd(fd);
    return close(fd) < 0 ? -errno : error;
}

static int mark_instant(const char *name)
{
    PROFD_MARKER_NAMED(name, PROFD_CATEGORY_OTHER, profd_instant(), NULL);
    return 0;
}

static int wait_for(const char *path)
{
    while (access(path, F_OK) < 0)
        (void)poll(NULL, 0, 10);
    return 0;
}

/* Kills whoever makes one of the calls that sessions take. */
static int set_filter(void)
{
    struct sock_filter lines[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_timer_settime, 4, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_timer_create, 3, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clock_nanosleep, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_memfd_create, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
    };
    const struct sock_fprog filter = { .len = sizeof(lines) / sizeof(lines[0]), .filter = lines };
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) < 0)
        return -errno;
    return 0;
}

static const struct {
    const char *word;
    int (*act)(void);
} words[] = {
    { "start", start_session },
    { "start-wall", start_wall },
    { "start-large", start_large },
    { "start-more", start_more },
    { "start-of-all", start_of_all },
    { "start-of-all-wall", start_of_all_wall },
    { "unknown-scope", unknown_scope },
    { "start-filtered", start_filtered },
    { "short-interval", short_interval },
    { "long-interval", long_interval },
    { "small-limit", small_limit },
    { "unknown-clock", unknown_clock },
    { "unknown-feature", unknown_feature },
    { "bad-filter", bad_filter },
    { "long-filter", long_filter },
    { "reserved", start_with_reserved },
    { "stop", profd_session_stop },
    { "pause", profd_session_pause },
    { "resume", profd_session_resume },
    { "active", is_active },
    { "burn", burn_time },
    { "capture-nothing", capture_nothing },
    { "capture-closed", capture_closed },
    { "capture-readonly", capture_readonly },
    { "capture-full", capture_full },
    { "capture-unread", capture_unread },
    { "capture-pipe", capture_pipe },
    { "stop-in-callback", stop_in_callback },
    { "start-in-raw-child", start_in_raw_child },
    { "storm", storm_threads },
    { "filter", set_filter },
    { "fork", go_on_in_child },
};

static const struct {
    const char *prefix;
    int (*act)(const char *value);
} words_with_value[] = {
    { "capture=", capture_into },
    { "mark=", mark_instant },
    { "until=", wait_for },
};

static int obey_word(const char *word)
{
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (strcmp(words[i].word, word) == 0)
            return words[i].act();
    for (size_t i = 0; i < sizeof(words_with_value) / sizeof(words_with_value[0]); i++) {
        size_t length = strlen(words_with_value[i].prefix);
        if (strncmp(words_with_value[i].prefix, word, length) == 0)
            return words_with_value[i].act(word + length);
    }
    fprintf(stderr, "no such word: %s\n", word);
    exit(2);
}

int main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (idle_thread_if_wanted() != 0)
        return 1;
    for (int i = 1; i < argc; i++)
        printf("%s %s\n", argv[i], name_of(obey_word(argv[i])));
    return 0;
}
