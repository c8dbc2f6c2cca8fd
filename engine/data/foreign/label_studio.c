/* label_studio.c: tasks of Label Studio as its JSON export has them (github.com/HumanSignal/label-studio, and files in
 * the tests of HumanSignal/label-studio-converter): an array of tasks with data, annotations (before version 1.0:
 * completions) and predictions.
 *
 * The annotation is the expected value: the one that is marked as ground truth, else the first that was not cancelled.
 * The prediction is the candidate. Each becomes a document with what its regions are:
 *
 *   boxes    rectangles and polygons {label, bbox}, in pixels of the original image where the export has its size, else
 *            in percent of it: [x, y, width, height], or the points of a polygon, which a turned rectangle is, too
 *   spans    of a text {label, start, end, text}
 *   choices  by the name of the control: one choice, or an array of several
 *   fields   texts, numbers, ratings and dates, by the name of the control
 *
 * A rectangle's x, y, width and height are percents of the image; it is turned clockwise by degrees around its corner
 * (x, y). Offsets count code points since version 1.4 (HumanSignal/label-studio-frontend, pull request 308), UTF-16
 * before; ee.spans compares the text of each span with the document. */
#include "data/foreign/foreign.h"

#include <stdio.h>

#include "data/json/json_writer.h"
#include "prim/angle.h"

enum { NO_ANNOTATION, SEVERAL, NO_PREDICTION, OTHER_REGIONS, PERCENT, SEVERAL_LABELS };

static const char *const notes[] = {
    [NO_ANNOTATION] = "nobody has annotated the task, which is not judged",
    [SEVERAL] = "several annotations, and none is marked as ground truth: the first one is the expected value",
    [NO_PREDICTION] = "no prediction, judged as an empty candidate",
    [OTHER_REGIONS] = "regions that cannot be compared here, such as brushes, ellipses, key points, relations or "
                      "stretches of audio and video, are left out",
    [PERCENT] = "the export does not say how large the image is: its boxes are in percent",
    [SEVERAL_LABELS] = "a region has several labels: the first one counts",
    NULL};

static const double pi = 3.14159265358979323846;

static const ee_value *member(const ee_value *object, const char *key) {
  return ee_value_member(object, ee_str_from(key), NULL);
}

static bool is_true(const ee_value *value) { return ee_type_of(value) == EE_TRUE; }

static const ee_value *annotations_of(const ee_value *task) {
  const ee_value *list = member(task, "annotations");
  return list != NULL ? list : member(task, "completions");
}

static bool is_task(const ee_value *record) {
  return ee_type_of(member(record, "data")) == EE_OBJECT &&
         (ee_type_of(annotations_of(record)) == EE_ARRAY || ee_type_of(member(record, "predictions")) == EE_ARRAY);
}

/* Regions -------------------------------------------------------------------------------------- */

/* What one annotation or prediction has; each part NULL until it has something. */
typedef struct regions {
  ee_foreign_reading *r;
  const ee_value *task, *results;
  ee_value *boxes, *spans, *choices, *fields;
  bool others, percent, several_labels;
} regions;

/* The label of a region: of its own, or of the result for the same region (one id) that has only a label. */
static ee_str label_of(regions *d, const ee_value *result, const char *key) {
  const ee_value *labels = member(member(result, "value"), key);
  ee_str id = ee_value_get_text(result, "id", "");
  for (const ee_value *at = ee_value_child(d->results); labels == NULL && id.length > 0 && at != NULL;
       at = ee_value_next(at))
    if (at != result && ee_str_equal(ee_value_get_text(at, "id", ""), id))
      labels = member(member(at, "value"), "labels");
  const ee_value *first = ee_type_of(labels) == EE_ARRAY ? ee_value_child(labels) : labels;
  if (first != labels && ee_value_count(labels) > 1) d->several_labels = true;
  return ee_type_of(first) == EE_STRING ? ee_value_text(first) : (ee_str){NULL, 0};
}

/* Whether other results of the region say what it is. */
static bool is_only_label(const regions *d, const ee_value *result) {
  ee_str id = ee_value_get_text(result, "id", "");
  if (!ee_str_is(ee_value_get_text(result, "type", ""), "labels") || id.length == 0) return false;
  if (member(member(result, "value"), "start") != NULL) return false;
  for (const ee_value *at = ee_value_child(d->results); at != NULL; at = ee_value_next(at))
    if (at != result && ee_str_equal(ee_value_get_text(at, "id", ""), id)) return true;
  return false;
}

static ee_value *new_item(regions *d, ee_value **list, ee_str label) {
  ee_arena *arena = d->r->arena;
  ee_value *item = ee_value_new(arena, EE_OBJECT);
  if (*list == NULL) *list = ee_value_new(arena, EE_ARRAY);
  if (label.data != NULL) ee_value_set(arena, item, EE_STR("label"), ee_value_new_string(arena, label));
  ee_value_append(*list, item);
  return item;
}

static void add_numbers(ee_arena *arena, ee_value *array, const double *numbers, size_t count) {
  for (size_t i = 0; i < count; i++) ee_value_append(array, ee_value_new_number(arena, numbers[i]));
}

static ee_value *new_point(ee_arena *arena, double x, double y) {
  ee_value *point = ee_value_new(arena, EE_ARRAY);
  add_numbers(arena, point, (const double[]){x, y}, 2);
  return point;
}

static bool has_size(const ee_value *result) {
  return ee_value_get_number(result, "original_width", 0) > 0 && ee_value_get_number(result, "original_height", 0) > 0;
}

/* A result in `owners` (annotations or predictions) for the same image that has its size; NULL: none. */
static const ee_value *find_size(const ee_value *owners, ee_str image) {
  if (ee_type_of(owners) != EE_ARRAY) return NULL;
  for (const ee_value *owner = ee_value_child(owners); owner != NULL; owner = ee_value_next(owner)) {
    const ee_value *results = member(owner, "result");
    for (const ee_value *at = ee_type_of(results) == EE_ARRAY ? ee_value_child(results) : NULL; at != NULL;
         at = ee_value_next(at))
      if (has_size(at) && ee_str_equal(ee_value_get_text(at, "to_name", ""), image)) return at;
  }
  return NULL;
}

/* Pixels of a percent along each side. Predictions often lack the size of the image that annotations have. */
static void find_scale(regions *d, const ee_value *result, double *x, double *y) {
  ee_str image = ee_value_get_text(result, "to_name", "");
  const ee_value *sized = has_size(result) ? result : find_size(annotations_of(d->task), image);
  if (sized == NULL) sized = find_size(member(d->task, "predictions"), image);
  double width = ee_value_get_number(sized, "original_width", 0);
  double height = ee_value_get_number(sized, "original_height", 0);
  bool known = sized != NULL;
  d->percent = d->percent || !known;
  *x = known ? width / 100 : 1;
  *y = known ? height / 100 : 1;
}

static void add_rectangle(regions *d, const ee_value *result, const char *key) {
  const ee_value *value = member(result, "value");
  const char *const names[] = {"x", "y", "width", "height"};
  double at[4], scale_x, scale_y;
  for (size_t i = 0; i < 4; i++) {
    const ee_value *number = member(value, names[i]);
    if (ee_type_of(number) != EE_NUMBER) {
      d->others = true;
      return;
    }
    at[i] = ee_value_number(number);
  }
  find_scale(d, result, &scale_x, &scale_y);
  ee_arena *arena = d->r->arena;
  ee_value *item = new_item(d, &d->boxes, label_of(d, result, key)), *box = ee_value_new(arena, EE_ARRAY);
  double x = at[0] * scale_x, y = at[1] * scale_y, w = at[2] * scale_x, h = at[3] * scale_y;
  double turn = ee_value_get_number(value, "rotation", 0);
  if (turn == 0) {
    add_numbers(arena, box, (const double[]){x, y, w, h}, 4);
  } else {
    double sine, cosine;
    ee_sine_and_cosine(turn * pi / 180, &sine, &cosine);
    ee_value_append(box, new_point(arena, x, y));
    ee_value_append(box, new_point(arena, x + w * cosine, y + w * sine));
    ee_value_append(box, new_point(arena, x + w * cosine - h * sine, y + w * sine + h * cosine));
    ee_value_append(box, new_point(arena, x - h * sine, y + h * cosine));
  }
  ee_value_set(arena, item, EE_STR("bbox"), box);
}

static void add_polygon(regions *d, const ee_value *result) {
  const ee_value *points = member(member(result, "value"), "points");
  double scale_x, scale_y;
  ee_arena *arena = d->r->arena;
  bool good = ee_type_of(points) == EE_ARRAY && ee_value_count(points) > 2;
  for (const ee_value *at = good ? ee_value_child(points) : NULL; at != NULL; at = ee_value_next(at))
    good = good && ee_type_of(at) == EE_ARRAY && ee_value_count(at) == 2 &&
           ee_type_of(ee_value_child(at)) == EE_NUMBER && ee_type_of(ee_value_next(ee_value_child(at))) == EE_NUMBER;
  if (!good) {
    d->others = true;
    return;
  }
  find_scale(d, result, &scale_x, &scale_y);
  ee_value *item = new_item(d, &d->boxes, label_of(d, result, "polygonlabels"));
  ee_value *polygon = ee_value_new(arena, EE_ARRAY);
  for (const ee_value *at = ee_value_child(points); at != NULL; at = ee_value_next(at))
    ee_value_append(polygon, new_point(arena, ee_value_number(ee_value_child(at)) * scale_x,
                                       ee_value_number(ee_value_next(ee_value_child(at))) * scale_y));
  ee_value_set(arena, item, EE_STR("bbox"), polygon);
}

/* Of HTML, start and end are paths to elements, and the offsets are global. */
static void add_span(regions *d, const ee_value *result, const char *key) {
  const ee_value *value = member(result, "value"), *global = member(value, "globalOffsets");
  if (ee_type_of(global) <= EE_NULL) global = NULL;
  const ee_value *from = global != NULL ? global : value;
  const ee_value *start = member(from, "start"), *end = member(from, "end"), *text = member(value, "text");
  /* A stretch of audio is labelled as a text is, in seconds. */
  bool sound = member(value, "channel") != NULL || member(result, "original_length") != NULL;
  if (sound || ee_type_of(start) != EE_NUMBER || ee_type_of(end) != EE_NUMBER) {
    d->others = true;
    return;
  }
  ee_arena *arena = d->r->arena;
  ee_value *item = new_item(d, &d->spans, label_of(d, result, key));
  ee_value_set(arena, item, EE_STR("start"), ee_value_new_number(arena, ee_value_number(start)));
  ee_value_set(arena, item, EE_STR("end"), ee_value_new_number(arena, ee_value_number(end)));
  if (ee_type_of(text) == EE_STRING && global == NULL)
    ee_value_set(arena, item, EE_STR("text"), ee_value_new_string(arena, ee_value_text(text)));
}

/* A value of a control that is not a region; a list of one is its element. */
static void add_control(regions *d, ee_value **part, const ee_value *result, const ee_value *value) {
  ee_arena *arena = d->r->arena;
  ee_str name = ee_value_get_text(result, "from_name", "");
  if (*part == NULL) *part = ee_value_new(arena, EE_OBJECT);
  if (ee_type_of(value) == EE_ARRAY && ee_value_count(value) == 1) value = ee_value_child(value);
  /* A control for each region has several results, which belong to their regions. */
  if (ee_type_of(value) <= EE_NULL || name.length == 0 || ee_value_member(*part, name, NULL) != NULL)
    d->others = true;
  else
    ee_value_set(arena, *part, name, ee_value_copy(arena, value));
}

static void add_result(regions *d, const ee_value *result) {
  ee_str type = ee_value_get_text(result, "type", "");
  const ee_value *value = member(result, "value");
  if (ee_str_is(type, "rectanglelabels") || ee_str_is(type, "rectangle"))
    add_rectangle(d, result, "rectanglelabels");
  else if (ee_str_is(type, "polygonlabels") || ee_str_is(type, "polygon"))
    add_polygon(d, result);
  else if (is_only_label(d, result))
    return;
  else if (ee_str_is(type, "labels") || ee_str_is(type, "hypertextlabels"))
    add_span(d, result, ee_str_is(type, "labels") ? "labels" : "hypertextlabels");
  else if (ee_str_is(type, "choices"))
    add_control(d, &d->choices, result, member(value, "choices"));
  else if (ee_str_is(type, "textarea"))
    add_control(d, &d->fields, result, member(value, "text"));
  else if (ee_str_is(type, "number") || ee_str_is(type, "rating") || ee_str_is(type, "datetime"))
    add_control(d, &d->fields, result,
                member(value, ee_str_is(type, "number")   ? "number"
                              : ee_str_is(type, "rating") ? "rating"
                                                          : "datetime"));
  else
    d->others = true;
}

/* Writes the document of an annotation or prediction. */
static void write_document(ee_foreign_reading *r, const ee_value *task, const ee_value *owner) {
  regions d = {.r = r, .task = task, .results = member(owner, "result")};
  if (ee_type_of(d.results) == EE_ARRAY)
    for (const ee_value *at = ee_value_child(d.results); at != NULL; at = ee_value_next(at)) add_result(&d, at);
  else
    d.results = NULL;
  ee_value *document = ee_value_new(r->arena, EE_OBJECT);
  if (d.boxes != NULL) ee_value_set(r->arena, document, EE_STR("boxes"), d.boxes);
  if (d.spans != NULL) ee_value_set(r->arena, document, EE_STR("spans"), d.spans);
  if (d.choices != NULL) ee_value_set(r->arena, document, EE_STR("choices"), d.choices);
  if (d.fields != NULL) ee_value_set(r->arena, document, EE_STR("fields"), d.fields);
  ee_json_write_value(r->out, document);
  if (d.others) ee_foreign_note_record(r, OTHER_REGIONS);
  if (d.percent) ee_foreign_note_record(r, PERCENT);
  if (d.several_labels) ee_foreign_note_record(r, SEVERAL_LABELS);
}

/* Tasks ---------------------------------------------------------------------------------------- */

/* `*count`: annotations that were not cancelled. */
static const ee_value *choose_annotation(const ee_value *list, size_t *count, bool *marked) {
  const ee_value *first = NULL, *truth = NULL;
  *count = 0;
  for (const ee_value *at = ee_type_of(list) == EE_ARRAY ? ee_value_child(list) : NULL; at != NULL;
       at = ee_value_next(at)) {
    if (ee_type_of(at) != EE_OBJECT || is_true(member(at, "was_cancelled"))) continue;
    *count += 1;
    if (first == NULL) first = at;
    bool is_truth = is_true(member(at, "ground_truth")) || is_true(member(at, "honeypot"));
    if (truth == NULL && is_truth) truth = at;
  }
  *marked = truth != NULL;
  return truth != NULL ? truth : first;
}

/* The text that spans are of: data.text, or the only text of the data. */
static void add_text(ee_foreign_reading *r, const ee_value *data) {
  const ee_value *text = member(data, "text"), *only = NULL;
  size_t texts = 0;
  for (const ee_value *at = ee_value_child(data); at != NULL; at = ee_value_next(at)) {
    if (ee_type_of(at) != EE_STRING) continue;
    texts++;
    only = at;
  }
  if (ee_type_of(text) != EE_STRING) text = texts == 1 ? only : NULL;
  ee_foreign_add(r, "text", text);
}

/* Several predictions: one of each model, by its name. False if their names do not tell them apart. */
static bool add_predictions(ee_foreign_reading *r, const ee_value *task, const ee_value *list) {
  ee_value *seen = ee_value_new(r->arena, EE_OBJECT);
  ee_foreign_add_key(r, "predictions");
  char before = '{';
  for (const ee_value *at = ee_value_child(list); at != NULL; at = ee_value_next(at)) {
    ee_str model = ee_value_get_text(at, "model_version", "");
    if (ee_value_member(seen, model, NULL) != NULL) return false;
    ee_value_set(r->arena, seen, model, ee_value_new_bool(r->arena, true));
    ee_buffer_add_char(r->out, before);
    ee_json_write_string(r->out, model);
    ee_buffer_add_char(r->out, ':');
    write_document(r, task, at);
    before = ',';
  }
  ee_buffer_add_char(r->out, '}');
  return true;
}

static ee_foreign_result read(ee_foreign_reading *r, const ee_value *record, ee_error *error) {
  const ee_value *data = member(record, "data"), *predictions = member(record, "predictions");
  if (!is_task(record)) {
    bool flat = member(record, "annotation_id") != NULL || member(record, "annotator") != NULL;
    ee_error_set(error, EE_ERROR_DATA, "not a task of Label Studio: 'data' and 'annotations' are expected in it%s",
                 flat ? "; this is an export as JSON-MIN: export as JSON" : "");
    return EE_FOREIGN_BROKEN;
  }
  ee_foreign_add_id(r, member(record, "id"));
  size_t count;
  bool marked;
  const ee_value *annotation = choose_annotation(annotations_of(record), &count, &marked);
  size_t predicted = ee_type_of(predictions) == EE_ARRAY ? ee_value_count(predictions) : 0;
  if (annotation == NULL && (r->use->one_file || predicted == 0)) {
    ee_foreign_note_record(r, NO_ANNOTATION);
    return EE_FOREIGN_NOTHING;
  }
  if (annotation != NULL) {
    if (count > 1 && !marked) ee_foreign_note_record(r, SEVERAL);
    ee_foreign_add_key(r, "expected");
    write_document(r, record, annotation);
  }
  if (predicted == 1) {
    ee_foreign_add_key(r, "candidate");
    write_document(r, record, ee_value_child(predictions));
    ee_foreign_add(r, "model", member(ee_value_child(predictions), "model_version"));
    ee_foreign_add(r, "model_score", member(ee_value_child(predictions), "score"));
  } else if (predicted > 1) {
    bool named = add_predictions(r, record, predictions);
    if (!named || !r->use->candidate_given) {
      ee_str model = ee_value_get_text(ee_value_child(predictions), "model_version", "");
      ee_error_set(error, EE_ERROR_DATA,
                   named ? "the task has %zu predictions: --candidate predictions.MODEL chooses one, such as "
                           "predictions[\"%.*s\"]"
                         : "the task has %zu predictions, and two of model_version '%.*s'",
                   predicted, (int)ee_utf8_cut(model, 60), model.data);
      return EE_FOREIGN_BROKEN;
    }
  } else if (r->use->one_file) {
    ee_foreign_note_record(r, NO_PREDICTION);
  }
  add_text(r, data);
  ee_foreign_add(r, "data", data);
  ee_foreign_add(r, "annotator", member(annotation, "completed_by"));
  return EE_FOREIGN_RECORD;
}

static const char *const variants[] = {"model", NULL};

static const ee_foreign_judge judges[] = {
    {.member = "boxes",
     .comment = "Rectangles and polygons, paired by their overlap",
     .lua = "ee.iou_score { \"boxes\", name = \"boxes\", box = \"bbox\", label = \"label\", format = \"xywh\", match = "
            "\"optimal\" },"},
    {.member = "spans",
     .comment = "Labelled spans of the text",
     .lua = "ee.spans { \"spans\", name = \"spans\", document = \"text\" },"},
    {.member = "choices.*",
     .comment = "Choices",
     .lua = "ee.confusion { %s, name = %s },",
     .lua_of_arrays = "ee.fields { ee.set(%s), name = %s },"},
    {.member = "fields.*",
     .comment = "Texts, numbers and dates that were typed in",
     .lua = "ee.fields { ee.auto(%s), name = %s },"},
    {.member = NULL}};

const ee_foreign_format ee_foreign_label_studio = {
    .name = "label-studio",
    .what = "tasks of Label Studio (export as JSON)",
    .variants = variants,
    .notes = notes,
    .judges = judges,
    .is = is_task,
    .read = read,
};
