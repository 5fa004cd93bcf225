/* What profd knows about itself, its memory and the session, for a page of metrics. */
#ifndef PROFD_DAEMON_PROFD_FACTS_H
#define PROFD_DAEMON_PROFD_FACTS_H

struct census;
struct child_table;
struct clients;
struct exit_store;
struct memory;
struct metrics_view;
struct session;

/* Where these facts come from; borrowed. */
struct profd_facts {
    const struct session *session;
    struct memory *memory; /* its ledger is counted again */
    const struct exit_store *exits;
    const struct child_table *children;
    const struct census *census;
    const struct clients *clients;
};

/* Puts the facts into VIEW. Loop thread. */
void profd_facts_describe(const struct profd_facts *facts, struct metrics_view *view);

#endif
