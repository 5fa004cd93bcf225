/* report: the hottest functions of a profile, as text. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "profctl/commands.h"
#include "profctl/report.h"

enum { GZIP_BUFFER_BYTES = 256 * 1024 };

/* A json_source_read over a gzFile, which also reads what is not compressed. */
static ssize_t read_gzip(void *context, char *bytes, size_t count)
{
    gzFile file = context;
    unsigned wanted = count < (1u << 30) ? (unsigned)count : 1u << 30;
    int code, got = gzread(file, bytes, wanted);

    if (got > 0)
        return got;
    /* A file that ends too early is an error only here, not in gzread. */
    (void)gzerror(file, &code);
    if (code == Z_OK || code == Z_STREAM_END)
        return 0;
    return code == Z_ERRNO && errno != 0 ? -errno : -EIO;
}

static int cannot_read(const char *path, int err, struct json_reader *reader,
                       struct failure *failure)
{
    const char *detail = reader != NULL ? json_reader_error(reader) : "";

    if (err == -EPROTO || err == -E2BIG)
        return (int)failure_set(failure, EXIT_CODE_FAILED, "%s is no Gecko profile: %s", path,
                                detail[0] != '\0' ? detail : "other members than expected");
    return (int)failure_set(failure, EXIT_CODE_FAILED, "cannot read %s: %s", path,
                            err == -EIO ? "the file is damaged or cut short" : strerror(-err));
}

static int print(const struct report *report, const char *path, const struct arguments *arguments,
                 struct failure *failure)
{
    int err = 0;

    if (arguments->json)
        err = report_print_json(report, path, arguments->top, stdout);
    else
        report_print_text(report, path, arguments->top, stdout);
    if (err == 0 && (fflush(stdout) != 0 || ferror(stdout)))
        err = errno != 0 ? -errno : -EIO;
    if (err == 0)
        return EXIT_CODE_SUCCESS;
    return (int)failure_set(failure, EXIT_CODE_FAILED, "cannot print the report: %s",
                            strerror(-err));
}

static int report_file(gzFile file, const char *path, const struct arguments *arguments,
                       struct failure *failure)
{
    struct json_reader *reader;
    struct report report;
    int code, err = json_reader_open(read_gzip, file, &reader);

    if (err < 0)
        return cannot_read(path, err, NULL, failure);
    err = report_read(reader, arguments->all, &report);
    code = err < 0 ? cannot_read(path, err, reader, failure)
                   : print(&report, path, arguments, failure);
    report_free(&report);
    json_reader_close(reader);
    return code;
}

int command_report(const struct arguments *arguments, struct failure *failure)
{
    const char *path = arguments->operands[0];
    gzFile file;
    int code;

    errno = 0;
    file = gzopen(path, "rbe");
    if (file == NULL)
        return cannot_read(path, errno != 0 ? -errno : -ENOMEM, NULL, failure);
    (void)gzbuffer(file, GZIP_BUFFER_BYTES);
    code = report_file(file, path, arguments, failure);
    (void)gzclose(file);
    return code;
}
