/* Reunion: a process without an agent thread gives its arena to a profd that does not have it.
 *
 * The profd that had the arena has ended, or was killed together with profd-keeper. Nobody else has
 * the file, and the process itself has only its mapping. So the arena gets a new file at the same
 * addresses, and the process says hello with it. This happens at the next tick of its clock, so a
 * process that sleeps is not disturbed, or when it is about to wait. An agent thread does the same
 * when it connects (agent_thread.c).
 *
 * Called by the only thread. */
#ifndef PROFD_AGENT_REUNION_H
#define PROFD_AGENT_REUNION_H

/* Called before the process gets an agent thread. If profd has lost the arena, the thread must hand
 * it over again, and needs a descriptor of it while nobody else is recording yet. */
void reunion_prepare_thread(void);

/* Called when the program is about to wait or to record. Does the same as a tick, but not at every
 * such call. */
void reunion_look(void);

/* Called in the handler. Checks whether the arena is lost and does what can be done. Does nothing
 * in a process that has agent threads. */
void reunion_tick(void);

#endif
