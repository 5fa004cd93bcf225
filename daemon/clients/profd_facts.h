/* What profd knows of itself, its memory and the session, for a page of metrics. */
#ifndef PROFD_DAEMON_PROFD_FACTS_H
#define PROFD_DAEMON_PROFD_FACTS_H

struct census;
struct child_table;
struct clients;
struct exit_store;
struct memory;
struct metrics_view;
struct session;

/* Where it stands; borrowed. */
struct profd_facts {
    const struct session *session;
    struct memory *memory; /* whose ledger is counted anew */
    const struct exit_store *exits;
    const struct child_table *children;
    const struct census *census;
    const struct clients *clients;
};

/* Puts it into VIEW. Loop thread. */
void profd_facts_describe(const struct profd_facts *facts, struct metrics_view *view);

#endif
