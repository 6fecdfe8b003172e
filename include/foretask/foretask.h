/* SPDX-License-Identifier: Apache-2.0 */
/* foretask's C interface: kernels with named parameters, samples of their times, and predictions.
 *
 *   foretask_kernel* gemm = foretask_kernel_define("gemm", (const char*[]){"m", "n", "k"}, 3);
 *   foretask_scope scope;
 *   foretask_scope_begin(&scope, gemm, (double[]){m, n, k}, 3);   // in a task's body
 *   ...
 *   foretask_scope_end(&scope);
 *   foretask_prediction next = FORETASK_PREDICTION_INIT;
 *   foretask_predict(gemm, (double[]){m, n, k}, 3, &next);        // in a scheduler
 *
 * Any thread may call any function at any time: before main, after it, in a forked child. A signal handler may predict
 * and hand over samples while learning is on and the process is neither recorded nor watched; not as the first call of
 * a forked child. Times are elapsed times in ns. With a NULL kernel a call does nothing; its status is
 * FORETASK_NO_KERNEL, or FORETASK_OFF. No function throws or ends the process.
 *
 * FORETASK=learn turns learning on. FORETASK=record writes samples into a run folder. FORETASK=record,learn does both.
 * In each of them predictions are answered by the models that are stored, and with learning by what was learned since.
 * FORETASK=off turns everything off. Without the variable, foretask_learning_start() turns learning on. Off, a call
 * costs a load and a branch. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(_WIN32)
#error "foretask needs a POSIX system"
#endif
#define FORETASK_API __attribute__((visibility("default")))

#define FORETASK_VERSION_MAJOR 0
#define FORETASK_VERSION_MINOR 1
#define FORETASK_VERSION_PATCH 0

/* "0.1.0"; static storage. */
FORETASK_API const char* foretask_version(void);

/* 1 while this process is being recorded. One load. */
FORETASK_API int foretask_is_recording(void);

/* This process's run folder, also after the recording has ended; or NULL. Valid until the process ends. */
FORETASK_API const char* foretask_recording_folder(void);

/* The result of a call. */
typedef enum foretask_status {
  FORETASK_OK = 0,
  FORETASK_OFF = 1,          /* this process neither learns nor records */
  FORETASK_NO_KERNEL = 2,    /* the kernel is NULL */
  FORETASK_WRONG_COUNT = 3,  /* not as many parameters as the kernel has, too many, or an index beyond them */
  FORETASK_NOT_FINITE = 4,   /* a parameter or duration is NaN or infinite, or a duration negative */
  FORETASK_DROPPED = 5,      /* no room, as the learner is behind, or in a signal handler: counted as dropped */
  FORETASK_BAD_NAME = 6,     /* empty, longer than FORETASK_MAX_NAME bytes, not UTF-8, or with control characters */
  FORETASK_DUPLICATE = 7,    /* a parameter name twice, or a kernel of this name with other parameters */
  FORETASK_BAD_ARGUMENT = 8, /* a forbidden NULL or number, a struct of another version, unreadable terms */
  FORETASK_NO_MEMORY = 9,
  FORETASK_NOT_SAVED = 10, /* the store cannot be read or written; a line on stderr says why */
  FORETASK_TIMED_OUT = 11
} foretask_status;

/* "ok", "off", ...; static storage. */
FORETASK_API const char* foretask_status_text(foretask_status status);

/* ---- Kernels ---- */

#define FORETASK_MAX_PARAMETERS 8
#define FORETASK_MAX_NAME 255 /* bytes */

/* A kernel: code whose time depends on named parameters. Lives until the process ends. */
typedef struct foretask_kernel foretask_kernel;

typedef struct foretask_kernel_options {
  size_t size;                   /* sizeof(foretask_kernel_options) */
  const char* name;              /* UTF-8 */
  const char* const* parameters; /* names; NULL where there are none */
  size_t parameter_count;        /* at most FORETASK_MAX_PARAMETERS */
  const char* terms;             /* of its linear model, "1,m*n*k,log(m)"; NULL: from the store, else searched for */
  const char* code_version;      /* the store keeps versions apart; NULL: the program's build id */
} foretask_kernel_options;

/* The kernel called `name`. The first call makes it; later calls with the same parameters return it. On an error, NULL
 * and a line on stderr. Strings are copied. Takes a lock, some 20 us; while learning, it also reads the store. */
FORETASK_API foretask_kernel* foretask_kernel_define(const char* name, const char* const* parameters, size_t count);

/* The same with all options. On an error `status`, which may be NULL, says why, and stderr nothing. A kernel that
 * exists already keeps its terms and version. But where neither call gave a version, and the library that made the
 * kernel was unloaded, it goes on as at a start with the new code: stored under its old version, and FORETASK_STALE. */
FORETASK_API foretask_kernel* foretask_kernel_define_with(const foretask_kernel_options* options,
                                                          foretask_status* status);

/* NULL where no kernel has this name. Takes a lock. */
FORETASK_API foretask_kernel* foretask_kernel_find(const char* name);

FORETASK_API const char* foretask_kernel_name(const foretask_kernel* kernel);
FORETASK_API size_t foretask_kernel_parameter_count(const foretask_kernel* kernel);
/* NULL where `index` is too large. */
FORETASK_API const char* foretask_kernel_parameter_name(const foretask_kernel* kernel, size_t index);

/* ---- Worker classes: processors of different kinds learn apart ---- */

#define FORETASK_MAX_WORKER_CLASSES 8

/* The number of the worker class called `name`, which the first call makes. 0 is "cpu", every thread's class at first.
 * -1 where there are too many classes, or the name is bad. Takes a lock, some 20 us. */
FORETASK_API int foretask_worker_class(const char* name);

/* Sets the calling thread's worker class. FORETASK_BAD_ARGUMENT where no class has this number. */
FORETASK_API foretask_status foretask_set_worker_class(int worker_class);

/* ---- Samples ---- */

/* HOT, about 10 ns. Hands one sample to the learner, for the calling thread's worker class. No lock, no wait, no system
 * call. Only a thread's first sample allocates. */
FORETASK_API foretask_status foretask_learn(foretask_kernel* kernel, const double* parameters, size_t count,
                                            double duration_ns);

/* Times a task's body. Begin and end it on one thread. A scope that begins within another one of that thread is a task
 * that ran in the outer task's wait: its time does not count for the outer one. One that never ends harms no other. The
 * members are the library's. */
typedef struct foretask_scope {
  foretask_kernel* kernel; /* NULL: off */
  uint32_t thread;         /* that began it */
  uint32_t depth;          /* in scopes of that thread */
  uint64_t begin_ticks;
  uint64_t inner_ticks; /* the thread's, in scopes, before it */
  uint64_t given;       /* a bit a parameter that is known */
  double parameters[FORETASK_MAX_PARAMETERS];
} foretask_scope;

/* `count` may be smaller than the kernel's: foretask_scope_set() gives the others. Two time stamps of some 12 ns, and
 * foretask_learn() at the end. */
FORETASK_API foretask_status foretask_scope_begin(foretask_scope* scope, foretask_kernel* kernel,
                                                  const double* parameters, size_t count);

/* Sets a parameter that only the body knows. */
FORETASK_API foretask_status foretask_scope_set(foretask_scope* scope, size_t index, double value);

/* FORETASK_WRONG_COUNT where a parameter was never given, FORETASK_BAD_ARGUMENT on another thread than that which began
 * it: the sample is rejected. The latter is said on stderr, once. */
FORETASK_API foretask_status foretask_scope_end(foretask_scope* scope);

/* The same with the parameters that were not given yet, in their order: `count` is how many they are, else
 * FORETASK_WRONG_COUNT. */
FORETASK_API foretask_status foretask_scope_end_with(foretask_scope* scope, const double* parameters, size_t count);

/* Times a task that may start, wait, go on and end on different threads: a coroutine, a fiber, a chain of callbacks.
 * All of it is in this struct, which the task carries. It may be copied, one of the copies going on; one thread at a
 * time. Time in scopes and in other timers counts as well. The members are the library's. */
typedef struct foretask_timer {
  foretask_kernel* kernel; /* NULL: off */
  uint64_t since_ticks;    /* it runs; 0: it is paused */
  uint64_t ticks;          /* before that */
  uint64_t given;          /* a bit a parameter that is known */
  double parameters[FORETASK_MAX_PARAMETERS];
} foretask_timer;

/* `count` may be smaller than the kernel's: foretask_timer_stop() gives the others. About 15 ns. */
FORETASK_API foretask_status foretask_timer_start(foretask_timer* timer, foretask_kernel* kernel,
                                                  const double* parameters, size_t count);

/* The task leaves its thread, and goes on, on this or another one: the time between does not count.
 * FORETASK_BAD_ARGUMENT where it is paused already, or is not. */
FORETASK_API foretask_status foretask_timer_pause(foretask_timer* timer);
FORETASK_API foretask_status foretask_timer_resume(foretask_timer* timer);

/* The task has ended: a sample of the calling thread's worker class, as by foretask_learn(). The parameters that
 * foretask_timer_start() was not given, in their order; `count` is how many they are, else FORETASK_WRONG_COUNT: the
 * sample is rejected. */
FORETASK_API foretask_status foretask_timer_stop(foretask_timer* timer, const double* parameters, size_t count);

/* ---- Predictions ---- */

typedef enum foretask_prediction_status {
  FORETASK_READY = 0,
  FORETASK_UNCALIBRATED = 1,   /* no sample of this worker class, or too few: value_ns is NaN */
  FORETASK_EXTRAPOLATING = 2,  /* a parameter is over 10 % outside of what was seen, less where the time may grow
                                  exponentially with it, or no sample lies in the same power of two or the next ones,
                                  or the samples say little of this combination: the interval is wider */
  FORETASK_RANK_DEFICIENT = 3, /* the samples cannot tell some parameters' effects apart: they are constant, or equal */
  FORETASK_STALE = 4           /* learned from another version of the code, not yet confirmed by this one */
} foretask_prediction_status;

typedef enum foretask_model {
  FORETASK_MODEL_NONE = 0,
  FORETASK_MODEL_HISTORY = 1,        /* mean of the samples with exactly these parameters */
  FORETASK_MODEL_LINEAR = 2,         /* linear in products, logarithms and ratios of the parameters */
  FORETASK_MODEL_SUPPORT_POINTS = 3, /* straight lines between means over steps of one parameter */
  FORETASK_MODEL_CLUSTERS = 4,       /* two behaviours, chosen by one parameter */
  FORETASK_MODEL_POWER = 5,          /* a power of one parameter */
  FORETASK_MODEL_LEVEL = 6           /* one mean for all */
} foretask_model;

typedef struct foretask_prediction {
  uint32_t size;    /* sizeof(foretask_prediction), set by the caller */
  uint32_t status;  /* foretask_prediction_status */
  uint32_t model;   /* foretask_model: the one that answered */
  uint32_t nearby;  /* samples: of FORETASK_MODEL_HISTORY with exactly these parameters, else from the same power of two
                       or the next ones, of the parameter that has fewest */
  double value_ns;  /* the usual time, outliers drawn in; above 0; NaN where the status is FORETASK_UNCALIBRATED */
  double low_ns;    /* 95 % prediction interval: from here ... */
  double high_ns;   /* ... to here */
  uint64_t samples; /* that the model has seen, with those of the store */
} foretask_prediction;

#define FORETASK_PREDICTION_INIT \
  { sizeof(foretask_prediction), FORETASK_UNCALIBRATED, 0, 0, 0.0, 0.0, 0.0, 0 }

/* HOT, 16 to 21 ns: predicts the kernel's time with these parameters on the calling thread's worker class. Wait-free:
 * no lock, no allocation, no system call, whatever the learner does; but for a thread's first call where the library
 * was loaded into a process that had 32 pthread keys already: the C library allocates 512 bytes then. The first
 * question of a process that does not learn reads the store, in some ms. On an error, and where everything is off
 * (FORETASK_OFF), the prediction is FORETASK_UNCALIBRATED. */
FORETASK_API foretask_status foretask_predict(const foretask_kernel* kernel, const double* parameters, size_t count,
                                              foretask_prediction* prediction);

/* The same for another worker class. */
FORETASK_API foretask_status foretask_predict_on(const foretask_kernel* kernel, int worker_class,
                                                 const double* parameters, size_t count,
                                                 foretask_prediction* prediction);

/* The same for `rows` rows of `count` parameters, one behind the other, into as many predictions: for a scheduler that
 * ranks what is ready. The first error of a row, when all have been asked. */
FORETASK_API foretask_status foretask_predict_many(const foretask_kernel* kernel, const double* parameters,
                                                   size_t count, size_t rows, foretask_prediction* predictions);

/* value_ns is what a task usually takes: samples far off count as if they were less far off, so that of a skewed
 * distribution it lies below the mean. These answer of the distribution itself, by the latest samples, for the calling
 * thread's worker class: the mean; the time that a share `probability`, in (0, 1), of the tasks stay below; the share
 * of the tasks that take longer than `time_ns`. NaN without a prediction, and on an error. As wait-free as
 * foretask_predict(); slower, above all with fewer than forty samples. */
FORETASK_API foretask_status foretask_predict_mean(const foretask_kernel* kernel, const double* parameters,
                                                   size_t count, double* mean_ns);
FORETASK_API foretask_status foretask_predict_quantile(const foretask_kernel* kernel, const double* parameters,
                                                       size_t count, double probability, double* time_ns);
FORETASK_API foretask_status foretask_predict_exceeds(const foretask_kernel* kernel, const double* parameters,
                                                      size_t count, double time_ns, double* probability);

/* "ready", "linear", ...; static storage. */
FORETASK_API const char* foretask_prediction_status_text(uint32_t status);
FORETASK_API const char* foretask_model_text(uint32_t model);

/* ---- What a report is about ---- */

/* Of a recorded program only what lies between these two is of interest: not reading the input, say, nor checking the
 * result. Time before the first begin, and after an end until the next begin, is in no figure of the recording; tasks
 * are counted all the same. Any thread, for all; a program that never calls them is of interest from start to end. One
 * event, some 12 ns; FORETASK_OFF where nothing is recorded. */
FORETASK_API foretask_status foretask_begin_interest(void);
FORETASK_API foretask_status foretask_end_interest(void);

/* ---- The learner and its store ---- */

/* Turns learning on: starts one thread, the learner, and reads the store. Once a process it looks at the machine, which
 * the store is told by, and compares two clocks over 3 ms, from when the library was loaded on: some 4 ms. FORETASK_OFF
 * where the environment says off. FORETASK_NOT_SAVED where there is no store: it learns all the same. Later calls do
 * nothing. */
FORETASK_API foretask_status foretask_learning_start(void);

/* 1 while learning is on. One load. */
FORETASK_API int foretask_is_learning(void);

/* Waits until all samples handed over before the call are learned and in predictions, for at most `timeout_ms`
 * (FORETASK_TIMED_OUT). */
FORETASK_API foretask_status foretask_flush(uint32_t timeout_ms);

/* Flushes for up to 10 s, then writes what was learned into the store: $FORETASK_HOME, else $XDG_DATA_HOME/foretask,
 * else ~/.local/share/foretask. Joins it with what other processes have stored meanwhile. The process's end does this
 * as well. */
FORETASK_API foretask_status foretask_save(void);

/* Reads the store again, for all kernels. A model that has both stored samples and newer ones, not stored yet,
 * stays. */
FORETASK_API foretask_status foretask_load(void);

typedef struct foretask_learning_stats {
  uint32_t size; /* sizeof(foretask_learning_stats), set by the caller */
  uint32_t kernels;
  uint64_t learned;  /* samples */
  uint64_t dropped;  /* samples without room, as the learner was behind, without memory, or of a signal handler that had
                        interrupted the handing over of another one */
  uint64_t rejected; /* samples that were not finite, lacked parameters, or ended on another thread */
} foretask_learning_stats;

FORETASK_API foretask_status foretask_learning_statistics(foretask_learning_stats* stats);

/* ---- How far this run is (FORETASK_PROGRESS=1, or foretask_progress_start) ---- */

typedef enum foretask_progress_knowledge {
  FORETASK_PROGRESS_OFF = 0,       /* this run is not watched */
  FORETASK_PROGRESS_LEARNING = 1,  /* no earlier run of this program on such an input is known */
  FORETASK_PROGRESS_PREDICTED = 2, /* predicted from runs of this input */
  FORETASK_PROGRESS_GROWN = 3      /* predicted from runs of other inputs, and how they grow with n */
} foretask_progress_knowledge;

typedef struct foretask_progress_state {
  uint32_t size;      /* sizeof(foretask_progress_state), set by the caller */
  uint32_t knowledge; /* foretask_progress_knowledge */
  uint32_t workers;   /* 0: no region or task has begun yet */
  uint32_t runs;      /* earlier ones, on which the prediction rests */
  uint64_t tasks;     /* finished */
  double elapsed_ns;  /* since the process's start */
  double done;        /* share of the predicted work, 0 to 1; this and all below are NaN without a prediction */
  double remaining_ns;
  double low_ns; /* 90 % prediction interval of the remaining time */
  double high_ns;
  double speedup_low; /* range of the whole run's speedup on twice the workers; NaN: not known */
  double speedup_high;
} foretask_progress_state;

#define FORETASK_PROGRESS_STATE_INIT \
  { sizeof(foretask_progress_state), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/* How far this run is. FORETASK_OFF where it is not watched. Takes a lock, some 20 us. */
FORETASK_API foretask_status foretask_progress(foretask_progress_state* state);

/* A number that describes this run's input. It replaces that of FORETASK_PARAMS (foretask record --param n=1024). "n"
 * is the input size; runs are compared where the other numbers are equal. FORETASK_BAD_ARGUMENT for an n that is not
 * above 0: it is ignored. */
FORETASK_API foretask_status foretask_progress_input(const char* name, double value);

/* Starts to watch this run, unless the environment says off. Writes to stderr only where FORETASK_PROGRESS asks for it.
 * If the OpenMP runtime has started already, its tasks are not seen: set FORETASK_PROGRESS=quiet. Later calls do
 * nothing. */
FORETASK_API foretask_status foretask_progress_start(void);

#ifdef __cplusplus
}
#endif
