#include "daemon/programs/program_file.h"

#include <errno.h>
#include <limits.h>

#include "daemon/children/process_tree.h"
#include "daemon/memory/kept_file.h"
#include "daemon/memory/kept_path.h"

static cJSON *describe_program(const struct program *program)
{
    cJSON *object = cJSON_CreateObject();

    cJSON_AddStringToObject(object, "name", program->config->name);
    cJSON_AddBoolToObject(object, "isOver", program->life.state == PROGRAM_OVER);
    kept_add_number(object, "pid", (uint64_t)program->pid);
    kept_add_number(object, "startTicks", program->pid > 0 ? process_start_ticks(program->pid) : 0);
    return object;
}

int program_file_write(const char *socket_path, const struct programs *programs)
{
    cJSON *document = cJSON_CreateObject();
    cJSON *list = cJSON_AddArrayToObject(document, "programs");

    for (size_t i = 0; i < programs->config.count; i++)
        cJSON_AddItemToArray(list, describe_program(&programs->list[i]));
    int error = kept_file_write(socket_path, PROGRAM_FILE_NAME, document);
    cJSON_Delete(document);
    return error;
}

int program_file_read(const char *socket_path,
                      void (*meet)(const char *name, bool is_over, pid_t pid, void *context),
                      void *context)
{
    cJSON *document;
    const cJSON *object;
    int error = kept_file_read(socket_path, PROGRAM_FILE_NAME, &document);

    if (error < 0)
        return error;
    cJSON_ArrayForEach(object, cJSON_GetObjectItemCaseSensitive(document, "programs"))
    {
        const char *name = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, "name"));
        bool is_over = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(object, "isOver"));
        uint64_t pid, start_ticks;
        if (name == NULL || kept_get_number(object, "pid", &pid) < 0 || pid > INT_MAX ||
            kept_get_number(object, "startTicks", &start_ticks) < 0) {
            error = -EPROTO;
            break;
        }
        bool lives = pid > 0 && start_ticks > 0 && process_start_ticks((pid_t)pid) == start_ticks;
        meet(name, is_over, lives ? (pid_t)pid : 0, context);
    }
    cJSON_Delete(document);
    return error;
}

void program_file_remove(const char *socket_path)
{
    kept_path_remove(socket_path, PROGRAM_FILE_NAME);
}
