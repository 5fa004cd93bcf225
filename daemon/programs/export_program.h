/* `profd --export URL`: profctl export, as a program that profd adds to those of the config. It is
 * restarted whenever it ends, and has no agent. Pure. */
#ifndef PROFD_DAEMON_EXPORT_PROGRAM_H
#define PROFD_DAEMON_EXPORT_PROGRAM_H

struct config;

/* Its name, in messages and beside the socket. */
#define EXPORT_PROGRAM_NAME "profctl export"

enum {
    /* To capture and send the last minute when profd ends. */
    EXPORT_STOP_TIMEOUT_MS = 10 * 1000,
};

/* Adds PROFCTL to CONFIG, with copies of SOCKET, URL and the options of CONFIG's export. Returns 0;
 * -EEXIST if a program of CONFIG already has that name; or -ENOMEM: then CONFIG is only to be
 * freed. */
int export_program_add(struct config *config, const char *profctl, const char *socket,
                       const char *url);

#endif
