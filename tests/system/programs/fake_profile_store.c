/* A server that takes profiles as Pyroscope, Parca and OTLP's collectors do, and refuses what their
 * specifications refuse: "fake_profile_store" prints its port and answers one request after the
 * other. How, the word in the file "mode" says, which is read each time:
 *
 *     ok       as it should be
 *     busy     that there are too many requests, and that one should come back in a second
 *     full     that it is not available
 *     refuse   that the request is none
 *     partial  that it dropped three profiles (OTLP), and why in a few words
 *     lengthy  the same in many words
 *     warning  that it dropped none, but has something to say (OTLP)
 *     cut      takes it, and hangs up
 *     portal   as what stands between: with a page for people
 *
 * With a file "token", requests must have it. Each request is a line of the file "requests": its
 * mode, its path and what it has; profiles of pprof that it has are in profile-N.pb.gz, and the
 * message of the last one, as others decode it, is in message.pb. */
#include <arpa/inet.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <zlib.h>

#include "profctl/push/otlp.pb-c.h"
#include "profctl/push/push.pb-c.h"

enum {
    REQUEST_BYTES = 16 << 20,
    WORD_BYTES = 256,
    REASON_BYTES = 100 * 1000,
    FRAME_HEAD_BYTES = 5
};

static char request[REQUEST_BYTES + 1];
static uint8_t inflated[REQUEST_BYTES];
static char complaint[WORD_BYTES]; /* why a request is refused; "": it is not */
static bool is_denied;             /* it has not the token that it must have */
static unsigned profiles;          /* of pprof that were kept */

struct body {
    const uint8_t *bytes;
    size_t length;
};

__attribute__((format(printf, 2, 3))) static void expect(bool is_so, const char *format, ...)
{
    va_list arguments;

    if (is_so || complaint[0] != '\0')
        return;
    va_start(arguments, format);
    vsnprintf(complaint, sizeof(complaint), format, arguments);
    va_end(arguments);
}

/* --- HTTP --- */

static void read_word(const char *path, const char *otherwise, char word[WORD_BYTES])
{
    FILE *file = fopen(path, "r");

    if (file == NULL || fgets(word, WORD_BYTES, file) == NULL)
        snprintf(word, WORD_BYTES, "%s", otherwise);
    word[strcspn(word, "\n")] = '\0';
    if (file != NULL)
        fclose(file);
}

/* The whole request into the buffer. False: the other side hung up. */
static bool read_request(int connection, struct body *body)
{
    size_t length = 0, wanted = SIZE_MAX;
    char *start = NULL;

    while (length < wanted && length < REQUEST_BYTES) {
        ssize_t got = read(connection, request + length, REQUEST_BYTES - length);
        if (got <= 0)
            return false;
        length += (size_t)got;
        request[length] = '\0';
        if (start == NULL && (start = strstr(request, "\r\n\r\n")) != NULL) {
            const char *field = strcasestr(request, "Content-Length:");
            start += 4;
            body->length = field != NULL ? strtoul(field + 15, NULL, 10) : 0;
            wanted = (size_t)(start - request) + body->length;
            start[-1] = '\0';
        }
    }
    body->bytes = (const uint8_t *)start;
    return true;
}

static bool has_header(const char *line)
{
    return strcasestr(request, line) != NULL;
}

static bool is_for(const char *path)
{
    return strncmp(request, "POST ", 5) == 0 && strncmp(request + 5, path, strlen(path)) == 0 &&
           request[5 + strlen(path)] == ' ';
}

static void send_answer(int connection, const char *status, const char *headers, const void *body,
                        size_t length)
{
    dprintf(connection, "HTTP/1.1 %s\r\n%sContent-Length: %zu\r\nConnection: close\r\n\r\n", status,
            headers, length);
    if (length > 0 && write(connection, body, length) != (ssize_t)length)
        perror("fake_profile_store");
}

static void keep_message(const uint8_t *bytes, size_t length)
{
    FILE *file = fopen("message.pb", "w");

    if (file == NULL || fwrite(bytes, 1, length, file) != length)
        perror("message.pb");
    if (file != NULL)
        fclose(file);
}

/* --- Series of pprof --- */

static void keep_profile(const ProtobufCBinaryData *profile)
{
    char name[WORD_BYTES];

    expect(profile->len > 2 && profile->data[0] == 0x1f && profile->data[1] == 0x8b,
           "a profile is not gzipped");
    snprintf(name, sizeof(name), "profile-%u.pb.gz", profiles++);
    FILE *file = fopen(name, "w");
    if (file == NULL || fwrite(profile->data, 1, profile->len, file) != profile->len)
        perror(name);
    if (file != NULL)
        fclose(file);
}

static bool is_label_name(const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";

    return name[0] != '\0' && !(name[0] >= '0' && name[0] <= '9') &&
           name[strspn(name, letters)] == '\0';
}

static void check_labels(Push__Label *const *labels, size_t count, FILE *told)
{
    bool has_name = false, has_service = false;

    for (size_t i = 0; i < count; i++) {
        expect(is_label_name(labels[i]->name), "'%.60s' is no name of a label", labels[i]->name);
        for (size_t k = 0; k < i; k++)
            expect(strcmp(labels[i]->name, labels[k]->name) != 0, "%.60s is there twice",
                   labels[i]->name);
        has_name |= strcmp(labels[i]->name, "__name__") == 0;
        has_service |= strcmp(labels[i]->name, "service_name") == 0;
        fprintf(told, " %s=%s", labels[i]->name, labels[i]->value);
    }
    expect(has_name, "no __name__");
    expect(has_service, "no service_name");
}

static void take_samples(Push__Sample *const *samples, size_t count)
{
    expect(count == 1, "%zu profiles of a series", count);
    for (size_t i = 0; i < count; i++)
        keep_profile(&samples[i]->raw_profile);
}

static void take_pyroscope(const struct body *body, FILE *told)
{
    Push__PyroscopeRequest *all = push__pyroscope_request__unpack(NULL, body->length, body->bytes);

    keep_message(body->bytes, body->length);
    expect(has_header("Content-Type: application/proto\r"), "another Content-Type");
    expect(all != NULL, "no message");
    for (size_t i = 0; all != NULL && i < all->n_series; i++) {
        check_labels(all->series[i]->labels, all->series[i]->n_labels, told);
        take_samples(all->series[i]->samples, all->series[i]->n_samples);
    }
    if (all != NULL)
        push__pyroscope_request__free_unpacked(all, NULL);
}

static void take_parca(const struct body *framed, FILE *told)
{
    const uint8_t *head = framed->bytes;
    bool is_framed = framed->length >= FRAME_HEAD_BYTES && head[0] == 0;
    size_t length =
        is_framed ? (size_t)head[1] << 24 | (size_t)head[2] << 16 | (size_t)head[3] << 8 | head[4]
                  : 0;
    Push__ParcaRequest *all = NULL;

    expect(has_header("Content-Type: application/grpc-web+proto\r"), "another Content-Type");
    expect(is_framed && length == framed->length - FRAME_HEAD_BYTES, "no frame");
    if (complaint[0] == '\0') {
        keep_message(head + FRAME_HEAD_BYTES, length);
        all = push__parca_request__unpack(NULL, length, head + FRAME_HEAD_BYTES);
    }
    expect(all != NULL, "no message");
    for (size_t i = 0; all != NULL && i < all->n_series; i++) {
        const Push__ParcaSeries *series = all->series[i];
        expect(series->labels != NULL, "no labels");
        if (series->labels != NULL)
            check_labels(series->labels->labels, series->labels->n_labels, told);
        take_samples(series->samples, series->n_samples);
    }
    if (all != NULL)
        push__parca_request__free_unpacked(all, NULL);
}

/* --- OTLP --- */

static bool inflate_body(const struct body *body, size_t *length)
{
    z_stream stream = { .next_in = (Bytef *)body->bytes,
                        .avail_in = (uInt)body->length,
                        .next_out = inflated,
                        .avail_out = sizeof(inflated) };
    bool is_done =
        inflateInit2(&stream, 15 + 16) == Z_OK && inflate(&stream, Z_FINISH) == Z_STREAM_END;

    *length = sizeof(inflated) - stream.avail_out;
    inflateEnd(&stream);
    return is_done;
}

static bool is_in(int32_t index, size_t count)
{
    return index >= 0 && (size_t)index < count;
}

/* The first of each table is empty, and what refers to another finds it. */
static void check_dictionary(const Otlp__Dictionary *all)
{
    expect(all->n_string_table > 0 && all->string_table[0][0] == '\0', "string 0 is not empty");
    expect(all->n_mapping_table > 0 && all->mapping_table[0]->filename_strindex == 0,
           "mapping 0 is not empty");
    expect(all->n_location_table > 0 && all->location_table[0]->n_lines == 0,
           "location 0 is not empty");
    expect(all->n_function_table > 0 && all->function_table[0]->name_strindex == 0,
           "function 0 is not empty");
    expect(all->n_stack_table > 0 && all->stack_table[0]->n_location_indices == 0,
           "stack 0 is not empty");
    expect(all->n_attribute_table > 0 && all->attribute_table[0]->key_strindex == 0,
           "attribute 0 is not empty");
    expect(all->n_link_table > 0 && all->link_table[0]->trace_id.len == 16 &&
               all->link_table[0]->span_id.len == 8,
           "link 0 has no ids");
    for (size_t i = 0; i < all->n_mapping_table; i++) {
        const Otlp__Mapping *mapping = all->mapping_table[i];
        for (size_t k = 0; k < mapping->n_attribute_indices; k++)
            expect(is_in(mapping->attribute_indices[k], all->n_attribute_table),
                   "no such attribute");
    }
    for (size_t i = 0; i < all->n_location_table; i++) {
        const Otlp__Location *location = all->location_table[i];
        expect(is_in(location->mapping_index, all->n_mapping_table), "no such mapping");
        for (size_t k = 0; k < location->n_lines; k++)
            expect(is_in(location->lines[k]->function_index, all->n_function_table),
                   "no such function");
    }
    for (size_t i = 0; i < all->n_function_table; i++)
        expect(is_in(all->function_table[i]->name_strindex, all->n_string_table), "no such name");
    for (size_t i = 0; i < all->n_stack_table; i++)
        for (size_t k = 0; k < all->stack_table[i]->n_location_indices; k++)
            expect(is_in(all->stack_table[i]->location_indices[k], all->n_location_table),
                   "no such location");
}

static void check_profile(const Otlp__Profile *profile, const Otlp__Dictionary *all, FILE *told)
{
    int64_t sum = 0;

    expect(profile->sample_type != NULL, "no sample type");
    expect(profile->time_unix_nano > 0 && profile->duration_nano > 0, "no time");
    expect(profile->profile_id.len == 16, "no id");
    for (size_t i = 0; i < profile->n_samples; i++) {
        const Otlp__Sample *sample = profile->samples[i];
        expect(sample->n_values == 1, "a sample without a value");
        expect(is_in(sample->stack_index, all->n_stack_table), "no such stack");
        for (size_t k = 0; k < sample->n_attribute_indices; k++)
            expect(is_in(sample->attribute_indices[k], all->n_attribute_table),
                   "no such attribute");
        sum += sample->n_values > 0 ? sample->values[0] : 0;
    }
    if (complaint[0] == '\0')
        fprintf(told, " %s/%s=%lld", all->string_table[profile->sample_type->type_strindex],
                all->string_table[profile->sample_type->unit_strindex], (long long)sum);
}

static void check_attributes(Otlp__KeyValue *const *attributes, size_t count, FILE *told)
{
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < i; k++)
            expect(strcmp(attributes[i]->key, attributes[k]->key) != 0, "%.60s is there twice",
                   attributes[i]->key);
        fprintf(told, " %s=%s", attributes[i]->key, attributes[i]->value->string_value);
    }
}

static void check_resource(const Otlp__ResourceProfiles *resource, const Otlp__Dictionary *all,
                           FILE *told)
{
    expect(resource->resource != NULL, "no resource");
    if (resource->resource != NULL)
        check_attributes(resource->resource->attributes, resource->resource->n_attributes, told);
    for (size_t i = 0; i < resource->n_scope_profiles; i++)
        for (size_t k = 0; k < resource->scope_profiles[i]->n_profiles; k++)
            check_profile(resource->scope_profiles[i]->profiles[k], all, told);
}

static void take_otlp(const struct body *body, FILE *told)
{
    size_t length = 0;
    Otlp__Request *all = NULL;

    expect(has_header("Content-Type: application/x-protobuf\r"), "another Content-Type");
    expect(has_header("Content-Encoding: gzip\r"), "another Content-Encoding");
    expect(inflate_body(body, &length), "not gzipped");
    if (complaint[0] == '\0') {
        keep_message(inflated, length);
        all = otlp__request__unpack(NULL, length, inflated);
    }
    expect(all != NULL && all->dictionary != NULL, "no message");
    if (complaint[0] == '\0')
        check_dictionary(all->dictionary);
    for (size_t i = 0; complaint[0] == '\0' && i < all->n_resource_profiles; i++)
        check_resource(all->resource_profiles[i], all->dictionary, told);
    if (complaint[0] == '\0') {
        for (size_t i = 0; i < all->dictionary->n_string_table; i++)
            fprintf(told, " [%s]", all->dictionary->string_table[i]);
    }
    if (all != NULL)
        otlp__request__free_unpacked(all, NULL);
}

/* --- Answers --- */

static const char pyroscope[] = "/push.v1.PusherService/Push",
                  parca[] = "/parca.profilestore.v1alpha1.ProfileStoreService/WriteRaw",
                  otlp[] = "/v1development/profiles";

/* Parca tells by a trailer what HTTP tells elsewhere. */
static void answer_parca(int connection, const char *status, const char *message)
{
    char trailers[2 * WORD_BYTES];
    size_t length =
        (size_t)snprintf(trailers + FRAME_HEAD_BYTES, sizeof(trailers) - FRAME_HEAD_BYTES,
                         "grpc-status: %s\r\ngrpc-message: %s\r\n", status, message);

    trailers[0] = (char)0x80;
    trailers[1] = trailers[2] = 0;
    trailers[3] = (char)(length >> 8);
    trailers[4] = (char)length;
    send_answer(connection, "200 OK", "Content-Type: application/grpc-web+proto\r\n", trailers,
                length + FRAME_HEAD_BYTES);
}

/* "too old", which the mode "lengthy" says again and again. */
static void write_reason(const char *mode, char reason[REASON_BYTES])
{
    static const char words[] = "too old, ";
    size_t length = sizeof(words) - 3;

    if (strcmp(mode, "lengthy") == 0)
        length = REASON_BYTES - 1;
    for (size_t i = 0; i < length; i++)
        reason[i] = words[i % (sizeof(words) - 1)];
    reason[length] = '\0';
}

static void answer_right(int connection, const char *mode)
{
    static char reason[REASON_BYTES];
    static uint8_t packed[REASON_BYTES + WORD_BYTES];
    Otlp__PartialSuccess partial = OTLP__PARTIAL_SUCCESS__INIT;
    Otlp__Response response = OTLP__RESPONSE__INIT;
    bool is_warning = strcmp(mode, "warning") == 0;

    if (is_for(parca)) {
        answer_parca(connection, "0", "");
        return;
    }
    if (is_warning || strcmp(mode, "partial") == 0 || strcmp(mode, "lengthy") == 0) {
        write_reason(mode, reason);
        partial.rejected_profiles = is_warning ? 0 : 3;
        partial.error_message = reason;
        response.partial_success = &partial;
    }
    send_answer(connection, "200 OK", "", packed, otlp__response__pack(&response, packed));
}

static void refuse_request(int connection, const char *text)
{
    if (is_for(parca))
        answer_parca(connection, "3", text);
    else
        send_answer(connection, "400 Bad Request", "", text, strlen(text));
}

static void deny_request(int connection)
{
    if (is_for(parca))
        answer_parca(connection, "16", "no token");
    else
        send_answer(connection, "401 Unauthorized", "", "no token", 8);
}

static void take_profile(const struct body *body, const char *mode)
{
    FILE *told = fopen("requests", "a");
    char token[WORD_BYTES], line[2 * WORD_BYTES];

    read_word("token", "", token);
    snprintf(line, sizeof(line), "Authorization: Bearer %s\r", token);
    is_denied = token[0] != '\0' && !has_header(line);
    fprintf(told, "%s %.*s", is_denied ? "denied" : mode, (int)strcspn(request + 5, " "),
            request + 5);
    if (is_for(pyroscope))
        take_pyroscope(body, told);
    else if (is_for(parca))
        take_parca(body, told);
    else if (is_for(otlp))
        take_otlp(body, told);
    else
        expect(false, "no such path");
    fprintf(told, "%s%s\n", complaint[0] != '\0' ? " WRONG: " : "", complaint);
    fclose(told);
}

static void serve_connection(int connection)
{
    char mode[WORD_BYTES];
    struct body body = { 0 };

    complaint[0] = '\0';
    if (!read_request(connection, &body))
        return;
    read_word("mode", "ok", mode);
    take_profile(&body, mode);
    if (strcmp(mode, "busy") == 0)
        send_answer(connection, "429 Too Many Requests", "Retry-After: 1\r\n", "later", 5);
    else if (strcmp(mode, "full") == 0)
        send_answer(connection, "503 Service Unavailable", "", "full", 4);
    else if (strcmp(mode, "portal") == 0)
        send_answer(connection, "200 OK", "Content-Type: text/html\r\n", "<html>Log in</html>", 19);
    else if (strcmp(mode, "refuse") == 0)
        refuse_request(connection, "not that");
    else if (is_denied)
        deny_request(connection);
    else if (complaint[0] != '\0')
        refuse_request(connection, complaint);
    else if (strcmp(mode, "cut") != 0)
        answer_right(connection, mode);
}

int main(void)
{
    struct sockaddr_in address = { .sin_family = AF_INET,
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t length = sizeof(address);
    int listener = socket(AF_INET, SOCK_STREAM, 0);

    if (bind(listener, (struct sockaddr *)&address, length) < 0 || listen(listener, 16) < 0 ||
        getsockname(listener, (struct sockaddr *)&address, &length) < 0)
        return 1;
    printf("%d\n", ntohs(address.sin_port));
    fclose(stdout);
    for (;;) {
        int connection = accept(listener, NULL, NULL);
        if (connection < 0)
            return 1;
        serve_connection(connection);
        close(connection);
    }
}
