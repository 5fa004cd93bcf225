/* The sampling signal: its handler, and the program's own use of the same signal.
 *
 * A signal that is not ours belongs to the program and goes to the action that the program set,
 * which the agent keeps while its own handler is installed. When the program begins to use the
 * signal itself, we move to another one (signal_choice.h): each thread follows when it next meets
 * one of ours, or changes its mask (thread_mask.h). Our handler stays where it was, with the
 * program's flags, since some of ours may be under way.
 *
 * All that the program calls is as safe in signal handlers as the call that it made. */
#ifndef PROFD_AGENT_SAMPLING_SIGNAL_H
#define PROFD_AGENT_SAMPLING_SIGNAL_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/* From the constructor. CHOSEN: by the user; 0: ours to choose. */
void sampling_signal_initialize(int chosen);

/* Any thread; another one may move it at any time. */
int sampling_signal_number(void);

/* Whether the program uses the same one. */
bool sampling_signal_is_shared(void);

/* Installs the handler. Idempotent. 0 or -errno. */
int sampling_signal_install(void);

/* In the calling thread, which is the agent's, the signal does nothing but end a wait. */
void sampling_signal_only_wakes(void);

/* A mask for a wait that the signal may end: it blocks all others, and this one as well when it is
 * shared. */
void sampling_signal_waking_mask(sigset_t *mask);

/* The calling thread took the signal of INFO in its hand without its handler being run. True when
 * it was for a sample, of which there is then none. */
bool sampling_signal_withdraw_request(const siginfo_t *info);

/* Whether the program has a handler of its own for the signal. */
bool sampling_signal_is_handled_by_program(void);

/* False in a child that was made past the C library, or by vfork: what it does with its signals is
 * its own affair, though it may share our memory. A system call, unless that is forbidden. */
bool sampling_signal_is_own_process(void);

/* From now on the process may not ask who it is: whoever asks here is taken for the process. */
void sampling_signal_take_for_own_process(void);

/* Whether NUMBER is, or may become, the sampling signal. */
bool sampling_signal_may_be(int number);

/* Those of them that the program does not use, as far as we know; bit N - 1 is signal N. None
 * behind a filter of system calls: the sampling signal stays what it is there, since clocks that
 * follow it would take calls. */
uint64_t sampling_signal_unused(void);

/* What the program wants done with a signal. 0, or -1 and errno. */
int sampling_signal_wanted_action(int number, struct sigaction *action);

/* The program begins to use NUMBER: we leave it, or share it. */
void sampling_signal_note_use(int number);

/* Sends the program's signal that came as INFO once more, to the calling thread or the process as
 * before. In its handler. */
void sampling_signal_send_again(int number, siginfo_t *info);

/* The program is about to have a handler for SIGCHLD, which then must not interrupt ours. */
void sampling_signal_prepare_for_children(void);

/* sigaction() as the program sees it, for a signal that may be ours. */
int sampling_signal_program_action(int number, const struct sigaction *action,
                                   struct sigaction *old_action);

/* Signals with our handler that the program ignores are ignored by the kernel, too, for a program
 * that is about to inherit that. False when there are none: then nothing is to be taken up. Also in
 * children that share our memory. */
bool sampling_signal_lay_down(void);

/* Our handler is there again, unless another thread has laid it down, too. */
void sampling_signal_take_up(void);

/* In a forked child. */
void sampling_signal_after_fork_child(void);

#endif
