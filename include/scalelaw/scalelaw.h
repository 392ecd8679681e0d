/* scalelaw from C, and from every language that calls C: docs/reference/c-interface.md.
 *
 * A call is made, gets tables and options, runs, and is asked for its result:
 *
 *   scalelaw_call *call = scalelaw_call_new("fit");
 *   scalelaw_call_doubles(call, "runs", "gpus", gpus, rows);
 *   scalelaw_call_doubles(call, "runs", "seconds", seconds, rows);
 *   scalelaw_call_options(call, "{\"format\": \"json\"}");
 *   if (scalelaw_call_run(call) != SCALELAW_UNUSABLE) puts(scalelaw_call_result(call, NULL));
 *   scalelaw_call_free(call);
 *
 * Different calls may run on different threads at once. One call belongs to one thread at a time;
 * only scalelaw_call_cancel may come from another. No function throws, ends the process, or writes
 * to standard output or standard error. */
#ifndef SCALELAW_SCALELAW_H
#define SCALELAW_SCALELAW_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this interface. Functions and values are added to it; those that exist stay.
 * 2 added scalelaw_call_keep_table and scalelaw_call_result_arrow, 3 scalelaw_call_bytes_read. */
#define SCALELAW_INTERFACE 3

/* The Arrow C data interface and stream interface, as Arrow's documents define them. */
#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE
struct ArrowSchema {
  const char *format;
  const char *name;
  const char *metadata;
  int64_t flags;
  int64_t n_children;
  struct ArrowSchema **children;
  struct ArrowSchema *dictionary;
  void (*release)(struct ArrowSchema *);
  void *private_data;
};

struct ArrowArray {
  int64_t length;
  int64_t null_count;
  int64_t offset;
  int64_t n_buffers;
  int64_t n_children;
  const void **buffers;
  struct ArrowArray **children;
  struct ArrowArray *dictionary;
  void (*release)(struct ArrowArray *);
  void *private_data;
};
#endif

#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE
struct ArrowArrayStream {
  int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *out);
  int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *out);
  const char *(*get_last_error)(struct ArrowArrayStream *);
  void (*release)(struct ArrowArrayStream *);
  void *private_data;
};
#endif

typedef struct scalelaw_call scalelaw_call;

/* How a call ended: the exit statuses of the command. */
enum {
  SCALELAW_DONE = 0,
  SCALELAW_CHECK_FAILED = 1, /* A gate failed, or the result lacks something under "strict". */
  SCALELAW_UNUSABLE = 2      /* There is no result; scalelaw_call_error says why. */
};

/* "1.2.3". */
const char *scalelaw_version(void);

/* All commands and their options, a JSON document. It stays for the life of the process. Null if
 * there is no memory for it. */
const char *scalelaw_schema(void);

/* A call of a command, such as "fit" or "plot replay". Null if there is no memory for it. */
scalelaw_call *scalelaw_call_new(const char *command);
void scalelaw_call_free(scalelaw_call *call);

/* The options of the call: a JSON object whose members have the long names of options. "input" has
 * the paths; without it the tables of the call are read. */
void scalelaw_call_options(scalelaw_call *call, const char *json);

/* A column of a table in memory, of which nothing is copied: values and texts must stay until the
 * call has run. The call reads the table as if its name were the path of a CSV file.
 *
 * scalelaw_call_values takes numbers of any type: `type` is the format that Arrow has for it: "g"
 * for double, "f" float, "c" "s" "i" "l" for signed integers of 8 to 64 bits, "C" "S" "I" "L" for
 * unsigned ones, and "tss:" "tsm:" "tsu:" "tsn:" for instants. In doubles NaN is a missing value.
 * Texts are UTF-8 and end in NUL; a null pointer is a missing value. scalelaw_call_codes takes a
 * column whose values are indices into a list of words; negative ones are missing values.
 *
 * All return 0, and -1 if an argument cannot be used; the run then fails and says why. */
int scalelaw_call_doubles(scalelaw_call *call, const char *table, const char *column,
                          const double *values, int64_t rows);
int scalelaw_call_values(scalelaw_call *call, const char *table, const char *column,
                         const char *type, const void *values, int64_t rows);
int scalelaw_call_texts(scalelaw_call *call, const char *table, const char *column,
                        const char *const *values, int64_t rows);
int scalelaw_call_codes(scalelaw_call *call, const char *table, const char *column,
                        const char *type, const void *codes, int64_t rows, const char *const *words,
                        int64_t word_count);

/* The columns of a table from Arrow: a struct array, or a stream of them. The call takes them over,
 * also where it fails, and releases them when it is freed. Columns of types that no run table has
 * (lists, structs) are left out. */
int scalelaw_call_arrow(scalelaw_call *call, const char *table, struct ArrowSchema *schema,
                        struct ArrowArray *array);
int scalelaw_call_arrow_stream(scalelaw_call *call, const char *table,
                               struct ArrowArrayStream *stream);

/* A text that is read as if `name` were the path of a file with it, such as a document of fits.
 * The bytes must stay until the call has run. */
int scalelaw_call_document(scalelaw_call *call, const char *name, const char *bytes, size_t size);

/* Called by a run on the thread that runs, at most ten times per second; 0 cancels the call. Work
 * that is divided among threads ends soon after. */
typedef int (*scalelaw_goes_on)(void *user);
void scalelaw_call_watch(scalelaw_call *call, scalelaw_goes_on goes_on, void *user);

/* The bytes that the run has read of files so far, for a program that shows progress: of compressed
 * files those on the disk; what is read twice counts twice. Tables in memory count for
 * nothing. From any thread, also while the call runs. */
uint64_t scalelaw_call_bytes_read(const scalelaw_call *call);

/* Cancels the call from any thread, before or while it runs. A cancelled call stays so. */
void scalelaw_call_cancel(scalelaw_call *call);

/* Makes the call; returns how it ended. A call can run again, with other options, too. */
int scalelaw_call_run(scalelaw_call *call);

/* What the command would write to standard output: a document, a table or a figure, by the option
 * "format". A figure without "output" is SVG. It ends in NUL, which `size` does not count; `size`
 * may be null. It stays until the next run. */
const char *scalelaw_call_result(const scalelaw_call *call, size_t *size);

/* The table of a result as Arrow: a stream of one batch, which is the caller's to release and
 * outlives the call. It has the columns and rows of the result as CSV. So the option "format" has
 * to be "csv", and the run has to be told before that its table is wanted, since that takes as much
 * memory as the text. Numbers are doubles ("g") or counts ("l"), truths "b", texts "u"; groups are
 * numbers where each of them is one in its plain form, such as 250. What is not known is null.
 * Returns 0, and -1 where there is no such table; then out->release is null. */
void scalelaw_call_keep_table(scalelaw_call *call);
int scalelaw_call_result_arrow(const scalelaw_call *call, struct ArrowArrayStream *out);

/* What the command would say on standard error. */
enum { SCALELAW_NOTE = 0, SCALELAW_WARNING = 1 };
size_t scalelaw_call_message_count(const scalelaw_call *call);
/* The text of a message; null if there are fewer. `kind` may be null. */
const char *scalelaw_call_message(const scalelaw_call *call, size_t index, int *kind);

/* Why there is no result. The code is "options", "parse", "data", "fit", "memory", "cancelled" or
 * "internal"; the place is that of a malformed cell, such as "runs.csv:14". All are empty without
 * an error. */
const char *scalelaw_call_error(const scalelaw_call *call);
const char *scalelaw_call_error_code(const scalelaw_call *call);
const char *scalelaw_call_error_place(const scalelaw_call *call);

#ifdef __cplusplus
}
#endif

#endif
