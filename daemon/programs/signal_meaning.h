/* What a signal that is sent to profd means.
 *
 * With a command of its own profd is transparent: signals go to that command. Without one, the
 * signals that end programs end profd. They end the session as well, except for SIGTERM: it comes
 * from a service manager, which may start profd again. In a profd that profctl started, only
 * SIGTERM counts, since profctl gets the terminal's signals, too, and decides. Pure. */
#ifndef PROFD_DAEMON_SIGNAL_MEANING_H
#define PROFD_DAEMON_SIGNAL_MEANING_H

#include <stdbool.h>

enum signal_meaning {
    SIGNAL_MEANS_NOTHING,
    SIGNAL_IS_FOR_COMMAND,
    SIGNAL_ENDS_PROFD,       /* its session may be left to the next profd */
    SIGNAL_ENDS_PROFD_FULLY, /* with its session */
};

/* HAS_COMMAND: profd was started with a command. IS_PRIVATE: profctl started it. */
enum signal_meaning signal_meaning_of(int signal_number, bool has_command, bool is_private);

#endif
