/* profd: the options, and what profd exits with. */
#include <stdio.h>
#include <string.h>

#include "common/standard_streams.h"
#include "daemon/daemon.h"
#include "ipc/build_facts.h"

/* As everywhere in profd: usage errors exit 2, everything else that fails 1. */
enum { EXIT_FAILED = 1, EXIT_USAGE = 2 };

int main(int argc, char **argv)
{
    static struct daemon profd;
    struct options options;
    char error_text[OPTIONS_ERROR_TEXT];
    int error = standard_streams_fill();

    if (error < 0) {
        fprintf(stderr, "profd: cannot open /dev/null: %s\n", strerror(-error));
        return EXIT_FAILED;
    }
    if (options_parse(argc, argv, &options, error_text) < 0) {
        fprintf(stderr, "profd: %s\n", error_text);
        return EXIT_USAGE;
    }
    if (options.action == OPTIONS_SHOW_HELP) {
        options_print_help(stdout);
        return ferror(stdout) ? EXIT_FAILED : 0;
    }
    if (options.action == OPTIONS_SHOW_VERSION)
        return build_facts_print(stdout, "profd") < 0 ? EXIT_FAILED : 0;

    log_set_level(options.log_level);
    log_find_journal();
    return daemon_run(&profd, &options);
}
