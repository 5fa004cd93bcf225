/* What the functions of profd_session.h have in common: they run one at a time, on threads that may
 * wait, in processes that have an agent. */
#ifndef PROFD_AGENT_PROGRAM_CALL_H
#define PROFD_AGENT_PROGRAM_CALL_H

struct program_call {
    int cancel_state; /* of the calling thread, whose cancellation is disabled meanwhile */
};

/* Begins a call. Returns 0, or -ENOSYS, -EPERM, -EDEADLK or -EAGAIN with the meaning that
 * profd_session.h gives them. Only after 0 the call must be ended. */
int program_call_begin(struct program_call *call);
void program_call_end(struct program_call *call);

/* Forgets the parent's call in a forked child. */
void program_calls_after_fork_child(void);

#endif
