#include "json/raw_capture.h"

#include <errno.h>
#include <string.h>

#include "buffer/hash_bytes.h"

enum {
    LANES = 4, /* as many multiplications as a processor has under way */
    LANE_BYTES = 8,
    STEP_BYTES = LANES * LANE_BYTES,
};

/* --- Checks --- */

static uint64_t next_of_lane(uint64_t lane, const char *bytes)
{
    uint64_t word;

    memcpy(&word, bytes, sizeof(word));
    return (lane ^ word) * UINT64_C(0x9fb21c651e98df25);
}

uint32_t raw_check(uint32_t kind, const void *bytes, size_t count)
{
    uint64_t lanes[LANES] = { kind, count, 1, 2 };
    const char *next = bytes;

    for (; count >= STEP_BYTES; count -= STEP_BYTES, next += STEP_BYTES) {
#pragma GCC unroll LANES /* keeps the lanes in registers: three times as fast */
        for (int lane = 0; lane < LANES; lane++)
            lanes[lane] = next_of_lane(lanes[lane], next + (size_t)lane * LANE_BYTES);
    }
    uint64_t hash = hash_bytes(next, count);
    for (int lane = 0; lane < LANES; lane++)
        hash = hash_mix(hash, lanes[lane]);
    return (uint32_t)(hash ^ hash >> 32);
}

/* --- Writing --- */

static uint32_t put_bytes(const char *bytes, size_t count, uint8_t **end)
{
    if (count > RAW_STRING_BYTES)
        count = RAW_STRING_BYTES;
    if (count > 0)
        memcpy(*end, bytes, count);
    *end += count;
    return (uint32_t)count;
}

static uint32_t put_string(const char *text, uint8_t **end)
{
    return put_bytes(text, text != NULL ? strnlen(text, RAW_STRING_BYTES) : 0, end);
}

size_t raw_process_put(const struct raw_process_facts *facts, uint8_t *out)
{
    const struct gecko_process_options *options = &facts->options;
    const struct gecko_unprofiled_process *unprofiled = &facts->unprofiled;
    struct raw_process process = {
        .id = facts->id,
        .reference_ns = options->reference_ns,
        .reference_unix_ns = options->reference_unix_ns,
        .capture_ns = options->capture_ns,
        .since_ns = options->since_ns,
        .process_start_ns = options->process_start_ns,
        .end_ns = options->end_ns,
        .cpu_total_ns = options->cpu_time.total_ns,
        .cpu_before_ns = options->cpu_time.before_ns,
        .cpu_end = options->cpu_time.end,
        .verdict = options->verdict,
        .outcome = options->outcome,
        .code = options->code,
        .later_images = options->later_images,
        .may_be_left_out = facts->may_be_left_out,
        .pid = facts->pid,
        .parent_pid = unprofiled->parent_pid,
        .start_ns = unprofiled->start_ns,
        .produced_blocks = unprofiled->account.produced_blocks,
        .produced_bytes = unprofiled->account.produced_bytes,
        .dropped_blocks = unprofiled->account.dropped_blocks,
        .dropped_bytes = unprofiled->account.dropped_bytes,
    };
    uint8_t *end = out + sizeof(process);

    process.reason_bytes = put_string(options->reason, &end);
    process.title_bytes = put_string(options->title, &end);
    process.filters_bytes = put_string(options->thread_filters, &end);
    process.executable_bytes = put_string(unprofiled->executable, &end);
    process.command_line_bytes =
        put_bytes(unprofiled->command_line, unprofiled->command_line_bytes, &end);
    memcpy(out, &process, sizeof(process));
    return (size_t)(end - out);
}

/* --- Reading --- */

/* A string of LENGTH, which was checked; NULL when it is empty. */
static const char *get_string(const uint8_t **next, uint32_t length, char *text)
{
    memcpy(text, *next, length);
    text[length] = '\0';
    *next += length;
    return length > 0 ? text : NULL;
}

/* Everything that is used as an index, a size or an enumeration. */
static int check_process(const struct raw_process *process, size_t count)
{
    const uint32_t lengths[RAW_PROCESS_STRINGS] = { process->reason_bytes, process->title_bytes,
                                                    process->filters_bytes,
                                                    process->executable_bytes,
                                                    process->command_line_bytes };
    size_t sum = sizeof(*process);

    for (int i = 0; i < RAW_PROCESS_STRINGS; i++) {
        if (lengths[i] > RAW_STRING_BYTES)
            return -EPROTO;
        sum += lengths[i];
    }
    return sum == count && process->verdict < VERDICT_COUNT && process->outcome < VERDICT_COUNT &&
                   process->cpu_end <= CPU_TIME_TO_LAST_RECORD && process->may_be_left_out <= 1
               ? 0
               : -EPROTO;
}

static struct gecko_process_options options_of(const struct raw_process *process)
{
    return (struct gecko_process_options){
        .reference_ns = process->reference_ns,
        .reference_unix_ns = process->reference_unix_ns,
        .capture_ns = process->capture_ns,
        .since_ns = process->since_ns,
        .process_start_ns = process->process_start_ns,
        .end_ns = process->end_ns,
        .cpu_time = { process->cpu_total_ns, process->cpu_before_ns,
                      (enum cpu_time_end)process->cpu_end },
        .verdict = (enum process_verdict)process->verdict,
        .outcome = (enum process_verdict)process->outcome,
        .code = process->code,
        .later_images = process->later_images,
    };
}

int raw_process_get(const uint8_t *bytes, size_t count, struct raw_process_texts *texts,
                    struct raw_process_facts *out)
{
    struct raw_process process;
    const uint8_t *next = bytes + sizeof(process);

    if (count < sizeof(process))
        return -EPROTO;
    memcpy(&process, bytes, sizeof(process));
    int error = check_process(&process, count);
    if (error < 0)
        return error;
    *out = (struct raw_process_facts){
        .id = process.id,
        .pid = process.pid,
        .may_be_left_out = process.may_be_left_out != 0,
        .options = options_of(&process),
        .unprofiled = { .pid = process.pid,
                        .parent_pid = process.parent_pid,
                        .start_ns = process.start_ns,
                        .account = { process.produced_blocks, process.produced_bytes,
                                     process.dropped_blocks, process.dropped_bytes } },
    };
    out->options.reason = get_string(&next, process.reason_bytes, texts->texts[0]);
    out->options.title = get_string(&next, process.title_bytes, texts->texts[1]);
    out->options.thread_filters = get_string(&next, process.filters_bytes, texts->texts[2]);
    out->unprofiled.executable = get_string(&next, process.executable_bytes, texts->texts[3]);
    out->unprofiled.command_line = get_string(&next, process.command_line_bytes, texts->texts[4]);
    out->unprofiled.command_line_bytes = process.command_line_bytes;
    return 0;
}
