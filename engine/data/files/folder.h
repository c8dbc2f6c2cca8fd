/* folder.h: the data files of a directory. */
#ifndef EE_DATA_FILES_FOLDER_H
#define EE_DATA_FILES_FOLDER_H

#include "base/error.h"
#include "base/list.h"

typedef struct ee_folder_file {
  char *path;       /* of the file: the directory, '/', the names below it */
  char *id;         /* those names without the suffixes: "2024/inv-001" for 2024/inv-001.json.gz */
  const char *name; /* the end of the path that names the file in the names of cases (ee_folder_name_files()) */
  size_t operand;   /* of the data set: which of its files and directories it is from; 0 in a folder by itself */
  char *numbered;   /* the name of a file that is given again; else NULL */
} ee_folder_file;

typedef struct ee_folder {
  EE_LIST(ee_folder_file); /* sorted by path, bytewise */
  size_t others;           /* other files, which are not data */
  char example[256];       /* the first of them */
} ee_folder;

/* Lists the files in `directory` and below it that are called *.json, *.jsonl, *.ndjson, *.csv or *.tsv, also with .gz
 * or .zst; if there is none, those that are data by their content (file_shape.h), and their ids lack the suffix that
 * all of them have. Names that begin with a dot are skipped. EE_ERROR_SYSTEM when a directory cannot be read, or is
 * nested too deep (links that form a circle). ee_folder_fini() in either case. */
ee_status ee_folder_read(const char *directory, ee_folder *folder, ee_error *error);
/* Gives each file its `name`: that of the file alone, with as many of the directories above it as tell it from the
 * other files of the list; "data.jsonl (2)" where one is given again. So it does not depend on the directory in which
 * the data are on this machine or from which they are read. */
void ee_folder_name_files(ee_folder *folder);
void ee_folder_fini(ee_folder *folder);

#endif
