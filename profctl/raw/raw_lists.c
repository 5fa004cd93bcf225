#include "profctl/raw/raw_lists.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "buffer/file_range.h"
#include "common/time_units.h"
#include "json/gecko/gecko_meta.h"
#include "json/raw_records.h"
#include "profctl/raw/raw_arena_file.h"

/* --- Keeping them --- */

/* What is under way: a pass over the records, while lists are added behind them. */
struct list_pass {
    int fd;
    uint64_t end; /* of what is written */
    struct raw_out out;
    struct raw_process_facts facts; /* of the process at hand */
    struct raw_process_texts texts;
    struct jit_process process; /* of that process; its path is owned */
};

/* A json_sink_write behind what is there. */
static int write_behind(void *context, const char *bytes, size_t count)
{
    struct list_pass *pass = context;
    int error = file_range_write(pass->fd, bytes, count, pass->end);

    pass->end += count;
    return error;
}

/* A jit_take_list: a record for it. Lists that cannot be read, or are too long, are left out. */
static int keep_list(void *context, FILE *file, enum jit_list_kind kind, size_t *names)
{
    struct list_pass *pass = context;
    const struct raw_list list = { pass->process.pid,
                                   kind == JIT_PERF_MAP ? RAW_LIST_PERF_MAP : RAW_LIST_JITDUMP };
    struct stat status;

    if (fstat(fileno(file), &status) != 0 || status.st_size <= 0 ||
        (uint64_t)status.st_size > RAW_LIST_MAX_BYTES)
        return 0;
    uint8_t *room = raw_out_room(&pass->out, sizeof(list) + (size_t)status.st_size);
    if (room == NULL)
        return -ENOMEM;
    memcpy(room, &list, sizeof(list));
    size_t got = fread(room + sizeof(list), 1, (size_t)status.st_size, file);
    *names = got;
    return raw_out_put(&pass->out, RAW_LIST, sizeof(list) + got);
}

/* TIME_NS of CLOCK_MONOTONIC, in ms since the epoch. */
static double since_epoch_ms(const struct gecko_process_options *options, uint64_t time_ns)
{
    return ((double)options->reference_unix_ns +
            ((double)time_ns - (double)options->reference_ns)) /
           NS_PER_MS;
}

/* What the dictionary says of the process that made lists, and where they are. */
static int note_record(struct jit_process *process, const struct arena_record *record)
{
    if (record->kind == DICTIONARY_USER) {
        process->user = record->index;
        process->knows_user = true;
    }
    if (record->kind != DICTIONARY_LIBRARY || process->dump_path != NULL)
        return 0;
    char *path = strndup(record->name.bytes, record->name.length);
    if (path == NULL)
        return -ENOMEM;
    if (jit_is_dump_path(path))
        process->dump_path = path;
    else
        free(path);
    return 0;
}

static int add_lists_of(struct list_pass *pass, struct arena_reader *reader)
{
    const struct gecko_process_options *options = &pass->facts.options;
    struct jit_process *process = &pass->process;
    struct arena_record record;
    struct arena_info info;
    int error = 0;

    arena_reader_info(reader, &info);
    *process = (struct jit_process){
        .pid = gecko_unique_pid(info.process_id, options->later_images),
        .pid_here = pass->facts.pid,
        .start_ms = since_epoch_ms(options, info.process_start_ns),
        .end_ms = options->end_ns != 0 ? since_epoch_ms(options, options->end_ns) : 0,
    };
    while (error == 0 && arena_reader_next_record(reader, &record) > 0)
        error = note_record(process, &record);
    if (error == 0)
        error = jit_process_visit_lists(process, keep_list, pass);
    jit_process_clear(process);
    return error;
}

static int add_record(struct list_pass *pass, const struct raw_view *record)
{
    struct arena_reader *reader;
    void *memory;

    if (record->kind == RAW_PROCESS)
        return raw_process_get(record->bytes, record->count, &pass->texts, &pass->facts);
    if (record->kind != RAW_FRONT)
        return 0;
    int error = raw_arena_front_open(record, &memory, &reader);
    if (error < 0)
        return error == -ENOMEM ? error
                                : 0; /* it is reported when a profile is made of the arena */
    error = add_lists_of(pass, reader);
    arena_reader_close(reader);
    free(memory);
    return error;
}

/* Up to the TAIL, behind which nothing is yet. */
static int add_all(struct list_pass *pass, struct raw_reader *reader)
{
    struct raw_view record = { 0 };
    int error = 0;

    while (error == 0 && record.kind != RAW_TAIL) {
        error = raw_reader_next(reader, &record);
        if (error > 0)
            error = add_record(pass, &record);
    }
    return error;
}

int raw_lists_add(int fd, char problem[RAW_ERROR_BYTES])
{
    struct list_pass *pass = calloc(1, sizeof(*pass));
    struct raw_reader reader;

    problem[0] = '\0';
    if (pass == NULL)
        return -ENOMEM;
    pass->fd = fd;
    int error = raw_reader_init(&reader, fd);
    pass->end = reader.file_bytes;
    reader.skips_chunks = true;
    if (error == 0)
        error = raw_out_init(&pass->out, write_behind, pass);
    if (error == 0)
        error = add_all(pass, &reader);
    if (error == 0)
        error = raw_out_put(&pass->out, RAW_END, 0);
    if (error == 0)
        error = raw_out_flush(&pass->out);
    memcpy(problem, reader.error, sizeof(reader.error));
    raw_out_fini(&pass->out);
    raw_reader_fini(&reader);
    free(pass);
    return error;
}

/* --- Finding them --- */

static const struct raw_list_place *find_list(const struct raw_survey *survey, int64_t pid,
                                              uint64_t kind)
{
    for (size_t i = 0; i < survey->list_count; i++)
        if (survey->lists[i].list.pid == pid && survey->lists[i].list.kind == kind)
            return &survey->lists[i];
    return NULL;
}

static int copy_list(int fd, const struct raw_list_place *place, int target_fd)
{
    char buffer[64 * 1024];
    int error = 0;

    for (uint64_t done = 0; error == 0 && done < place->bytes;) {
        size_t part =
            place->bytes - done < sizeof(buffer) ? (size_t)(place->bytes - done) : sizeof(buffer);
        error = file_range_read(fd, buffer, part, place->offset + done);
        if (error == 0)
            error = file_range_write(target_fd, buffer, part, done);
        done += part;
    }
    return error;
}

static FILE *open_list(void *context, int64_t pid, enum jit_list_kind kind)
{
    const struct raw_list_archive *lists = context;
    const struct raw_list_place *place =
        find_list(lists->survey, pid, kind == JIT_PERF_MAP ? RAW_LIST_PERF_MAP : RAW_LIST_JITDUMP);
    int fd = place != NULL ? memfd_create("profctl-list", MFD_CLOEXEC) : -1;

    if (fd < 0)
        return NULL;
    FILE *file = copy_list(lists->fd, place, fd) == 0 ? fdopen(fd, "re") : NULL;
    if (file == NULL)
        close(fd);
    return file;
}

void raw_list_archive_init(struct raw_list_archive *lists, int fd, const struct raw_survey *survey)
{
    *lists = (struct raw_list_archive){ .fd = fd, .survey = survey };
    lists->archive = (struct jit_archive){ open_list, lists };
}
