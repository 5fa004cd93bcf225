#include "child-agent/interpose/filter_calls.h"

#include <linux/futex.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>

#include "child-agent/guest/filter_program.h"

/* Of the handler of a timer, which may need another chunk, and of a thread that begins or ends;
 * arguments that are addresses or sizes are not known. */
static const struct filtered_call calls_of_samples[] = {
    { .number = SYS_rt_sigreturn },
    { .number = SYS_rt_sigprocmask },
    { .number = SYS_clock_gettime, .known = 1, .arguments = { CLOCK_THREAD_CPUTIME_ID } },
    { .number = SYS_mmap,
      .known = 1 | 4 | 8 | 16 | 32,
      .arguments = { 0, 0, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, (uint64_t)-1, 0 } },
    { .number = SYS_munmap },
    { .number = SYS_madvise, .known = 4, .arguments = { 0, 0, MADV_REMOVE } },
    { .number = SYS_munlock },
    { .number = SYS_futex, .known = 2, .arguments = { 0, FUTEX_WAKE_PRIVATE } },
};

static const struct filtered_call calls_of_filters[] = {
    { .number = SYS_seccomp },
    { .number = SYS_prctl, .known = 1, .arguments = { PR_SET_SECCOMP } },
};

/* To ignore the signal. */
static const struct filtered_call call_of_end = { .number = SYS_rt_sigaction };

/* Of a session that the program begins, ends or captures, which may take threads, timers and files;
 * none of their arguments is known. */
static const int calls_of_sessions[] = {
    SYS_read,          SYS_write,           SYS_close,           SYS_close_range,  SYS_openat,
    SYS_fcntl,         SYS_pread64,         SYS_pwrite64,        SYS_lseek,        SYS_newfstatat,
    SYS_fstat,         SYS_memfd_create,    SYS_ftruncate,       SYS_poll,         SYS_ppoll,
    SYS_mmap,          SYS_mremap,          SYS_munmap,          SYS_mprotect,     SYS_madvise,
    SYS_membarrier,    SYS_futex,           SYS_clone3,          SYS_unshare,      SYS_rseq,
    SYS_exit,          SYS_prctl,           SYS_prlimit64,       SYS_uname,        SYS_gettid,
    SYS_getpid,        SYS_tgkill,          SYS_rt_sigaction,    SYS_timer_create, SYS_timer_delete,
    SYS_timer_settime, SYS_clock_nanosleep, SYS_socket,          SYS_connect,      SYS_sendmsg,
    SYS_recvmsg,       SYS_rt_sigprocmask,  SYS_set_robust_list,
};

static const struct filtered_call call_of_process = { .number = SYS_getpid };
static const struct filtered_call call_of_probe = { .number = SYS_rt_sigprocmask };

enum {
    CALLS_OF_SAMPLES = sizeof(calls_of_samples) / sizeof(calls_of_samples[0]),
    CALLS_OF_FILTERS = sizeof(calls_of_filters) / sizeof(calls_of_filters[0]),
    CALLS_OF_SESSIONS = sizeof(calls_of_sessions) / sizeof(calls_of_sessions[0]),
};

static bool is_last(const struct sock_fprog *filter)
{
    for (size_t i = 0; i < CALLS_OF_FILTERS; i++)
        if (!filter_program_refuses(filter, &calls_of_filters[i]))
            return false;
    return true;
}

bool filter_calls_let_sampling_go_on(const struct sock_fprog *filter)
{
    for (size_t i = 0; i < CALLS_OF_SAMPLES; i++)
        if (!filter_program_allows(filter, &calls_of_samples[i]))
            return false;
    return filter_program_allows(filter, &call_of_end) || is_last(filter);
}

bool filter_calls_let_process_be_known(const struct sock_fprog *filter)
{
    return filter_program_allows(filter, &call_of_process);
}

bool filter_calls_let_programs_be_told(const struct sock_fprog *filter)
{
    return filter_program_allows(filter, &call_of_process) &&
           filter_program_allows(filter, &call_of_probe);
}

bool filter_calls_let_sessions_change(const struct sock_fprog *filter)
{
    for (size_t i = 0; i < CALLS_OF_SESSIONS; i++) {
        const struct filtered_call call = { .number = calls_of_sessions[i] };
        if (!filter_program_allows(filter, &call))
            return false;
    }
    return true;
}
