/* What the calls of profd_session.h have in common: one at a time, on threads that may wait, in
 * processes that have an agent. */
#ifndef PROFD_AGENT_PROGRAM_CALL_H
#define PROFD_AGENT_PROGRAM_CALL_H

struct program_call {
    int cancel_state; /* of the calling thread, which is not cancelled meanwhile */
};

/* 0, -ENOSYS, -EDEADLK or -EAGAIN, as profd_session.h has them; only after 0 there is an end. */
int program_call_begin(struct program_call *call);
void program_call_end(struct program_call *call);

/* In a forked child: none is under way. */
void program_calls_after_fork_child(void);

#endif
