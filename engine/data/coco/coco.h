/* coco.h: joins COCO's annotations and results into one record per image.
 *
 * Annotations are one JSON object with the arrays "images", "annotations" and "categories". Results are a JSON array,
 * or JSONL, of {image_id, category_id, bbox, score}. Both may be compressed. An image becomes the record
 *
 *   {"id":139,"expected":[{"id":1,"image_id":139,"bbox":[..],"category":"person","category_id":1,"area":..,"iscrowd":0,
 *   "ignore":0}],"candidate":[{"bbox":[..],"category":"person","category_id":1,"score":..}]}
 *
 * Images are in ascending order of their ids, as in pycocotools; their entries in the order of the files. Numbers keep
 * their source texts. area, iscrowd, ignore, id and score are present where the file has them. A category is called by
 * its name, or "name (id)" where several have that name. Entries of a category that is not in "categories" are left
 * out, as in COCO's evaluator; in a file without "categories" all categories are called "category 17". Ids are whole
 * numbers of at most 18 digits, compared by decimal value.
 *
 * https://cocodataset.org/#format-data and #format-results */
#ifndef EE_DATA_COCO_COCO_H
#define EE_DATA_COCO_COCO_H

#include <evalengine.h>
#include <signal.h>
#include <stdbool.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/error.h"
#include "base/str.h"

typedef struct ee_coco ee_coco;
struct ee_byte_source;
struct ee_image_boxes;

typedef struct ee_coco_counts {
  uint64_t images, annotations, detections; /* in the records */
  uint64_t truths_in_error;                 /* images, categories and annotations that were left out */
  uint64_t detections_in_error;             /* unreadable or of an unknown category; left out */
  uint64_t detections_without_image;        /* valid ones of images that are not in "images"; left out */
} ee_coco_counts;

/* Reads a file of annotations. `text` (empty at first) receives the bytes as they come. EE_OK with `*coco` NULL: not a
 * COCO file (decided by the keys of its first object); `text` has all bytes taken. EE_ERROR_DATA with `error`: a COCO
 * file that is broken or lacks "images" or "annotations". EE_ERROR_SYSTEM as ee_byte_source_read(). Invalid entries are
 * left out and reported in `errors` (EE_ERROR_DATA; oddities: EE_OK) with `file`, line and column; at most
 * EE_UNSPLIT_LISTED of them. Memory: about 150 bytes per annotation. Free with ee_coco_free(). */
ee_status ee_coco_read(struct ee_byte_source *source, const char *file, ee_buffer *text, ee_coco **coco,
                       ee_error_list *errors, ee_error *error);
void ee_coco_free(ee_coco *coco);

/* Reads files of results ("-": standard input), once, and joins them; `count` 0: no detections. EE_ERROR_SYSTEM: a file
 * cannot be read, or `interrupt` (may be NULL) was set. EE_ERROR_DATA: the files are not empty and have no valid
 * detection. What is left out is reported in `errors`. */
ee_status ee_coco_join(ee_coco *coco, const char *const *files, size_t count, const volatile sig_atomic_t *interrupt,
                       ee_error_list *errors, ee_error *error);

/* Appends the next image's record to `text`; false at the end. An ee_record_maker for a joined `coco`. */
bool ee_coco_make_record(void *coco, ee_buffer *text);

/* What the record of image `number`, from 0 in ascending order of ids, says as boxes. False where a document says more:
 * a box with an error, a detection without a score, a category with a blank name. An ee_boxes_maker for a joined
 * `coco`. */
bool ee_coco_make_boxes(const void *coco, uint64_t number, ee_arena *arena, struct ee_image_boxes *boxes);

ee_coco_counts ee_coco_count(const ee_coco *coco);

#endif
