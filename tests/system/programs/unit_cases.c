/* unit_cases CASE: units in odd places. Says what they really used, "truth CPU_NS", and what their
 * group "handler case" is told to have used, "told CPU_NS TICKS BLOCKED_NS".
 *
 * polls: a unit that waits in polls. helper: entered by another function than the one that goes on.
 * many: a thousand units in one. jump: the call-back is left by longjmp. fork: the call-back forks,
 * and so does the unit. alarm: a signal handler polls while groups are made. filter: a filter that
 * kills who reads a clock is set inside. blocked: the first thing a thread does. waits: for nothing
 * in a poll, and for a child, 50 ms each, and sleeps. handler: a handler of signals waits in the
 * middle of a wait for a child of 100 ms. cancelled: a unit is left while it is blocked. left: a
 * wait is left by siglongjmp after 50 ms. commands: of 100 ms each, by system() and popen(). idle:
 * units that nobody measures, outermost ones and around one that somebody does; truth is what they
 * used.
 * asked: the call-back enters units itself, and says that it has put more groups than there are.
 * thread: a thread ends inside. ticks: CPU time and blocked time are not asked for.
 *
 * Of each thread also "top TICKS UNATTRIBUTED_NS". */
#include <errno.h>
#include <poll.h>
#include <profd.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/call_filter.h"
#include "tests/system/programs/burn.h"

enum { MS = 1000 * 1000, MANY = 1000, GROUPS = 3000, ALARM_US = 200 };

PROFD_UNIT(unit, "handler", "case");
PROFD_UNIT(inner, "handler", "inner");

static uint64_t truth_ns;
static jmp_buf out_of_call_back;

static void burn_ms(uint64_t ms)
{
    uint64_t end_ns = thread_cpu_ns() + ms * MS;
    while (thread_cpu_ns() < end_ns)
        burn_sink += burn_sink * 3 + 1;
}

static void poll_in_unit(void)
{
    struct profd_stopwatch watch;
    for (int i = 0; i < 10; i++) {
        uint64_t start_ns = thread_cpu_ns();
        profd_unit_enter(&watch, &unit);
        for (int j = 0; j < 5; j++) {
            burn_ms(1);
            (void)poll(NULL, 0, 1);
        }
        profd_unit_leave(&watch);
        truth_ns += thread_cpu_ns() - start_ns;
    }
}

static __attribute__((noinline)) void begin_unit(struct profd_stopwatch *watch)
{
    volatile char room[512];
    room[0] = 0;
    profd_unit_enter(watch, &unit);
    burn_sink += (uint64_t)room[0];
}

static void enter_by_helper(void)
{
    struct profd_stopwatch outer, watch;
    begin_unit(&outer);
    burn_ms(20);
    profd_unit_enter(&watch, &inner);
    burn_ms(5);
    profd_unit_leave(&watch);
    burn_ms(20);
    profd_unit_leave(&outer);
    truth_ns = 40 * MS;
}

/* All of them are told as "case": each of these has a group of its own, and that one beside it. */
static void enter_many(void)
{
    static struct profd_unit units[MANY];
    static char names[MANY][16];
    struct profd_stopwatch outer, watch;
    profd_unit_enter(&outer, &inner);
    for (int i = 0; i < MANY; i++) {
        snprintf(names[i], sizeof(names[i]), "%d", i);
        units[i] = (struct profd_unit){ .kind = "one", .name = names[i] };
        uint64_t start_ns = thread_cpu_ns();
        profd_unit_enter(&watch, &units[i]);
        burn_ms(1);
        profd_unit_leave(&watch);
        truth_ns += thread_cpu_ns() - start_ns;
    }
    profd_unit_leave(&outer);
}

static size_t belongs_to_case(const struct profd_unit *entered, struct profd_group **out,
                              size_t most, void *context)
{
    (void)context;
    if (most == 0 || strcmp(entered->kind, "one") != 0)
        return 0;
    out[0] = profd_group_ref("handler", "case", 0, 0);
    return 1;
}

static size_t jump_out(const struct profd_unit *entered, struct profd_group **out, size_t most,
                       void *context)
{
    (void)out, (void)most, (void)context;
    if (entered == &inner)
        longjmp(out_of_call_back, 1);
    return 0;
}

static void jump_out_of_call_back(void)
{
    struct profd_stopwatch watch;
    profd_units_ask(jump_out, NULL);
    if (setjmp(out_of_call_back) == 0)
        profd_unit_enter(&watch, &inner);
    profd_unit_enter(&watch, &unit);
    burn_ms(20);
    profd_unit_leave(&watch);
    truth_ns = 20 * MS;
}

static size_t fork_there(const struct profd_unit *entered, struct profd_group **out, size_t most,
                         void *context)
{
    (void)entered, (void)out, (void)most;
    *(pid_t *)context = fork();
    return 0;
}

static void end_child(pid_t child)
{
    int status = 1;
    if (child == 0)
        exit(0);
    if (waitpid(child, &status, 0) != child || status != 0) {
        fprintf(stderr, "a child ended with %d\n", status);
        exit(1);
    }
}

static void fork_everywhere(void)
{
    struct profd_stopwatch watch;
    pid_t child = -1;
    profd_units_ask(fork_there, &child);
    profd_unit_enter(&watch, &unit);
    bool is_child = child == 0;
    if (!is_child)
        child = fork();
    burn_ms(20);
    profd_unit_leave(&watch);
    end_child(child);
    while (waitpid(-1, NULL, 0) > 0) /* the one of the call-back */
        ;
    truth_ns = 20 * MS;
}

static void on_alarm(int number)
{
    (void)number;
    int before = errno;
    (void)poll(NULL, 0, 0);
    errno = before;
}

static void make_groups_under_alarm(void)
{
    const struct itimerval often = { { 0, ALARM_US }, { 0, ALARM_US } },
                           never = { { 0, 0 }, { 0, 0 } };
    char name[32];
    signal(SIGALRM, on_alarm);
    setitimer(ITIMER_REAL, &often, NULL);
    for (int i = 0; i < GROUPS; i++) {
        snprintf(name, sizeof(name), "group %d", i);
        struct profd_unit one = { .kind = "one", .name = name };
        struct profd_stopwatch watch;
        profd_unit_enter(&watch, &one);
        profd_unit_leave(&watch);
        profd_unit_forget(&one);
    }
    setitimer(ITIMER_REAL, &never, NULL);
}

static void *filter_in_unit(void *argument)
{
    struct profd_stopwatch watch;
    profd_unit_enter(&watch, &unit);
    if (filter_call(SYS_clock_gettime, SECCOMP_RET_KILL_PROCESS) < 0)
        exit(1);
    profd_unit_leave(&watch);
    return argument;
}

static void *block_at_once(void *argument)
{
    struct profd_stopwatch watch;
    profd_unit_enter(&watch, &unit);
    profd_blocked_begin();
    usleep(50 * 1000);
    profd_blocked_end();
    profd_unit_leave(&watch);
    return argument;
}

static void *burn_and_block(void *argument)
{
    struct profd_stopwatch watch;
    profd_unit_enter(&watch, &unit);
    burn_ms(5);
    profd_unit_leave(&watch);
    return block_at_once(argument);
}

static void *wait_in_unit(void *argument)
{
    struct profd_stopwatch watch;
    pid_t child = fork();
    if (child == 0) {
        usleep(100 * 1000);
        _exit(0);
    }
    profd_unit_enter(&watch, &unit);
    (void)poll(NULL, 0, 50);
    if (waitpid(child, NULL, 0) != child)
        exit(1);
    usleep(50 * 1000);
    profd_unit_leave(&watch);
    return argument;
}

static void wait_in_handler(int number)
{
    int call_errno = errno;
    (void)number;
    (void)waitpid(-1, NULL, WNOHANG | WNOWAIT);
    (void)poll(NULL, 0, 0);
    errno = call_errno;
}

static void wait_with_handler(void)
{
    const struct itimerval once = { .it_value = { .tv_usec = 20 * 1000 } };
    const struct sigaction action = { .sa_handler = wait_in_handler, .sa_flags = SA_RESTART };
    struct profd_stopwatch watch;
    pid_t child = fork();
    if (child == 0) {
        usleep(100 * 1000);
        _exit(0);
    }
    profd_unit_enter(&watch, &unit);
    if (sigaction(SIGALRM, &action, NULL) != 0 || setitimer(ITIMER_REAL, &once, NULL) != 0 ||
        waitpid(child, NULL, 0) != child)
        exit(1);
    profd_unit_leave(&watch);
}

__attribute__((noinline)) static void jump_in_unit(void)
{
    struct profd_stopwatch watch;
    profd_unit_enter(&watch, &inner);
    profd_blocked_begin();
    longjmp(out_of_call_back, 1);
}

static void jump_while_blocked(void)
{
    struct profd_stopwatch watch;
    if (setjmp(out_of_call_back) == 0)
        jump_in_unit();
    profd_unit_enter(&watch, &unit);
    profd_unit_leave(&watch);
    profd_unit_enter(&watch, &unit);
    usleep(200 * 1000);
    profd_unit_leave(&watch);
}

static sigjmp_buf out_of_wait;

static void leave_wait(int number)
{
    (void)number;
    siglongjmp(out_of_wait, 1);
}

static void leave_a_wait(void)
{
    const struct itimerval once = { .it_value = { .tv_usec = 50 * 1000 } };
    struct profd_stopwatch watch;
    profd_unit_enter(&watch, &unit);
    signal(SIGALRM, leave_wait);
    if (sigsetjmp(out_of_wait, 1) == 0) {
        (void)setitimer(ITIMER_REAL, &once, NULL);
        (void)poll(NULL, 0, -1);
    }
    profd_unit_leave(&watch);
    profd_unit_enter(&watch, &unit);
    usleep(200 * 1000);
    profd_unit_leave(&watch);
}

static void *run_commands(void *argument)
{
    struct profd_stopwatch watch;
    profd_unit_enter(&watch, &unit);
    if (system("exec sleep 0.1") != 0)
        exit(1);
    FILE *sleeper = popen("exec sleep 0.1", "r");
    if (sleeper == NULL || pclose(sleeper) != 0)
        exit(1);
    profd_unit_leave(&watch);
    return argument;
}

/* Nobody has said that it is measured. */
PROFD_UNIT(bystander, "handler", "bystander");

static void enter_unmeasured(void)
{
    struct profd_stopwatch outer, watch;
    profd_unit_set_active(&bystander, false);
    profd_unit_set_active(&unit, true);
    for (int i = 0; i < 3; i++) {
        uint64_t start_ns = thread_cpu_ns();
        profd_unit_enter(&outer, &bystander);
        burn_ms(2);
        profd_unit_leave(&outer);
        truth_ns += thread_cpu_ns() - start_ns;
    }
    profd_unit_enter(&outer, &bystander);
    profd_unit_enter(&watch, &unit);
    burn_ms(5);
    profd_unit_leave(&watch);
    uint64_t start_ns = thread_cpu_ns();
    burn_ms(3);
    profd_unit_leave(&outer);
    truth_ns += thread_cpu_ns() - start_ns;
}

static void tell_top(const struct profd_group_stats *stats, void *context)
{
    (void)context;
    if (stats->flags & PROFD_GROUP_TOP)
        printf("top %llu %llu\n", (unsigned long long)stats->ticks,
               (unsigned long long)stats->unattributed_ns);
}

static size_t claim_groups(const struct profd_unit *entered, struct profd_group **out, size_t most,
                           void *context)
{
    struct profd_stopwatch watch, again;
    (void)entered, (void)context;
    profd_unit_enter(&watch, &inner);
    profd_unit_enter(&again, &unit);
    profd_unit_leave(&again);
    profd_unit_leave(&watch);
    out[0] = profd_group_ref("tenant", "one", 0, 0);
    return most * 1000;
}

static void enter_in_call_back(void)
{
    struct profd_stopwatch watch = { 0 }, bystanding;
    profd_unit_leave(&watch); /* that was never entered */
    profd_unit_enter(&bystanding, &bystander);
    profd_unit_leave(&bystanding);
    profd_unit_forget(&bystander); /* what it had is used again */
    profd_units_ask(claim_groups, NULL);
    profd_unit_enter(&watch, &unit);
    burn_ms(20);
    profd_unit_leave(&watch);
    profd_unit_leave(&watch);
    truth_ns = 20 * MS;
}

static void *end_in_unit(void *argument)
{
    static struct profd_stopwatch watch;
    profd_unit_enter(&watch, &unit);
    return argument;
}

static void run_thread(void *(*routine)(void *))
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, routine, NULL) != 0 || pthread_join(thread, NULL) != 0)
        exit(1);
}

static void note_stats(const struct profd_group_stats *stats, void *context)
{
    (void)context;
    if (stats->name_bytes == 4 && memcmp(stats->name, "case", 4) == 0 && stats->ticks != 0)
        printf("told %llu %llu %llu\n", (unsigned long long)stats->cpu_ns,
               (unsigned long long)stats->ticks, (unsigned long long)stats->blocked_ns);
}

static int run_case(const char *name)
{
    if (strcmp(name, "polls") == 0)
        poll_in_unit();
    else if (strcmp(name, "helper") == 0)
        enter_by_helper();
    else if (strcmp(name, "many") == 0)
        profd_units_ask(belongs_to_case, NULL), enter_many();
    else if (strcmp(name, "jump") == 0)
        jump_out_of_call_back();
    else if (strcmp(name, "fork") == 0)
        fork_everywhere();
    else if (strcmp(name, "alarm") == 0)
        make_groups_under_alarm();
    else if (strcmp(name, "filter") == 0)
        run_thread(filter_in_unit);
    else if (strcmp(name, "blocked") == 0)
        run_thread(block_at_once);
    else if (strcmp(name, "ticks") == 0)
        profd_groups_measure(PROFD_MEASURE_UNITS), run_thread(burn_and_block);
    else if (strcmp(name, "waits") == 0)
        run_thread(wait_in_unit);
    else if (strcmp(name, "handler") == 0)
        wait_with_handler();
    else if (strcmp(name, "cancelled") == 0)
        jump_while_blocked();
    else if (strcmp(name, "left") == 0)
        leave_a_wait();
    else if (strcmp(name, "commands") == 0)
        run_thread(run_commands);
    else if (strcmp(name, "asked") == 0)
        enter_in_call_back();
    else if (strcmp(name, "idle") == 0)
        profd_groups_monitor(true, false), enter_unmeasured();
    else if (strcmp(name, "thread") == 0)
        run_thread(end_in_unit);
    else
        return 2;
    return 0;
}

int main(int argc, char **argv)
{
    profd_groups_monitor(true, true);
    int status = argc == 2 ? run_case(argv[1]) : 2;
    printf("truth %llu\n", (unsigned long long)truth_ns);
    (void)profd_groups_snapshot(note_stats, NULL);
    (void)profd_groups_snapshot(tell_top, NULL);
    return status;
}
