/* Labels, which describe a process, such as service=web. A short list in which each key occurs
 * once, with its latest value. Pure. */
#ifndef PROFD_COMMON_LABEL_LIST_H
#define PROFD_COMMON_LABEL_LIST_H

#include <stddef.h>

enum {
    LABEL_KEY_BYTES = 64,    /* with the NUL: letters, digits and . _ / - */
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

/* Sets KEY to VALUE. Returns 0; -EINVAL if KEY is not valid; -E2BIG if the value is too long, or
 * there are too many labels. */
int label_list_set(struct label_list *list, const char *key, size_t key_length, const char *value,
                   size_t value_length);

/* The value of KEY; NULL: it has none. */
const char *label_list_get(const struct label_list *list, const char *key);

/* Removes KEY, if it is there. */
void label_list_remove(struct label_list *list, const char *key);

/* Sets all labels of OTHER. Returns how many were left out for lack of room. */
size_t label_list_merge(struct label_list *list, const struct label_list *other);

/* Adds "key=value,key=value"; a backslash makes the next byte literal. Returns 0, or the error of
 * the first label that is invalid, or whose key LIST already has (-EEXIST): then nothing after it
 * is read, and *WRONG is where it begins in TEXT. */
int label_list_parse(struct label_list *list, const char *text, const char **wrong);

/* The same for labels from elsewhere: those that are invalid, or have no room, are left out, and of
 * two values of a key the later one stays. Returns how many were left out. */
size_t label_list_take(struct label_list *list, const char *text);

/* The length of the first labels in TEXT that fit into ROOM bytes, without a comma after them.
 * *LEFT_OUT is the number of labels after these. */
size_t label_list_measure(const char *text, size_t room, size_t *left_out);

/* Adds the labels in a file of Kubernetes' downward API: lines of key="value", with the value
 * quoted as in Go. Returns 0, or the error of the first invalid line. */
int label_list_parse_downward(struct label_list *list, const char *text);

#endif
