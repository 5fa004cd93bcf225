/* A server that takes itself for ClickHouse, as far as an exporter asks: "fake_clickhouse" prints
 * its port and answers one request after the other. How, the word in the file "mode" says, which is
 * read each time:
 *
 *     ok        as it should be; "version" and "has" are files with what it says of its schema, and
 *               of how many rows of a batch it has
 *     slow      never, until the other side gives up
 *     wrong     with bytes that are no HTTP
 *     redirect  that somebody else knows: the port in the file "elsewhere"
 *     full      that its disk is full
 *     refuse    that an INSERT is none
 *     cut       takes samples, and hangs up
 *     tomorrow  as ok, on a machine whose clock is a day ahead
 *     antique   likewise, and its clock has begun anew in 1970
 *     portal    as what stands between: with a page for people, whatever it was asked
 *     proxy     likewise, with what it says of a body that is too large for it
 *     behind    takes an INSERT, and says behind its headers that it failed
 *     coded     the same, with a header that says so alone
 *
 * Each request is a line of the file "requests": its mode, its length and its SQL as it came. */
#include <arpa/inet.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static const char server_header[] = "X-ClickHouse-Server-Display-Name: fake\r\n";

enum { REQUEST_BYTES = 8 << 20, WORD_BYTES = 64, SECONDS_OF_A_DAY = 24 * 60 * 60 };

static char request[REQUEST_BYTES + 1];

static void read_word(const char *path, const char *otherwise, char word[WORD_BYTES])
{
    FILE *file = fopen(path, "r");

    if (file == NULL || fgets(word, WORD_BYTES, file) == NULL)
        snprintf(word, WORD_BYTES, "%s", otherwise);
    word[strcspn(word, "\n")] = '\0';
    if (file != NULL)
        fclose(file);
}

/* The whole request into the buffer. Where its body begins; NULL: the other side hung up. */
static char *read_request(int connection)
{
    size_t length = 0, wanted = SIZE_MAX;
    char *body = NULL;

    while (length < wanted && length < REQUEST_BYTES) {
        ssize_t got = read(connection, request + length, REQUEST_BYTES - length);
        if (got <= 0)
            return NULL;
        length += (size_t)got;
        request[length] = '\0';
        if (body == NULL && (body = strstr(request, "\r\n\r\n")) != NULL) {
            const char *field = strcasestr(request, "Content-Length:");
            body += 4;
            wanted = (size_t)(body - request) + (field != NULL ? strtoul(field + 15, NULL, 10) : 0);
        }
    }
    return body;
}

static void note_request(const char *mode, const char *sql, size_t length)
{
    FILE *file = fopen("requests", "a");

    fprintf(file, "%s %zu %.*s\n", mode, length, (int)strcspn(sql, "\r\n"), sql);
    fclose(file);
}

static void send_answer(int connection, const char *status, const char *header, const char *text,
                        time_t ahead_s)
{
    char date[WORD_BYTES];
    time_t now = time(NULL) + ahead_s;
    struct tm parts;

    strftime(date, sizeof(date), "%a, %d %b %Y %H:%M:%S GMT", gmtime_r(&now, &parts));
    dprintf(connection,
            "HTTP/1.1 %s\r\nDate: %s\r\n%sContent-Length: %zu\r\nConnection: close\r\n\r\n%s",
            status, date, header, strlen(text), text);
}

static void answer_right(int connection, const char *sql, time_t ahead_s)
{
    char word[WORD_BYTES] = "";

    if (strstr(sql, "system.tables") != NULL)
        strcpy(word, "1");
    else if (strstr(sql, "max(version)") != NULL)
        read_word("version", "3", word);
    else if (strstr(sql, "multiIf(") != NULL)
        strcpy(word, "has"); /* its sums */
    else if (strstr(sql, "batch =") != NULL)
        read_word("has", "0", word);
    send_answer(connection, "200 OK", server_header, word, ahead_s);
}

/* Whatever was to be written has another name each time. */
static void answer_full(int connection)
{
    static unsigned parts;
    char text[160];

    parts++;
    snprintf(text, sizeof(text),
             "Code: 243, e.displayText() = DB::Exception: Cannot reserve 1.00 MiB for "
             "tmp_insert_20261128_%u_%u_0\nmore",
             parts, parts);
    send_answer(connection, "500 Internal Server Error", server_header, text, 0);
}

static void answer_elsewhere(int connection)
{
    char port[WORD_BYTES], header[2 * WORD_BYTES];

    read_word("elsewhere", "1", port);
    snprintf(header, sizeof(header), "Location: http://127.0.0.1:%s/\r\n", port);
    send_answer(connection, "307 Temporary Redirect", header, "", 0);
}

static time_t clock_ahead_s(const char *mode)
{
    if (strcmp(mode, "antique") == 0)
        return SECONDS_OF_A_DAY - time(NULL);
    return strcmp(mode, "tomorrow") == 0 ? SECONDS_OF_A_DAY : 0;
}

/* What an INSERT meets after the headers are out. */
static void answer_failed(int connection, const char *mode)
{
    if (strcmp(mode, "coded") == 0)
        send_answer(connection, "200 OK", "X-ClickHouse-Exception-Code: 243\r\n", "", 0);
    else
        send_answer(connection, "200 OK", server_header,
                    "Code: 243. DB::Exception: Cannot reserve 1.00 MiB. (NOT_ENOUGH_SPACE)\n", 0);
}

static void serve_connection(int connection)
{
    char mode[WORD_BYTES];
    const char *body = read_request(connection);

    if (body == NULL)
        return;
    read_word("mode", "ok", mode);
    const char *insert = strstr(request, "query=INSERT");
    bool is_insert = insert != NULL && insert < body;
    const char *sql = is_insert ? insert : body;
    note_request(mode, sql, strlen(body));
    if (strcmp(mode, "slow") == 0)
        while (read(connection, request, 1) > 0)
            continue;
    else if (strcmp(mode, "wrong") == 0)
        dprintf(connection, "\x01\x02 not HTTP\n");
    else if (strcmp(mode, "redirect") == 0)
        answer_elsewhere(connection);
    else if (strcmp(mode, "full") == 0)
        answer_full(connection);
    else if (strcmp(mode, "portal") == 0)
        send_answer(connection, "200 OK", "Content-Type: text/html\r\n",
                    "<html>Please log in</html>\n", 0);
    else if (strcmp(mode, "proxy") == 0)
        send_answer(connection, "413 Request Entity Too Large", "Server: nginx\r\n",
                    "<html>413 Request Entity Too Large</html>\n", 0);
    else if ((strcmp(mode, "behind") == 0 || strcmp(mode, "coded") == 0) && is_insert)
        answer_failed(connection, mode);
    else if (strcmp(mode, "refuse") == 0 && is_insert)
        send_answer(connection, "400 Bad Request", server_header, "Code: 62, Syntax error", 0);
    else if (strcmp(mode, "cut") != 0 || !is_insert || strstr(insert, "samples%20") == NULL)
        answer_right(connection, sql, clock_ahead_s(mode));
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
