/* What a capture has besides the processes: what comes before and after them. */
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "daemon/capture/capture_state.h"
#include "daemon/power/power.h"
#include "json/raw_records.h"

/* Gives the text of WRITER, a memory writer, to the output; in a raw capture as a record of KIND.
 */
static int add_text(struct capture *capture, struct json_writer *writer, enum raw_kind kind)
{
    uint64_t bytes = json_writer_bytes(writer);
    bool is_raw = capture->order.is_raw;
    int fd = memfd_create("profd-capture-text", MFD_CLOEXEC);
    if (fd < 0)
        return -errno;
    int error = is_raw ? raw_text_begin(fd, kind == RAW_HEAD, &bytes) : 0;
    if (error == 0)
        error = json_writer_copy_out(writer, json_sink_fd, &fd);
    if (error == 0 && is_raw)
        error = raw_text_end(fd, kind, bytes);
    if (error < 0) {
        close(fd);
        return error;
    }
    return capture_assembler_add(capture->assembler, fd, bytes, false, NULL);
}

int capture_add_head(struct capture *capture)
{
    struct failure_latch latch;
    struct json_writer writer;

    failure_latch_init(&latch);
    json_writer_init(&writer, &latch);
    gecko_root_begin(&writer, &capture->root);
    int error = failure_latch_error(&latch);
    if (error == 0)
        error = add_text(capture, &writer, RAW_HEAD);
    json_writer_fini(&writer);
    return error;
}

int capture_add_tail(struct capture *capture)
{
    struct json_writer writer;

    json_writer_init(&writer, &capture->log.latch);
    gathering_log_end(&capture->log);
    /* Live processes were recording until they answered: nothing of them may lie after the end. */
    capture->root.capture_ns = uv_hrtime();
    power_describe(capture->views->power, &capture->root);
    gecko_root_end(&writer, &capture->root, &capture->log.json);
    int error = failure_latch_error(&capture->log.latch);
    if (error == 0)
        error = add_text(capture, &writer, RAW_TAIL);
    json_writer_fini(&writer);
    return error;
}
