/* The C interface from C: c_interface_test RUNS.csv FOLDER, with the runs of the demo study and a
 * folder for files. */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scalelaw/scalelaw.h"

static int failures = 0;

#define EXPECT(claim)                                             \
  do {                                                            \
    if (!(claim)) {                                               \
      fprintf(stderr, "line %d: not so: %s\n", __LINE__, #claim); \
      failures = 1;                                               \
    }                                                             \
  } while (0)

static int has(const char *text, const char *part) { return strstr(text, part) != NULL; }

static int expect_error(scalelaw_call *call, const char *code, const char *part, int line) {
  const int status = scalelaw_call_run(call);
  const int as_told = status == SCALELAW_UNUSABLE &&
                      strcmp(scalelaw_call_error_code(call), code) == 0 &&
                      has(scalelaw_call_error(call), part);
  if (!as_told) {
    fprintf(stderr, "line %d: status %d, %s: %s\n", line, status, scalelaw_call_error_code(call),
            scalelaw_call_error(call));
    failures = 1;
  }
  return as_told;
}
#define EXPECT_ERROR(call, code, part) expect_error(call, code, part, __LINE__)

/* Four runs on the curve t = 800 / N. */
static const double kGpus[] = {1, 2, 4, 8};
static const double kSeconds[] = {800, 400, 200, 100};

static scalelaw_call *call_of_runs(const char *command, const char *options) {
  scalelaw_call *call = scalelaw_call_new(command);
  scalelaw_call_doubles(call, "runs", "gpus", kGpus, 4);
  scalelaw_call_doubles(call, "runs", "epoch_seconds", kSeconds, 4);
  scalelaw_call_options(call, options);
  return call;
}

static void test_columns_of_doubles_are_fitted(void) {
  scalelaw_call *call =
      call_of_runs("fit", "{\"format\": \"csv\", \"columns\": [\"n\", \"alpha\", \"beta\"]}");
  size_t size = 0;
  EXPECT(scalelaw_call_run(call) == SCALELAW_DONE);
  const char *result = scalelaw_call_result(call, &size);
  EXPECT(size == strlen(result));
  double alpha = 0, beta = 0;
  EXPECT(sscanf(result, "n,alpha,beta\n4,%lf,%lf", &alpha, &beta) == 2);
  EXPECT(fabs(alpha - 800) < 1e-9 && fabs(beta - 1) < 1e-12);
  EXPECT(strcmp(scalelaw_call_error(call), "") == 0);
  scalelaw_call_free(call);
}

static void test_numbers_of_every_type_and_codes_make_the_same_table(void) {
  const int32_t gpus[] = {1, 2, 4, 8, 1, 2, 4, 8};
  const float seconds[] = {800, 400, 200, 100, 80, 40, 20, 10};
  const int8_t codes[] = {1, 1, 1, 1, 0, 0, 0, 0};
  const char *const words[] = {"ResNet, 50", "BERT"};
  const char *const texts[] = {"BERT",       "BERT",       "BERT",       "BERT",
                               "ResNet, 50", "ResNet, 50", "ResNet, 50", "ResNet, 50"};
  char *first = NULL;
  for (int as_codes = 0; as_codes < 2; ++as_codes) {
    scalelaw_call *call = scalelaw_call_new("fit");
    EXPECT(scalelaw_call_values(call, "runs", "gpus", "i", gpus, 8) == 0);
    EXPECT(scalelaw_call_values(call, "runs", "seconds", "f", seconds, 8) == 0);
    if (as_codes) {
      EXPECT(scalelaw_call_codes(call, "runs", "model", "c", codes, 8, words, 2) == 0);
    } else {
      EXPECT(scalelaw_call_texts(call, "runs", "model", texts, 8) == 0);
    }
    scalelaw_call_options(call, "{\"by\": \"model\", \"format\": \"json\"}");
    EXPECT(scalelaw_call_run(call) == SCALELAW_DONE);
    const char *result = scalelaw_call_result(call, NULL);
    EXPECT(has(result, "\"inputs\": [\"runs\"]"));
    EXPECT(has(result, "{\"model\": \"ResNet, 50\"}"));
    if (first != NULL) EXPECT(strcmp(first, result) == 0);
    if (first == NULL) first = strdup(result);
    scalelaw_call_free(call);
  }
  free(first);
}

/* ---- Arrow */

static int released = 0;
static void release_schema(struct ArrowSchema *schema) {
  ++released;
  schema->release = NULL;
}
static void release_array(struct ArrowArray *array) {
  ++released;
  array->release = NULL;
}
static struct ArrowSchema schema_of(const char *format, const char *name) {
  const struct ArrowSchema schema = {format, name, NULL, 0, 0, NULL, NULL, release_schema, NULL};
  return schema;
}
static struct ArrowArray array_of(int64_t length, int64_t n_buffers, const void **buffers) {
  const struct ArrowArray array = {length,  -1,   0,    n_buffers,     0,
                                   buffers, NULL, NULL, release_array, NULL};
  return array;
}

static void test_arrow_arrays_are_read_and_released_once(void) {
  const int64_t gpus[] = {1, 2, 4, 8, 16};
  const double seconds[] = {800, 400, 200, 100, 1e9};
  const uint8_t valid[] = {0x0f}; /* The last time is missing. */
  const int32_t ends[] = {0, 4, 8, 12, 16, 20};
  const void *gpus_buffers[] = {NULL, gpus};
  const void *seconds_buffers[] = {valid, seconds};
  const void *model_buffers[] = {NULL, ends, "BERTBERTBERTBERTBERT"};
  struct ArrowSchema schemas[] = {schema_of("l", "gpus"), schema_of("g", "epoch_seconds"),
                                  schema_of("u", "model"), schema_of("+l", "a list")};
  struct ArrowArray arrays[] = {array_of(5, 2, gpus_buffers), array_of(5, 2, seconds_buffers),
                                array_of(5, 3, model_buffers), array_of(5, 2, gpus_buffers)};
  struct ArrowSchema *schema_children[] = {&schemas[0], &schemas[1], &schemas[2], &schemas[3]};
  struct ArrowArray *array_children[] = {&arrays[0], &arrays[1], &arrays[2], &arrays[3]};
  struct ArrowSchema schema = schema_of("+s", "");
  struct ArrowArray array = array_of(5, 1, gpus_buffers);
  schema.n_children = array.n_children = 4;
  schema.children = schema_children;
  array.children = array_children;
  scalelaw_call *call = scalelaw_call_new("fit");
  EXPECT(scalelaw_call_arrow(call, "runs", &schema, &array) == 0);
  EXPECT(schema.release == NULL && array.release == NULL);
  scalelaw_call_options(call, "{\"by\": [\"model\"], \"format\": \"json\"}");
  EXPECT(scalelaw_call_run(call) == SCALELAW_DONE);
  EXPECT(
      has(scalelaw_call_result(call, NULL), "\"rows\": {\"read\": 5, \"used\": 4, \"missing\": 1"));
  EXPECT(released == 0);
  scalelaw_call_free(call);
  EXPECT(released == 2);
}

static void test_what_cannot_be_used_is_said(const char *runs, const char *folder) {
  scalelaw_call *call = scalelaw_call_new("fitt");
  EXPECT_ERROR(call, "options", "fit");
  scalelaw_call_free(call);
  call = call_of_runs("fit", "{\"confidnce\": 0.9}");
  EXPECT_ERROR(call, "options", "did you mean confidence?");
  scalelaw_call_options(call, "{\"confidence\": [0.9]");
  EXPECT_ERROR(call, "options", "no valid JSON");
  scalelaw_call_options(call, "[1]");
  EXPECT_ERROR(call, "options", "no JSON object");
  scalelaw_call_options(call, "{\"rate\": 3}");
  EXPECT_ERROR(call, "options", "rate: expected true or false");
  scalelaw_call_options(call, "{\"where\": {\"a\": 1}}");
  EXPECT_ERROR(call, "options", "where: expected a text");
  scalelaw_call_options(call, "{\"law\": \"powr\"}");
  EXPECT_ERROR(call, "options", "did you mean 'power'?");
  scalelaw_call_options(call, "{\"max_memory\": \"1GiB\"}");
  EXPECT_ERROR(call, "options", "max_memory");
  scalelaw_call_options(call, "{\"input\": [\"-\"]}");
  EXPECT_ERROR(call, "options", "standard input");
  scalelaw_call_options(call, "{\"y\": \"joules\"}");
  EXPECT_ERROR(call, "data", "no column 'joules'");
  scalelaw_call_options(call, "{\"input\": [\"/nowhere/runs.csv\"]}");
  EXPECT_ERROR(call, "data", "/nowhere/runs.csv: no such file or folder");
  scalelaw_call_options(call, NULL);
  EXPECT(scalelaw_call_run(call) == SCALELAW_DONE); /* What failed before leaves nothing behind. */
  EXPECT(scalelaw_call_values(call, "runs", "more", "z", kGpus, 4) == -1);
  EXPECT_ERROR(call, "data", "no type of numbers 'z'");
  scalelaw_call_free(call);
  call = call_of_runs("fit", "");
  scalelaw_call_doubles(call, "runs", "cap", kGpus, 3);
  EXPECT_ERROR(call, "data", "the column 'cap' has 3 rows, and 'gpus' has 4");
  scalelaw_call_free(call);
  const double infinite[] = {800, 400, INFINITY, 100};
  call = scalelaw_call_new("fit");
  scalelaw_call_doubles(call, "runs", "gpus", kGpus, 4);
  scalelaw_call_doubles(call, "runs", "seconds", infinite, 4);
  EXPECT_ERROR(call, "parse", "runs:4: field 2 'seconds': expected a finite number, found \"inf\"");
  scalelaw_call_free(call);
  char path[4096];
  snprintf(path, sizeof path, "%s/malformed.csv", folder);
  FILE *file = fopen(path, "w");
  fputs("gpus,seconds\n1,800\n2,n/q\n", file);
  fclose(file);
  char options[8192];
  snprintf(options, sizeof options, "{\"input\": [\"%s\"]}", path);
  call = scalelaw_call_new("fit");
  scalelaw_call_options(call, options);
  EXPECT_ERROR(call, "parse", "malformed.csv:3: ");
  snprintf(options, sizeof options, "%s:3", path);
  EXPECT(strcmp(scalelaw_call_error_place(call), options) == 0);
  scalelaw_call_free(call);
  EXPECT(scalelaw_call_run(NULL) == SCALELAW_UNUSABLE);
  EXPECT(scalelaw_call_doubles(NULL, "runs", "gpus", kGpus, 4) == -1);
  EXPECT(strcmp(scalelaw_call_result(NULL, NULL), "") == 0);
  scalelaw_call_free(NULL);
  (void)runs;
}

static void test_messages_are_kept(void) {
  scalelaw_call *call = call_of_runs("fit", "");
  int kind = -1;
  EXPECT(scalelaw_call_run(call) == SCALELAW_DONE);
  EXPECT(scalelaw_call_message_count(call) > 0);
  EXPECT(scalelaw_call_message(call, 0, &kind) != NULL && kind == SCALELAW_NOTE);
  EXPECT(scalelaw_call_message(call, 1000, &kind) == NULL);
  scalelaw_call_free(call);
}

static void test_fits_are_read_as_a_document(void) {
  scalelaw_call *fit = call_of_runs("fit", "{\"format\": \"json\"}");
  EXPECT(scalelaw_call_run(fit) == SCALELAW_DONE);
  size_t size = 0;
  const char *document = scalelaw_call_result(fit, &size);
  scalelaw_call *predict = scalelaw_call_new("predict");
  EXPECT(scalelaw_call_document(predict, "fits.json", document, size) == 0);
  scalelaw_call_options(predict,
                        "{\"at\": 16, \"format\": \"csv\", \"columns\": [\"x\", \"median\"]}");
  EXPECT(scalelaw_call_run(predict) == SCALELAW_DONE);
  double median = 0;
  EXPECT(sscanf(scalelaw_call_result(predict, NULL), "x,median\n16,%lf", &median) == 1);
  EXPECT(fabs(median - 50) < 1e-9);
  scalelaw_call_free(predict);
  scalelaw_call_free(fit);
}

static int never(void *user) {
  ++*(int *)user;
  return 0;
}

/* The column of a batch that has a name. */
static int place_of(const struct ArrowSchema *schema, const char *name) {
  for (int64_t i = 0; i < schema->n_children; ++i) {
    if (strcmp(schema->children[i]->name, name) == 0) return (int)i;
  }
  return -1;
}

static void test_the_table_of_a_result_is_arrow(void) {
  scalelaw_call *call = call_of_runs("fit", "{\"format\": \"csv\", \"by\": \"cap,model\"}");
  const double caps[] = {250, 250, 250, 250};
  const char *const models[] = {"007", "007", "007", "007"};
  scalelaw_call_doubles(call, "runs", "cap", caps, 4);
  scalelaw_call_texts(call, "runs", "model", models, 4);
  struct ArrowArrayStream stream;
  EXPECT(scalelaw_call_result_arrow(call, &stream) == -1 && stream.release == NULL);
  EXPECT(scalelaw_call_run(call) == SCALELAW_DONE);
  EXPECT(scalelaw_call_result_arrow(call, &stream) == -1); /* Nobody wanted it. */
  scalelaw_call_keep_table(call);
  EXPECT(scalelaw_call_run(call) == SCALELAW_DONE);
  EXPECT(scalelaw_call_result_arrow(call, NULL) == -1);
  EXPECT(scalelaw_call_result_arrow(call, &stream) == 0);
  scalelaw_call_free(call); /* The stream outlives it. */
  struct ArrowSchema schema;
  struct ArrowArray batch, beta, end;
  EXPECT(stream.get_schema(&stream, &schema) == 0 && strcmp(schema.format, "+s") == 0);
  EXPECT(stream.get_next(&stream, &batch) == 0 && batch.length == 1 &&
         batch.n_children == schema.n_children);
  EXPECT(stream.get_next(&stream, &end) == 0 && end.release == NULL);
  stream.release(&stream);
  const int cap = place_of(&schema, "cap"), model = place_of(&schema, "model"),
            n = place_of(&schema, "n");
  const int at = place_of(&schema, "beta"), code = place_of(&schema, "code");
  EXPECT(cap >= 0 && strcmp(schema.children[cap]->format, "l") == 0);
  EXPECT(*(const int64_t *)batch.children[cap]->buffers[1] == 250);
  EXPECT(model >= 0 && strcmp(schema.children[model]->format, "u") == 0);
  EXPECT(memcmp(batch.children[model]->buffers[2], "007", 3) == 0);
  EXPECT(((const int32_t *)batch.children[model]->buffers[1])[1] == 3);
  EXPECT(n >= 0 && strcmp(schema.children[n]->format, "l") == 0 &&
         *(const int64_t *)batch.children[n]->buffers[1] == 4);
  EXPECT(at >= 0 && strcmp(schema.children[at]->format, "g") == 0);
  EXPECT(code >= 0 && batch.children[code]->null_count == 1 &&
         (*(const uint8_t *)batch.children[code]->buffers[0] & 1) == 0);
  /* A child may be moved away, and outlives the batch. */
  beta = *batch.children[at];
  batch.children[at]->release = NULL;
  batch.release(&batch);
  schema.release(&schema);
  EXPECT(batch.release == NULL && schema.release == NULL);
  EXPECT(fabs(*(const double *)beta.buffers[1] - 1) < 1e-12);
  beta.release(&beta);
  call = call_of_runs("fit", "{\"format\": \"json\"}");
  scalelaw_call_keep_table(call);
  EXPECT(scalelaw_call_run(call) == SCALELAW_DONE);
  EXPECT(scalelaw_call_result_arrow(call, &stream) == -1);
  scalelaw_call_free(call);
}

static void test_a_call_tells_what_it_has_read(const char *runs) {
  FILE *file = fopen(runs, "rb");
  EXPECT(file != NULL);
  fseek(file, 0, SEEK_END);
  const long size = ftell(file);
  fclose(file);
  char options[8192];
  snprintf(options, sizeof options, "{\"input\": [\"%s\"]}", runs);
  scalelaw_call *call = scalelaw_call_new("fit");
  scalelaw_call_options(call, options);
  EXPECT(scalelaw_call_bytes_read(call) == 0);
  uint64_t first = 0;
  for (int i = 0; i < 2; ++i) {
    EXPECT(scalelaw_call_run(call) == SCALELAW_DONE);
    const uint64_t bytes = scalelaw_call_bytes_read(call);
    EXPECT(bytes >= (uint64_t)size &&
           bytes < (uint64_t)size + (1 << 20)); /* Its begin is looked at. */
    EXPECT(i == 0 || bytes == first);
    first = bytes;
  }
  scalelaw_call_free(call);
  EXPECT(scalelaw_call_bytes_read(NULL) == 0);
}

static void test_a_call_can_be_cancelled(const char *runs) {
  scalelaw_call *call = call_of_runs("fit", "");
  scalelaw_call_cancel(call);
  EXPECT_ERROR(call, "cancelled", "cancelled");
  scalelaw_call_free(call);
  /* A bootstrap of seconds, which the callback ends at once. */
  char options[8192];
  int asked = 0;
  snprintf(options, sizeof options, "{\"input\": [\"%s\"], \"bootstrap\": 2000000, \"threads\": 1}",
           runs);
  call = scalelaw_call_new("fit");
  scalelaw_call_options(call, options);
  scalelaw_call_watch(call, never, &asked);
  EXPECT_ERROR(call, "cancelled", "cancelled");
  EXPECT(asked == 1);
  scalelaw_call_free(call);
}

/* ---- Eight threads */

struct task {
  const char *runs;
  const char *expected;
  int failed;
};

static const char kThreadOptions[] =
    "\"format\": \"json\", \"where\": [\"model=BERT\"], \"threads\": 2}";

static scalelaw_call *call_of_demo(const char *runs) {
  char options[8192];
  scalelaw_call *call = scalelaw_call_new("fit");
  snprintf(options, sizeof options, "{\"input\": [\"%s\"], %s", runs, kThreadOptions);
  scalelaw_call_options(call, options);
  return call;
}

static void *work(void *given) {
  struct task *task = given;
  for (int turn = 0; turn < 5; ++turn) {
    scalelaw_call *from_file = call_of_demo(task->runs);
    task->failed |= scalelaw_call_run(from_file) != SCALELAW_DONE;
    task->failed |= strcmp(scalelaw_call_result(from_file, NULL), task->expected) != 0;
    scalelaw_call_free(from_file);
    scalelaw_call *from_memory = call_of_runs("rank", "{\"format\": \"json\"}");
    task->failed |= scalelaw_call_run(from_memory) != SCALELAW_DONE;
    scalelaw_call_free(from_memory);
    scalelaw_call *refused = call_of_runs("fit", "{\"y\": \"joules\"}");
    task->failed |= scalelaw_call_run(refused) != SCALELAW_UNUSABLE;
    scalelaw_call_free(refused);
  }
  return NULL;
}

static void test_eight_threads_call_at_once(const char *runs) {
  scalelaw_call *call = call_of_demo(runs);
  EXPECT(scalelaw_call_run(call) == SCALELAW_DONE);
  struct task tasks[8];
  pthread_t threads[8];
  for (int i = 0; i < 8; ++i) {
    tasks[i] = (struct task){runs, scalelaw_call_result(call, NULL), 0};
    EXPECT(pthread_create(&threads[i], NULL, work, &tasks[i]) == 0);
  }
  for (int i = 0; i < 8; ++i) {
    pthread_join(threads[i], NULL);
    EXPECT(!tasks[i].failed);
  }
  scalelaw_call_free(call);
}

static void test_the_schema_has_every_command(void) {
  const char *schema = scalelaw_schema();
  EXPECT(schema != NULL && schema == scalelaw_schema());
  EXPECT(has(schema, "\"schema\": \"scalelaw.schema/1\""));
  EXPECT(has(schema, "\"command\": \"plot replay\""));
  EXPECT(has(schema, "\"key\": \"skip_bad_rows\""));
  EXPECT(strchr(scalelaw_version(), '.') != NULL);
}

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  test_columns_of_doubles_are_fitted();
  test_numbers_of_every_type_and_codes_make_the_same_table();
  test_arrow_arrays_are_read_and_released_once();
  test_what_cannot_be_used_is_said(argv[1], argv[2]);
  test_messages_are_kept();
  test_fits_are_read_as_a_document();
  test_the_table_of_a_result_is_arrow();
  test_a_call_tells_what_it_has_read(argv[1]);
  test_a_call_can_be_cancelled(argv[1]);
  test_eight_threads_call_at_once(argv[1]);
  test_the_schema_has_every_command();
  return failures;
}
