/* Programs of other pid namespaces, which are told of in messages (child-agent/census_message.h).
 * Loop thread. */
#ifndef PROFD_DAEMON_CENSUS_PROGRAM_H
#define PROFD_DAEMON_CENSUS_PROGRAM_H

#include <stdbool.h>
#include <sys/types.h>

struct census;
struct message_program;

/* Who sent a message about a program. */
struct census_sender {
    pid_t pid;
    int process_fd; /* of the process that it is about; borrowed; -1: none */
    bool is_about_child;
};

/* SENDER, a process in another pid namespace, says in MESSAGE what itself or its child is about to
 * run. Returns false if it is about a process of somebody else. */
bool census_note_program(struct census *census, const struct message_program *message,
                         const struct census_sender *sender);

#endif
