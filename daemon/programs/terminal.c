#include "daemon/programs/terminal.h"

#include <unistd.h>

int terminal_ours(void)
{
    return isatty(STDIN_FILENO) && tcgetpgrp(STDIN_FILENO) == getpgrp() ? STDIN_FILENO : -1;
}

void terminal_give(int terminal_fd, pid_t group)
{
    if (terminal_fd >= 0)
        tcsetpgrp(terminal_fd, group);
}

void terminal_take_back(int terminal_fd)
{
    terminal_give(terminal_fd, getpgrp());
}
