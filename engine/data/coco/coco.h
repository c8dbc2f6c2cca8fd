/* coco.h: COCO's annotations and results, joined to one record an image.
 *
 * The annotations are one JSON object with the lists "images", "annotations" and "categories"; the results
 * are a JSON array, or JSONL, of {image_id, category_id, bbox, score}. Both may be packed. An image becomes the record
 *
 *   {"id":139,"expected":[{"id":1,"image_id":139,"bbox":[..],"category":"person","category_id":1,"area":..,"iscrowd":0,
 *   "ignore":0}],"candidate":[{"bbox":[..],"category":"person","category_id":1,"score":..}]}
 *
 * images in ascending order of their ids, as pycocotools takes them, their entries in the order of the files. Numbers
 * keep their source texts; area, iscrowd, ignore, id and score are there where the file has them. A category is called
 * by its name, "name (id)" where several have that name. What is of a category that "categories" does not have is left
 * out, as COCO's evaluator does; in a file without that list all categories are called "category 17". Ids are whole
 * numbers of at most 18 digits, equal when their decimal values are.
 *
 * https://cocodataset.org/#format-data and #format-results */
#ifndef EE_DATA_COCO_COCO_H
#define EE_DATA_COCO_COCO_H

#include <evalengine.h>
#include <signal.h>
#include <stdbool.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/str.h"

typedef struct ee_coco ee_coco;
struct ee_byte_source;

typedef struct ee_coco_counts {
  uint64_t images, annotations, detections; /* that are in the records */
  uint64_t truths_in_error;                 /* images, categories and annotations that were left out */
  uint64_t detections_in_error;             /* left out, of unknown categories too, and those that could not be read */
  uint64_t detections_without_image;        /* good ones for images that are not among "images" */
} ee_coco_counts;

/* Reads a file of annotations; `text` (empty) is where its bytes go as they come. EE_OK with `*coco` NULL: it is none
 * of COCO's, which the keys of its first object tell; `text` then has all that was taken from the source. Otherwise no
 * more is kept of it than the reading needs. EE_ERROR_DATA with `error`: it is COCO's, but cannot be read to its end,
 * or lacks "images" or "annotations"; EE_ERROR_SYSTEM as ee_byte_source_read(). Entries in error are told in `errors`
 * (EE_ERROR_DATA; what is only odd: EE_OK) with `file`, line and column, and left out; at most EE_UNSPLIT_LISTED of
 * them are told. Memory: what the records need, some 150 bytes an annotation. The caller frees it with ee_coco_free().
 */
ee_status ee_coco_read(struct ee_byte_source *source, const char *file, ee_buffer *text, ee_coco **coco,
                       ee_error_list *errors, ee_error *error);
void ee_coco_free(ee_coco *coco);

/* Reads files of results ("-": standard input), once, and joins; `count` 0: no detections. EE_ERROR_SYSTEM: a file
 * cannot be read, or `interrupt` (may be NULL) was set; EE_ERROR_DATA: they hold something, and nothing of it is a
 * detection. What is left out is told in `errors`. */
ee_status ee_coco_join(ee_coco *coco, const char *const *files, size_t count, const volatile sig_atomic_t *interrupt,
                       ee_error_list *errors, ee_error *error);

/* Appends the next image's record to `text`; false when there are no more. An ee_record_maker for a joined `coco`. */
bool ee_coco_make_record(void *coco, ee_buffer *text);

ee_coco_counts ee_coco_count(const ee_coco *coco);

#endif
