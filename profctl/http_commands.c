/* What profctl has in place of the commands that are in profctl-http (http_program.h). */
#include "profctl/commands/commands.h"
#include "profctl/http_program.h"

int command_view(const struct arguments *arguments, struct failure *failure)
{
    return http_program_become(arguments->command_line, failure);
}

int command_export(const struct arguments *arguments, struct failure *failure)
{
    return http_program_become(arguments->command_line, failure);
}

int command_query(const struct arguments *arguments, struct failure *failure)
{
    return http_program_become(arguments->command_line, failure);
}
