/* Reunion: a process without a thread of ours gives its arena to a profd that has not got it.
 *
 * The profd that it was given to has ended, or was killed together with profd-keeper. Nobody else
 * has the file, and the process itself only its mapping: so the arena gets a new file, at the same
 * addresses, and the process says hello with that. At the next tick of its clock: one that sleeps
 * is not disturbed.
 *
 * One thread, in its handler. */
#ifndef PROFD_AGENT_REUNION_H
#define PROFD_AGENT_REUNION_H

/* The process is about to be introduced by a hello: what it is to notice from here on. */
void reunion_note_hello(void);

/* The process gets a thread of ours: where profd has lost its arena, that is to give it away once
 * more, and needs a descriptor of it while there is nobody else yet who records. */
void reunion_prepare_thread(void);

/* The program is about to wait or to record: as at a tick, but not at every such call. */
void reunion_look(void);

/* In the handler: looks whether the arena is lost, and does what can be done. Nothing in a process
 * that has threads of ours. */
void reunion_tick(void);

#endif
