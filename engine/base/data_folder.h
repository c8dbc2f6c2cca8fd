/* data_folder.h: where the files that come with the program are: shipped rules, the editor's definitions, records of
 * the bench.
 *
 * They are looked for from the place of the code itself, so that an archive, a package of npm or a wheel may be
 * unpacked anywhere: the folder of the program, or of libevalengine.so where a host has loaded it, has them in
 * "../share/evalengine" (an installation) or in "share/evalengine" (an archive in one folder, a build). Else they are
 * where `make install` puts them. A folder that belongs to somebody else than the code, the user and root is passed by:
 * in a folder for all, such as /tmp, anybody could have made it. */
#ifndef EE_BASE_DATA_FOLDER_H
#define EE_BASE_DATA_FOLDER_H

typedef enum ee_data_kind {
  EE_DATA_RULES,    /* rule files, strategies, summaries, reports */
  EE_DATA_META,     /* definitions of the rule language for editors */
  EE_DATA_DATASETS, /* records of the bench */
  EE_DATA_KINDS
} ee_data_kind;

/* The folder of that kind, without a slash at its end; it need not exist. Static storage. Looks for it in the first
 * call, and keeps what it found. For any thread. */
const char *ee_data_folder(ee_data_kind kind);

/* The system's error number if it was impossible to find out where the folders are, so that ee_data_folder() may name
 * others than those beside the code; else 0. */
int ee_data_folder_failure(void);

#endif
