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
 * which ends with profd's at the latest. One recording serves both: it has everything that profd's
 * session asks for, at the finer of the two intervals, and the program's session cannot ask for
 * more. The program's captures begin where its own session did. Only profd can change its own
 * session, and profd has precedence: when it starts a session, one that the program had alone ends,
 * and what that recorded is discarded. A session that the environment started is the program's own
 * if the process writes its profile itself (PROFD_SHUTDOWN).
 *
 * With .scope = PROFD_SESSION_OF_ALL the session covers all processes that profd profiles, if the
 * program's user may control profd with profctl. It can be the second of the two sessions that
 * profd can have at a time, with a rate and features of its own, and ends with the program at the
 * latest; `profctl stop` can end it. Captures then cover all processes, from the start of that
 * session.
 *
 * A forked child inherits the session, with records of its own: its captures do not include what
 * its parent recorded. A session beside profd's is not inherited, and no session survives exec.
 *
 * All functions may be called from any thread, and wait for one another, except profd_is_active(),
 * which never waits. They must not be called from signal handlers, nor from the constructors and
 * destructors that dlopen() and dlclose() run, since threads of the profiler may need the loader.
 * Errors are negative:
 *
 * -EINVAL    an option is invalid; nothing has changed
 * -EBUSY     the session is profd's, or does not record what is asked for; or it runs beside
 *            profd's, and cannot be paused
 * -EALREADY  the program has a session already
 * -ESRCH     there is no session; with PROFD_SESSION_OF_ALL also: it has ended, or profd does not
 *            profile the program
 * -ENOTCONN  PROFD_SESSION_OF_ALL: profd is not running
 * -EPERM     a seccomp filter of the program forbids what the calls take; or
 *            PROFD_SESSION_OF_ALL: profd runs as another user
 * -EACCES    PROFD_SESSION_OF_ALL: another user's process listens at profd's socket
 * -ENOSYS    there is no agent: PROFD_DISABLE=1, a setuid program, a child made past the C library,
 *            a failure to start, or code that was compiled with PROFD_DISABLED
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

/* What to record, and how. 0 or NULL means the default, so an object of zeros is valid. Borrowed
 * during the call. */
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

/* The processes that a session covers. */
enum profd_session_scope {
    PROFD_SESSION_OF_PROCESS, /* the calling one alone */
    PROFD_SESSION_OF_ALL,     /* all that the process' profd profiles; profd runs it */
};

#ifndef PROFD_DISABLED

/* Starts a session. OPTIONS may be NULL. Returns 0 once it records. On errors nothing has changed:
 * -EINVAL, -EBUSY, -EALREADY, -EPERM, -ENOSYS, -EDEADLK, -EAGAIN, or the resource that was lacking
 * (-ENOMEM, -EMFILE, -ENOSPC …). */
int profd_session_start(const struct profd_session_options *options);

/* Ends the program's session and discards what it recorded. Waits until no thread records. Returns
 * 0, -ESRCH, -EBUSY, -EPERM, -ENOSYS, -EDEADLK, -EAGAIN. */
int profd_session_stop(void);

/* Between the two calls only label stacks and counts are recorded. Both return 0 also if there was
 * nothing to change, and otherwise as profd_session_stop(). */
int profd_session_pause(void);
int profd_session_resume(void);

/* Whether a session is active, the program's or profd's, paused or not. Safe in signal handlers. */
bool profd_is_active(void);

/* Writes what has been recorded, of this process or of all, to FD, as a profile of the Firefox
 * Profiler in JSON. Recording continues. `profctl symbolicate FILE` adds the names of functions.
 * Also works beside a session of profd.
 *
 * FD remains the caller's: a file, pipe or socket that stays open for writing during the call.
 * Writing starts at its current offset; it is neither truncated nor closed. The call waits even if
 * FD does not block; a pipe without readers gives -EPIPE, without a signal. After an error, the
 * output is not a complete profile.
 *
 * 0; -EBADF: not open for writing; -ESRCH, -EPERM, -ENOSYS, -EDEADLK, -EAGAIN; -ECANCELED: profd
 * ended or replaced the session meanwhile; or an error of write() (-ENOSPC, -EPIPE …) or memory
 * (-ENOMEM). */
int profd_capture_to_fd(int fd);

#endif

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
