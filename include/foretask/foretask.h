/* SPDX-License-Identifier: Apache-2.0 */
/* foretask's C interface: kernels with named parameters, samples of their times, predictions of them.
 *
 *   foretask_kernel* gemm = foretask_kernel_define("gemm", (const char*[]){"m", "n", "k"}, 3);
 *   foretask_scope scope;
 *   foretask_scope_begin(&scope, gemm, (double[]){m, n, k}, 3);   // in a task's body
 *   ...
 *   foretask_scope_end(&scope);
 *   foretask_prediction next = FORETASK_PREDICTION_INIT;
 *   foretask_predict(gemm, (double[]){m, n, k}, 3, &next);        // in a scheduler
 *
 * Every function may be called from any thread at any time: before main, after it, in a forked child, with the library
 * off. Times are in ns of wall-clock time. A NULL kernel is allowed wherever a kernel is asked for: the call does
 * nothing and says FORETASK_NO_KERNEL. No function throws or ends the process.
 *
 * FORETASK=learn turns learning on, FORETASK=record the recording of samples into a run folder, FORETASK=off turns
 * everything off, whatever the program asks for. Without the variable a program turns learning on by itself with
 * foretask_learning_start(). Off, a call costs a load and a branch. */
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

/* The folder being recorded into, or NULL. Valid until the process ends. */
FORETASK_API const char* foretask_recording_folder(void);

/* What a call came to. */
typedef enum foretask_status {
  FORETASK_OK = 0,
  FORETASK_OFF = 1,          /* nothing is learned or recorded in this process */
  FORETASK_NO_KERNEL = 2,    /* the kernel is NULL */
  FORETASK_WRONG_COUNT = 3,  /* not as many parameters as the kernel has, or an index beyond them */
  FORETASK_NOT_FINITE = 4,   /* a parameter or a duration is NaN or infinite, or a duration negative */
  FORETASK_DROPPED = 5,      /* the learner is behind: the sample is counted as dropped */
  FORETASK_BAD_NAME = 6,     /* empty, longer than FORETASK_MAX_NAME bytes, not UTF-8, or with control characters */
  FORETASK_DUPLICATE = 7,    /* a parameter's name twice, or a kernel of this name with other parameters */
  FORETASK_BAD_ARGUMENT = 8, /* a NULL where none is allowed, a struct of another version, terms that cannot be read */
  FORETASK_NO_MEMORY = 9,
  FORETASK_NOT_SAVED = 10, /* the store cannot be written or read; one line on stderr says why */
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
  size_t parameter_count;        /* 0 to FORETASK_MAX_PARAMETERS */
  const char* terms;        /* of its linear model, "1,m*n*k,log(m)"; NULL: those of the store, else searched for */
  const char* code_version; /* what is stored is kept apart by it; NULL: the program's build id */
} foretask_kernel_options;

/* The kernel called `name`, made when there is none: the same name and parameters give the same kernel. NULL with a
 * line on stderr where the name or a parameter cannot be had. Strings are copied. Takes a lock; some microseconds, and
 * a file's reading when learning is on and the store knows the kernel. */
FORETASK_API foretask_kernel* foretask_kernel_define(const char* name, const char* const* parameters, size_t count);

/* The same with all options; says by `status` (NULL: not asked for) why there is none, and nothing on stderr. */
FORETASK_API foretask_kernel* foretask_kernel_define_with(const foretask_kernel_options* options,
                                                          foretask_status* status);

/* NULL where no kernel is called that. Takes a lock. */
FORETASK_API foretask_kernel* foretask_kernel_find(const char* name);

FORETASK_API const char* foretask_kernel_name(const foretask_kernel* kernel);
FORETASK_API size_t foretask_kernel_parameter_count(const foretask_kernel* kernel);
/* NULL beyond the last one. */
FORETASK_API const char* foretask_kernel_parameter_name(const foretask_kernel* kernel, size_t index);

/* ---- Worker classes: processors of different kinds learn apart ---- */

#define FORETASK_MAX_WORKER_CLASSES 8

/* The number of the class called `name`, made when there is none; 0 is "cpu", every thread's class at first. -1 where
 * there are too many or the name cannot be had. */
FORETASK_API int foretask_worker_class(const char* name);

/* The class of the calling thread. */
FORETASK_API foretask_status foretask_set_worker_class(int worker_class);

/* ---- Samples ---- */

/* HOT. One observation by the calling thread's class: hands it to the learner, which never makes a thread wait. No
 * lock, no allocation after a thread's first sample, no system call. About 10 ns. */
FORETASK_API foretask_status foretask_learn(foretask_kernel* kernel, const double* parameters, size_t count,
                                            double duration_ns);

/* Times a task's body on the calling thread, which must also end it. A scope that begins before another one of the same
 * thread has ended is a task that ran meanwhile, in a wait of the outer one's: its time is not the outer one's.
 * The members are the library's. */
typedef struct foretask_scope {
  foretask_kernel* kernel; /* NULL: off */
  struct foretask_scope* outer;
  uint64_t begin_ticks;
  uint64_t inner_ticks;
  uint64_t given; /* a bit a parameter that is known */
  double parameters[FORETASK_MAX_PARAMETERS];
} foretask_scope;

/* `count` may be smaller than the kernel's: foretask_scope_set() then gives the others. Two time stamps, some 12 ns
 * each, and foretask_learn() at the end. */
FORETASK_API foretask_status foretask_scope_begin(foretask_scope* scope, foretask_kernel* kernel,
                                                  const double* parameters, size_t count);

/* A parameter that only the body knows. */
FORETASK_API foretask_status foretask_scope_set(foretask_scope* scope, size_t index, double value);

/* FORETASK_WRONG_COUNT when a parameter was never given: the sample is left out. */
FORETASK_API foretask_status foretask_scope_end(foretask_scope* scope);

/* ---- Predictions ---- */

typedef enum foretask_prediction_status {
  FORETASK_READY = 0,
  FORETASK_UNCALIBRATED = 1,   /* no sample of this worker class, or too few to say anything: value_ns is NaN */
  FORETASK_EXTRAPOLATING = 2,  /* a parameter is outside of what was seen: the interval is wider for it */
  FORETASK_RANK_DEFICIENT = 3, /* the samples cannot tell some parameters' effects apart (constant, or the same) */
  FORETASK_STALE = 4           /* learned from another version of the code, not yet confirmed by this one */
} foretask_prediction_status;

typedef enum foretask_model {
  FORETASK_MODEL_NONE = 0,
  FORETASK_MODEL_HISTORY = 1,        /* mean of the samples with exactly these parameters */
  FORETASK_MODEL_LINEAR = 2,         /* linear in products, logarithms and ratios of the parameters */
  FORETASK_MODEL_SUPPORT_POINTS = 3, /* straight lines between the means of steps of one parameter */
  FORETASK_MODEL_CLUSTERS = 4,       /* two behaviours, told by one parameter */
  FORETASK_MODEL_POWER = 5,          /* a power of one parameter */
  FORETASK_MODEL_LEVEL = 6           /* one mean for all */
} foretask_model;

typedef struct foretask_prediction {
  uint32_t size;   /* sizeof(foretask_prediction), set by the caller */
  uint32_t status; /* foretask_prediction_status */
  uint32_t model;  /* foretask_model: which one answered */
  uint32_t reserved;
  double value_ns;  /* above 0; NaN where the status is FORETASK_UNCALIBRATED */
  double low_ns;    /* in 95 of 100 cases the time is from low_ns ... */
  double high_ns;   /* ... to high_ns */
  uint64_t samples; /* that the model has seen, those of the store included */
} foretask_prediction;

#define FORETASK_PREDICTION_INIT \
  { sizeof(foretask_prediction), FORETASK_UNCALIBRATED, 0, 0, 0.0, 0.0, 0.0, 0 }

/* HOT: what this kernel will take with these parameters on the calling thread's class of workers. Wait-free: no lock,
 * no allocation, no system call, whatever the learner does; some 10 ns. With the library off, FORETASK_OFF and an
 * uncalibrated prediction. */
FORETASK_API foretask_status foretask_predict(const foretask_kernel* kernel, const double* parameters, size_t count,
                                              foretask_prediction* prediction);

/* The same for another class. */
FORETASK_API foretask_status foretask_predict_on(const foretask_kernel* kernel, int worker_class,
                                                 const double* parameters, size_t count,
                                                 foretask_prediction* prediction);

/* "ready", "linear", ...; static storage. */
FORETASK_API const char* foretask_prediction_status_text(uint32_t status);
FORETASK_API const char* foretask_model_text(uint32_t model);

/* ---- The learner and its store ---- */

/* Begins to learn in this process: starts the learner, one thread. FORETASK_OFF where the environment says off.
 * Idempotent. */
FORETASK_API foretask_status foretask_learning_start(void);

/* 1 while samples are taken. One load. */
FORETASK_API int foretask_is_learning(void);

/* Waits until the samples that were handed over before the call are learned and can be predicted from, at most
 * `timeout_ms`. */
FORETASK_API foretask_status foretask_flush(uint32_t timeout_ms);

/* Flushes, then writes what was learned into the store: $FORETASK_HOME, by default $XDG_DATA_HOME/foretask, then
 * ~/.local/share/foretask. What another process has stored meanwhile is joined with it. Done at the process's end as
 * well. */
FORETASK_API foretask_status foretask_save(void);

/* Reads the store again for the kernels that this process has no samples of. Done for each kernel when it is defined.
 */
FORETASK_API foretask_status foretask_load(void);

typedef struct foretask_learning_stats {
  uint32_t size; /* sizeof(foretask_learning_stats), set by the caller */
  uint32_t kernels;
  uint64_t learned;  /* samples */
  uint64_t dropped;  /* samples for which there was no room: the learner was behind */
  uint64_t rejected; /* samples that were not finite or had the wrong number of parameters */
} foretask_learning_stats;

FORETASK_API foretask_status foretask_learning_statistics(foretask_learning_stats* stats);

/* ---- How far this run is (FORETASK_PROGRESS=1, or foretask_progress_start) ---- */

typedef enum foretask_progress_knowledge {
  FORETASK_PROGRESS_OFF = 0,       /* nothing is followed */
  FORETASK_PROGRESS_LEARNING = 1,  /* no earlier run of this program on such an input is known: only what was seen */
  FORETASK_PROGRESS_PREDICTED = 2, /* this input was run before */
  FORETASK_PROGRESS_GROWN = 3      /* other inputs were: predicted by how the program grows with n */
} foretask_progress_knowledge;

typedef struct foretask_progress_state {
  uint32_t size;      /* sizeof(foretask_progress_state), set by the caller */
  uint32_t knowledge; /* foretask_progress_knowledge */
  uint32_t workers;   /* 0: no region or task has begun */
  uint32_t runs;      /* earlier ones that the prediction rests on */
  uint64_t tasks;     /* finished */
  double elapsed_ns;  /* since the process's start */
  double done;        /* part of the predicted work, in [0, 1]; from here on NaN where nothing is predicted */
  double remaining_ns;
  double low_ns; /* in 90 of 100 cases the remaining time is from low ... */
  double high_ns;
  double speedup_low; /* the whole run on twice the workers: so many times as fast, from low to high; NaN: not known */
  double speedup_high;
} foretask_progress_state;

#define FORETASK_PROGRESS_STATE_INIT \
  { sizeof(foretask_progress_state), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/* How far this run is. Takes a lock, some microseconds. FORETASK_OFF where nothing is followed. */
FORETASK_API foretask_status foretask_progress(foretask_progress_state* state);

/* The size of this run's input: what earlier runs are told apart by. "n" is the size; other names must be the same in
 * runs that are compared. As FORETASK_PARAMS (foretask record --param n=1024), over which it wins.
 * FORETASK_BAD_ARGUMENT for an n that is not above 0: it is not taken. */
FORETASK_API foretask_status foretask_progress_input(const char* name, double value);

/* Begins to follow without a word on stderr, unless the environment says off. Tasks of an OpenMP runtime that has been
 * started already are not seen: set FORETASK_PROGRESS=quiet for them. Idempotent. */
FORETASK_API foretask_status foretask_progress_start(void);

#ifdef __cplusplus
}
#endif
