/* Files that take another's place when they are whole, in folders where anything may stand in their
 * way. One thread. */
#ifndef PROFD_PROFCTL_NEW_FILE_H
#define PROFD_PROFCTL_NEW_FILE_H

/* Makes the file NAME in DIRECTORY in place of whatever has that name: nothing is written through a
 * link, or into what another has open. Returns a descriptor to write to, or a negative errno:
 * -EISDIR if it is a folder. */
int new_file_open(int directory, const char *name);

#endif
