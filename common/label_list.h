/* Labels: what somebody says of a process, as service=web. A few of them, each key once; the later
 * value stays. Pure. */
#ifndef PROFD_COMMON_LABEL_LIST_H
#define PROFD_COMMON_LABEL_LIST_H

#include <stddef.h>

enum {
    LABEL_KEY_BYTES = 64,    /* with the end: letters, digits and . _ / - */
    LABEL_VALUE_BYTES = 256, /* likewise: any bytes but NUL */
    LABELS_MAX = 16,
};

struct label {
    char key[LABEL_KEY_BYTES], value[LABEL_VALUE_BYTES];
};

/* A zeroed struct is empty. */
struct label_list {
    struct label labels[LABELS_MAX]; /* sorted by key */
    size_t count;
};

/* 0; -EINVAL for what is no key; -E2BIG for a value that is too long, or one label too many. */
int label_list_set(struct label_list *list, const char *key, size_t key_length, const char *value,
                   size_t value_length);

/* The value of KEY; NULL: it has none. */
const char *label_list_get(const struct label_list *list, const char *key);

/* Takes KEY out, where it is. */
void label_list_remove(struct label_list *list, const char *key);

/* Sets what OTHER has. How many of them are left out, as there is no room. */
size_t label_list_merge(struct label_list *list, const struct label_list *other);

/* Adds "key=value,key=value"; a backslash takes its meaning from the byte behind it. 0, or the
 * error of the first one that is none, or whose key LIST has already (-EEXIST): nothing behind it
 * is read, and *WRONG is where it begins in TEXT. */
int label_list_parse(struct label_list *list, const char *text, const char **wrong);

/* The same for labels that nobody here answers for: those that are none, or have no room, are left
 * out, and of two values of a key the later one stays. How many are left out. */
size_t label_list_take(struct label_list *list, const char *text);

/* How many bytes of TEXT its first labels have that fit into ROOM bytes, without a comma behind
 * them. *LEFT_OUT is how many labels are behind these. */
size_t label_list_measure(const char *text, size_t room, size_t *left_out);

/* A file of Kubernetes' downward API: lines of key="value", where the value is quoted as in Go. 0,
 * or the error of the first line that is none. */
int label_list_parse_downward(struct label_list *list, const char *text);

#endif
