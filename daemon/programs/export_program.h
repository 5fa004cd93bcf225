/* `profd --export URL`: a program like those of the config, which profd adds to them: profctl
 * export, started again whenever it ends, and without an agent. Pure. */
#ifndef PROFD_DAEMON_EXPORT_PROGRAM_H
#define PROFD_DAEMON_EXPORT_PROGRAM_H

struct config;

/* Its name, in messages and beside the socket. */
#define EXPORT_PROGRAM_NAME "profctl export"

enum {
    /* For the last minute, which it captures and sends when profd ends. */
    EXPORT_STOP_TIMEOUT_MS = 10 * 1000,
};

/* Adds PROFCTL with SOCKET, URL and the options of CONFIG's export to CONFIG, which copies them. 0;
 * -EEXIST when a program of CONFIG has its name; -ENOMEM: CONFIG is to be freed. */
int export_program_add(struct config *config, const char *profctl, const char *socket,
                       const char *url);

#endif
