/* What a careless program says: everything of it has to end in a valid profile.
 *
 * bad_input       names that are no UTF-8, a thread that registers twice, intervals that begin in
 * the future bad_input many  a million different strings, in texts and in payloads */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include <profd.h>
#include <profd_counters.h>

#define STRINGS_FIELDS(FIELD) FIELD(UNIQUE_STRING, unique, "Unique") FIELD(STRING, text, "Text")
PROFD_MARKER_TYPE(strings, STRINGS_FIELDS);
PROFD_COUNTER(odd_counter, "odd \"counter\" \xff", "\xfe\"", "\\ \x01 \xc0\x80");

enum { STRINGS = 1000000 };

static void send_many_strings(void)
{
    char text[64];
    for (int i = 0; i < STRINGS; i++) {
        snprintf(text, sizeof(text), "string %d", i);
        PROFD_MARKER_TYPED(strings, "payload", PROFD_CATEGORY_OTHER, profd_instant(), text, text);
        PROFD_MARKER_TEXT("text", PROFD_CATEGORY_OTHER, text);
    }
}

static void *registers_twice(void *unused)
{
    (void)unused;
    profd_register_thread("first");
    PROFD_MARKER("before", PROFD_CATEGORY_OTHER);
    profd_register_thread("second \"name\" \xff\xfe");
    PROFD_MARKER("between", PROFD_CATEGORY_OTHER);
    profd_register_thread(NULL);
    profd_unregister_thread();
    profd_unregister_thread();
    PROFD_MARKER("after", PROFD_CATEGORY_OTHER);
    return NULL;
}

static void send_few_strings(void)
{
    pthread_t thread;
    uint64_t now = PROFD_NOW(), future = now + (UINT64_C(1) << 40);
    profd_counter_add(&odd_counter, 1);
    PROFD_MARKER("odd \"marker\" \xff\n", PROFD_CATEGORY_OTHER);
    PROFD_MARKER_TEXT("odd text", PROFD_CATEGORY_OTHER, "\xed\xa0\x80 \"\x01\" \xf8");
    PROFD_MARKER_TYPED(strings, "odd strings", PROFD_CATEGORY_OTHER, profd_instant(), "\xff\"",
                       "\xf0\x9f");
    PROFD_MARKER_INTERVAL("from the future", PROFD_CATEGORY_OTHER, future, NULL);
    PROFD_MARKER_TYPED(strings, "typed, from the future", PROFD_CATEGORY_OTHER, profd_since(future),
                       "a", "b");
    PROFD_MARKER_WITH("turned", PROFD_CATEGORY_OTHER, profd_interval(now, now - 1000), "c");
    if (pthread_create(&thread, NULL, registers_twice, NULL) == 0)
        pthread_join(thread, NULL);
    profd_set_process_name("bad \"input\" \xc3");
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "many") == 0)
        send_many_strings();
    else
        send_few_strings();
    return 0;
}
