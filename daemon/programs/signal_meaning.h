/* What a signal that is sent to profd means.
 *
 * A profd with a command of its own passes signals on to that command. Without one, the signals
 * that end programs end profd. They also end the session, except SIGTERM, which comes from a
 * service manager that may start profd again. A profd that profctl started heeds only SIGTERM,
 * since profctl also gets the terminal's signals, and decides. Pure. */
#ifndef PROFD_DAEMON_SIGNAL_MEANING_H
#define PROFD_DAEMON_SIGNAL_MEANING_H

#include <stdbool.h>

enum signal_meaning {
    SIGNAL_MEANS_NOTHING,
    SIGNAL_IS_FOR_COMMAND,
    SIGNAL_ENDS_PROFD,       /* the session may be left to the next profd */
    SIGNAL_ENDS_PROFD_FULLY, /* with its session */
};

/* HAS_COMMAND: profd was started with a command. IS_PRIVATE: profctl started it. */
enum signal_meaning signal_meaning_of(int signal_number, bool has_command, bool is_private);

#endif
