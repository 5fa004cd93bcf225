/* Interposed: running programs, to tell profd of them: of those that will not be profiled nobody
 * else can say what they were once they have ended. One look at the file; the call itself is made
 * as it is, but for libraries of ours in LD_PRELOAD that the program could not load, and with the
 * signals that the caller believes to ignore and to block. */
#include <alloca.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "child-agent/census.h"
#include "child-agent/census_unasked.h"
#include "child-agent/core.h"
#include "child-agent/dormancy.h"
#include "child-agent/guest/interpose.h"
#include "child-agent/guest/preload.h"
#include "child-agent/guest/raised_limits.h"
#include "child-agent/guest/real_calls.h"
#include "child-agent/guest/string_vector.h"
#include "child-agent/guest/valgrind_x86_64.h"
#include "child-agent/sampler/inherited_signals.h"
#include "child-agent/sampler/small_stacks.h"
#include "child-agent/task_places.h"
#include "common/program_facts.h"

/* As long as the paths of programs usually are; those of longer ones are not judged. */
enum { FOUND_PATH_BYTES = 1024 };

typedef int execve_function(const char *, char *const *, char *const *);
typedef int execv_function(const char *, char *const *);
typedef int execveat_function(int, const char *, char *const *, char *const *, int);
typedef int fexecve_function(int, char *const *, char *const *);
typedef int spawn_function(pid_t *, const char *, const posix_spawn_file_actions_t *,
                           const posix_spawnattr_t *, char *const *, char *const *);

static struct {
    execve_function *execve, *execvpe;
    execv_function *execv, *execvp;
    execveat_function *execveat;
    fexecve_function *fexecve;
    spawn_function *posix_spawn, *posix_spawnp;
} real;

/* Early: a forked child of many threads must not ask the loader. */
__attribute__((constructor)) static void find_real(void)
{
    if (real.execve != NULL)
        return;
    real.execvpe = (execve_function *)real_symbol("execvpe");
    real.execv = (execv_function *)real_symbol("execv");
    real.execvp = (execv_function *)real_symbol("execvp");
    real.execveat = (execveat_function *)real_symbol("execveat");
    real.fexecve = (fexecve_function *)real_symbol("fexecve");
    real.posix_spawn = (spawn_function *)real_symbol("posix_spawn");
    real.posix_spawnp = (spawn_function *)real_symbol("posix_spawnp");
    real.execve = (execve_function *)real_symbol("execve");
}

/* What can be done for a program that is about to be run; each includes those before it. A filter
 * might not let us make the calls that it takes, and a signal stack may have no room for it. */
enum care {
    CARE_NONE,
    CARE_PREPARE, /* signals and limits */
    CARE_TELL,    /* the census of its name */
    CARE_LOOK,    /* at its file, and where it is */
};

static enum care possible_care(void)
{
    enum { TELLING_BYTES = 2048, LOOKING_BYTES = 8192 };
    if (!core.is_enabled || atomic_load(&core.has_filter))
        return CARE_NONE;
    const size_t room_bytes = small_stacks_room_bytes();
    if (room_bytes < TELLING_BYTES)
        return CARE_PREPARE;
    return room_bytes < LOOKING_BYTES ? CARE_TELL : CARE_LOOK;
}

/* Where the program that is called NAME is, in FOUND; NULL when there is none, NAME when nobody
 * looks. */
static const char *find_program(const char *name, enum care care, char found[FOUND_PATH_BYTES])
{
    if (care < CARE_LOOK)
        return name;
    int call_errno = errno;
    int error = program_find(AT_FDCWD, name, getenv("PATH"), found, FOUND_PATH_BYTES);

    errno = call_errno;
    return error == 0 ? found : NULL;
}

/* The file of a program that is about to be run, which is looked at once. */
struct program_sight {
    const char *path; /* borrowed */
    enum care care;
    bool is_seen; /* else it cannot be read, or nobody looks */
    struct program_facts facts;
};

static struct program_sight sight_program(int directory_fd, const char *path, enum care care)
{
    struct program_sight sight = { .path = path, .care = care };
    int call_errno = errno;
    sight.is_seen =
        care == CARE_LOOK && path != NULL && program_look_at(directory_fd, path, &sight.facts) == 0;
    errno = call_errno;
    return sight;
}

/* Whether the program would be ended by its sanitizer for having the agent. */
static bool refuses_agent(const struct program_sight *sight, char *const *environment)
{
    struct program_facts facts = sight->facts;
    for (; facts.sanitizer != SANITIZER_NONE && environment != NULL && *environment != NULL;
         environment++)
        program_look_variable(*environment, &facts);
    return program_refuses_agent(&facts);
}

/* What may be read of ENVIRONMENT before the call. The kernel answers EFAULT for one that cannot be
 * read. That of this process is everybody's to read; and a filter might not allow the call that it
 * takes to know, nor valgrind pass it over. */
static char *const *readable_environment(char *const *environment)
{
    bool is_trusted =
        environment == environ || atomic_load(&core.has_filter) || valgrind_runs_this();
    return is_trusted || string_vector_is_readable(environment) ? environment : NULL;
}

/* ENVIRONMENT becomes one that the program at PATH can be run with; READABLE is what may be read of
 * it, SIGHT has what is seen of the program, and LACKS_AGENT whether the agent is out of its reach,
 * or refused. On the stack of who runs it: there is no other place between vfork and exec. */
#define ADAPT(environment, readable, lacks_agent, sight, directory_fd, path, care)                 \
    const struct program_sight sight = sight_program(directory_fd, path, care);                    \
    char *const *readable = readable_environment(environment);                                     \
    bool is_refused = refuses_agent(&sight, readable);                                             \
    struct preload_look look = preload_look(readable, is_refused);                                 \
    bool lacks_agent = look.lacks_agent;                                                           \
    if (look.rewritten_bytes > 0)                                                                  \
    environment = readable = preload_rewrite(readable, is_refused, alloca(look.rewritten_bytes))

static void judge_program(struct census_program *program, const struct program_sight *sight,
                          char *const *environment, bool lacks_agent)
{
    if (sight->care == CARE_TELL)
        census_judge_unlooked(program, sight->path);
    else
        census_judge(program, sight->path, sight->is_seen ? &sight->facts : NULL, environment,
                     lacks_agent);
}

/* What is undone when this process does not become another program. */
struct becoming {
    struct census_program program;
    struct profd_process_id caller; /* of whom it is told; its number is 0: of nobody */
    bool is_prepared;               /* else signals and limits are as they were */
    struct inherited_signals signals;
};

/* Behind a filter. Who calls is asked only if there is something to tell; the path may be no
 * address, which is for the kernel to say. */
static void announce_unseen(struct becoming *becoming, const struct program_sight *sight)
{
    judge_program(&becoming->program, sight, NULL, true);
    if (!becoming->program.is_told)
        return;
    becoming->caller = census_unasked_caller_of(becoming->program.path);
    if (becoming->caller.number != 0)
        census_report_exec(&becoming->program, becoming->caller);
}

/* Before this process becomes the program in SIGHT, and after it did not. */
static void announce_exec(struct becoming *becoming, const struct program_sight *sight,
                          char *const *environment, bool lacks_agent)
{
    find_real();
    *becoming = (struct becoming){ 0 };
    if (sight->care == CARE_NONE) {
        announce_unseen(becoming, sight);
        return;
    }
    dormancy_prepare_leaving();
    judge_program(&becoming->program, sight, environment, lacks_agent);
    becoming->caller = profd_current_process_id();
    census_report_exec(&becoming->program, becoming->caller);
    inherited_signals_begin(&becoming->signals);
    raised_limits_lower();
    becoming->is_prepared = true;
}

static int withdraw_exec(const struct becoming *becoming, int result)
{
    if (becoming->caller.number != 0)
        census_report_failed(&becoming->program, becoming->caller);
    if (!becoming->is_prepared)
        return result;
    raised_limits_raise_again();
    inherited_signals_end(&becoming->signals);
    return result;
}

PROFD_INTERPOSED int execve(const char *path, char *const arguments[], char *const environment[])
{
    struct becoming becoming;
    ADAPT(environment, readable, lacks_agent, sight, AT_FDCWD, path, possible_care());
    announce_exec(&becoming, &sight, readable, lacks_agent);
    return withdraw_exec(&becoming, real.execve(path, arguments, environment));
}

PROFD_INTERPOSED int execv(const char *path, char *const arguments[])
{
    struct becoming becoming;
    char *const *environment = environ;
    ADAPT(environment, readable, lacks_agent, sight, AT_FDCWD, path, possible_care());
    announce_exec(&becoming, &sight, readable, lacks_agent);
    return withdraw_exec(&becoming, environment == environ
                                        ? real.execv(path, arguments)
                                        : real.execve(path, arguments, environment));
}

PROFD_INTERPOSED int execvp(const char *name, char *const arguments[])
{
    struct becoming becoming;
    char found[FOUND_PATH_BYTES];
    char *const *environment = environ;
    const enum care care = possible_care();
    const char *path = find_program(name, care, found);
    ADAPT(environment, readable, lacks_agent, sight, AT_FDCWD, path, care);
    announce_exec(&becoming, &sight, readable, lacks_agent);
    return withdraw_exec(&becoming, environment == environ
                                        ? real.execvp(name, arguments)
                                        : real.execvpe(name, arguments, environment));
}

PROFD_INTERPOSED int execvpe(const char *name, char *const arguments[], char *const environment[])
{
    struct becoming becoming;
    char found[FOUND_PATH_BYTES];
    const enum care care = possible_care();
    const char *path = find_program(name, care, found);
    ADAPT(environment, readable, lacks_agent, sight, AT_FDCWD, path, care);
    announce_exec(&becoming, &sight, readable, lacks_agent);
    return withdraw_exec(&becoming, real.execvpe(name, arguments, environment));
}

PROFD_INTERPOSED int execveat(int directory_fd, const char *path, char *const arguments[],
                              char *const environment[], int flags)
{
    struct becoming becoming;
    ADAPT(environment, readable, lacks_agent, sight, directory_fd, path, possible_care());
    announce_exec(&becoming, &sight, readable, lacks_agent);
    return withdraw_exec(&becoming,
                         real.execveat(directory_fd, path, arguments, environment, flags));
}

PROFD_INTERPOSED int fexecve(int fd, char *const arguments[], char *const environment[])
{
    struct becoming becoming;
    char path[64];
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    ADAPT(environment, readable, lacks_agent, sight, AT_FDCWD, path, possible_care());
    announce_exec(&becoming, &sight, readable, lacks_agent);
    return withdraw_exec(&becoming, real.fexecve(fd, arguments, environment));
}

/* --- The same with arguments one by one --- */

static size_t count_arguments(va_list *list)
{
    size_t count = 1;
    while (va_arg(*list, const char *) != NULL)
        count++;
    return count;
}

static void copy_arguments(char **arguments, const char *first, size_t count, va_list *list)
{
    arguments[0] = (char *)first;
    for (size_t i = 1; i <= count; i++)
        arguments[i] = va_arg(*list, char *);
}

/* ARGUMENTS from FIRST and what follows it, terminated. On the stack: no allocation is safe here.
 */
#define COLLECT(arguments, first)                                                                  \
    va_list list;                                                                                  \
    va_start(list, first);                                                                         \
    size_t count = count_arguments(&list);                                                         \
    va_end(list);                                                                                  \
    char **arguments = alloca((count + 1) * sizeof(char *));                                       \
    va_start(list, first);                                                                         \
    copy_arguments(arguments, first, count, &list)

PROFD_INTERPOSED int execl(const char *path, const char *first, ...)
{
    COLLECT(arguments, first);
    va_end(list);
    return execv(path, arguments);
}

PROFD_INTERPOSED int execlp(const char *name, const char *first, ...)
{
    COLLECT(arguments, first);
    va_end(list);
    return execvp(name, arguments);
}

PROFD_INTERPOSED int execle(const char *path, const char *first, ...)
{
    COLLECT(arguments, first);
    char *const *environment = va_arg(list, char *const *);
    va_end(list);
    return execve(path, arguments, environment);
}

/* --- Programs that are run beside this one --- */

struct new_program {
    spawn_function *spawn;
    pid_t *pid;
    const char *path;
    const posix_spawn_file_actions_t *actions;
    const posix_spawnattr_t *attributes;
    char *const *arguments;
    char *const *environment;
};

static int make_process(void *argument)
{
    const struct new_program *new = argument;
    struct inherited_signals signals;
    inherited_signals_begin(&signals);
    int error = new->spawn(new->pid, new->path, new->actions, new->attributes, new->arguments,
                           new->environment);
    inherited_signals_end(&signals);
    return error;
}

static int run_beside(struct new_program *new, const struct census_program *program)
{
    int error = task_places_make(make_process, new);
    if (error == 0)
        census_report_exec(program, (struct profd_process_id){ *new->pid });
    return error;
}

PROFD_INTERPOSED int posix_spawn(pid_t *pid, const char *path,
                                 const posix_spawn_file_actions_t *actions,
                                 const posix_spawnattr_t *attributes, char *const arguments[],
                                 char *const environment[])
{
    struct census_program program;
    pid_t own_pid = -1;
    find_real();
    ADAPT(environment, readable, lacks_agent, sight, AT_FDCWD, path, possible_care());
    judge_program(&program, &sight, readable, lacks_agent);
    struct new_program new = {
        real.posix_spawn, pid != NULL ? pid : &own_pid, path, actions, attributes, arguments,
        environment
    };
    return run_beside(&new, &program);
}

PROFD_INTERPOSED int posix_spawnp(pid_t *pid, const char *name,
                                  const posix_spawn_file_actions_t *actions,
                                  const posix_spawnattr_t *attributes, char *const arguments[],
                                  char *const environment[])
{
    struct census_program program;
    pid_t own_pid = -1;
    char found[FOUND_PATH_BYTES];
    find_real();
    const enum care care = possible_care();
    const char *path = find_program(name, care, found);
    ADAPT(environment, readable, lacks_agent, sight, AT_FDCWD, path, care);
    judge_program(&program, &sight, readable, lacks_agent);
    struct new_program new = {
        real.posix_spawnp, pid != NULL ? pid : &own_pid, name, actions, attributes, arguments,
        environment
    };
    return run_beside(&new, &program);
}
