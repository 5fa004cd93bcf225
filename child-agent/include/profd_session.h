/* profd_session.h: sessions that a program begins and ends itself, of its own process or of all,
 * and captures of what is recorded. Part of profd.h.
 *
 *     struct profd_session_options options = { .interval_ns = 1000000, .features = "stacks,cpu" };
 *     int error = profd_session_start(&options);
 *     …
 *     error = profd_capture_to_fd(fd);
 *     profd_session_stop();
 *
 * Beside a session that profd began (profctl start, profctl run) a program may have one of its own,
 * which ends with profd's at the latest. One recording serves both: it has all that profd's session
 * asks for, at the finer of the two intervals; more than that the program's cannot have. The
 * program's captures begin where its own session did. profd's is profd's alone to change, and profd
 * has the last word: when it begins a session, one that the program had alone is over, and what
 * that recorded is gone. A session of the environment is the program's own where the process writes
 * its profile itself (PROFD_SHUTDOWN).
 *
 * With .scope = PROFD_SESSION_OF_ALL the session is of all processes that profd profiles, where
 * profd lets the program control it as it would let its user with profctl. It may be the second of
 * the two that profd can have on, with a rate and features of its own, and ends with the program at
 * the latest; `profctl stop` may end it. Captures are then of all processes, from its beginning.
 *
 * A forked child goes on with the session, with records of its own: what its parent recorded is not
 * in its captures; with one beside profd's it does not. A program that it becomes by exec has none.
 *
 * All functions may be called from any thread, and wait for one another; profd_is_active() waits
 * for nobody. Not from signal handlers, nor from constructors and destructors of libraries that
 * dlopen() and dlclose() run: threads of the profiler may need the loader. What is refused is
 * -errno:
 *
 * -EINVAL    an option that makes no sense; nothing has changed
 * -EBUSY     the session is profd's, or does not record what is asked for; one beside it cannot be
 *            paused
 * -EALREADY  the program has a session already
 * -ESRCH     there is no session, or of all: it is over, or profd does not profile the program
 * -ENOTCONN  of all: there is no profd
 * -EPERM     of all: profd is another user's; -EACCES: a stranger listens in its place
 * -ENOSYS    no agent: PROFD_DISABLE=1, a setuid program, a child made past the C library, or
 *            none could begin; and in what is compiled with PROFD_DISABLED
 * -EDEADLK   called on a thread of the profiler (profd_call_after_sampling())
 * -EAGAIN    the profiler is busy, or no thread can be made; try again */
#include "profd.h" /* before the guard: it includes this header in its order */

#ifndef PROFD_SESSION_H
#define PROFD_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* What is to be recorded, and how. 0 or NULL means the default, so an object that is all zeros is
 * fine. Borrowed during the call. */
struct profd_session_options {
    uint64_t interval_ns; /* between samples, 10 µs to 60 s; default 1 ms */
    uint64_t limit_bytes; /* memory for what is recorded, 1 MB or more; default 64 MB, of all
                             processes profd's own limit. The oldest is overwritten. What the first
                             session had is the most for later ones. */
    const char *features; /* as profctl start --features: "stacks,cpu,markers" */
    const char *threads;  /* only those whose names hold one of these, comma-separated */
    const char *clock;    /* "auto", "cpu", "perf" or "wall" */
    uint64_t scope;       /* enum profd_session_scope */
    uint64_t reserved[3]; /* zeros */
};

/* Whose processes a session is of. */
enum profd_session_scope {
    PROFD_SESSION_OF_PROCESS, /* the calling one alone */
    PROFD_SESSION_OF_ALL,     /* all that the process' profd profiles; profd runs it */
};

#ifndef PROFD_DISABLED

/* Begins a session. OPTIONS may be NULL. 0 when it records; else nothing has
 * changed: -EINVAL, -EBUSY, -EALREADY, -ENOSYS, -EDEADLK, -EAGAIN, or what was lacking (-ENOMEM,
 * -EMFILE, -ENOSPC …). */
int profd_session_start(const struct profd_session_options *options);

/* Ends the program's session; what it recorded is gone. Waits until no thread records. 0, -ESRCH,
 * -EBUSY, -ENOSYS, -EDEADLK, -EAGAIN. */
int profd_session_stop(void);

/* Between the two nothing is recorded but label stacks and counts. 0, also when that is so already;
 * else as profd_session_stop(). */
int profd_session_pause(void);
int profd_session_resume(void);

/* Whether a session is on, the program's or profd's, paused or not. Safe in signal handlers. */
bool profd_is_active(void);

/* Writes what has been recorded, of this process or of all, to FD, as a profile of the Firefox
 * Profiler in JSON, and goes on recording; `profctl symbolicate FILE` adds the names of functions.
 * Beside a session of profd, too.
 *
 * FD is the caller's: a file, pipe or socket that is open for writing and stays so during the call.
 * It is written to from where it stands, neither truncated nor closed. One that does not block is
 * waited for; a pipe that nobody reads is -EPIPE, without a signal. What was written before an
 * error is not a whole profile.
 *
 * 0; -EBADF: not open for writing; -ESRCH, -ENOSYS, -EDEADLK, -EAGAIN; -ECANCELED: profd ended or
 * replaced the session meanwhile; or an error of write() (-ENOSPC, -EPIPE …) or memory (-ENOMEM).
 */
int profd_capture_to_fd(int fd);

#endif

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
