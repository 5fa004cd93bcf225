#include "daemon/programs/signal_meaning.h"

#include <signal.h>

enum signal_meaning signal_meaning_of(int signal_number, bool has_command, bool is_private)
{
    if (has_command)
        return SIGNAL_IS_FOR_COMMAND;
    switch (signal_number) {
    case SIGTERM:
        return SIGNAL_ENDS_PROFD;
    case SIGINT:
    case SIGHUP:
    case SIGQUIT:
        return is_private ? SIGNAL_MEANS_NOTHING : SIGNAL_ENDS_PROFD_FULLY;
    default:
        return SIGNAL_MEANS_NOTHING;
    }
}
