// SPDX-License-Identifier: Apache-2.0
// Does what its arguments say, a step each, and prints what every step came to.
//
//   start | flush | save | load | stats | threads | closed | cd FOLDER | class NAME | end CODE
//   define NAME PARAMETERS VERSION | learn NAME COUNT N NS | predict NAME N | many KERNELS
//
// PARAMETERS is the number of them, called a, b, ...; N goes to all of them.
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "foretask/foretask.h"

static const char* const kNames[] = {"a", "b", "c", "d", "e", "f", "g", "h"};

static int count_threads(void) {
  DIR* folder = opendir("/proc/self/task");
  int count = 0;
  for (struct dirent* entry; (entry = readdir(folder)) != NULL;) count += entry->d_name[0] != '.';
  closedir(folder);
  return count;
}

static void fill(double* parameters, const foretask_kernel* kernel, double n) {
  for (size_t i = 0; i < foretask_kernel_parameter_count(kernel); ++i) parameters[i] = n;
}

static void define(const char* name, size_t count, const char* version) {
  foretask_kernel_options options = {sizeof options, name, kNames, count, NULL, version};
  foretask_status status = FORETASK_OK;
  foretask_kernel_define_with(&options, &status);
  printf("define %s: %s\n", name, foretask_status_text(status));
}

static void learn(const char* name, long count, double n, double ns) {
  foretask_kernel* kernel = foretask_kernel_find(name);
  double parameters[FORETASK_MAX_PARAMETERS];
  fill(parameters, kernel, n);
  foretask_status status = FORETASK_OK;
  long taken = 0;
  for (long i = 0; i < count; ++i) {
    const foretask_status one = foretask_learn(kernel, parameters, foretask_kernel_parameter_count(kernel), ns);
    if (one == FORETASK_OK)
      ++taken;
    else
      status = one;
    if (i % 1000 == 999) foretask_flush(10000);
  }
  printf("learn %s: %ld %s\n", name, taken, foretask_status_text(status));
}

static void predict(const char* name, double n) {
  const foretask_kernel* kernel = foretask_kernel_find(name);
  double parameters[FORETASK_MAX_PARAMETERS];
  fill(parameters, kernel, n);
  foretask_prediction found = FORETASK_PREDICTION_INIT;
  const foretask_status status = foretask_predict(kernel, parameters, foretask_kernel_parameter_count(kernel), &found);
  printf("predict %s: %s, %s %s %.0f %llu\n", name, foretask_status_text(status),
         foretask_prediction_status_text(found.status), foretask_model_text(found.model), found.value_ns,
         (unsigned long long)found.samples);
}

// Kernels k0, k1, ... of one parameter, and a sample of each.
static void many(int count) {
  int taken = 0;
  for (int i = 0; i < count; ++i) {
    char name[32];
    snprintf(name, sizeof name, "k%d", i);
    foretask_kernel_options options = {sizeof options, name, kNames, 1, NULL, "v1"};
    foretask_kernel* kernel = foretask_kernel_define_with(&options, NULL);
    const double n = 5;
    taken += foretask_learn(kernel, &n, 1, 100 + i) == FORETASK_OK;
    if (i % 1000 == 999) foretask_flush(10000);
  }
  printf("many: %d\n", taken);
}

static void say(const char* step, foretask_status status) { printf("%s: %s\n", step, foretask_status_text(status)); }

static void stats(void) {
  foretask_learning_stats all = {.size = sizeof all};
  foretask_learning_statistics(&all);
  printf("stats: %u kernels, %llu learned, %llu dropped, %llu rejected\n", all.kernels, (unsigned long long)all.learned,
         (unsigned long long)all.dropped, (unsigned long long)all.rejected);
}

static void step(char* text) {
  char* words[5] = {"", "", "", "", ""};
  int count = 0;
  for (char* word = strtok(text, " "); word && count < 5; word = strtok(NULL, " ")) words[count++] = word;
  const char* name = words[0];
  if (!strcmp(name, "start"))
    say(name, foretask_learning_start());
  else if (!strcmp(name, "flush"))
    say(name, foretask_flush(10000));
  else if (!strcmp(name, "save"))
    say(name, foretask_save());
  else if (!strcmp(name, "load"))
    say(name, foretask_load());
  else if (!strcmp(name, "stats"))
    stats();
  else if (!strcmp(name, "threads"))
    printf("threads: %d\n", count_threads());
  else if (!strcmp(name, "cd"))
    printf("cd: %d\n", chdir(words[1]));
  else if (!strcmp(name, "class"))
    printf("class: %d\n", foretask_set_worker_class(foretask_worker_class(words[1])));
  else if (!strcmp(name, "closed"))
    for (int fd = 3; fd < 64; ++fd) close(fd);
  else if (!strcmp(name, "define"))
    define(words[1], (size_t)atol(words[2]), *words[3] ? words[3] : NULL);
  else if (!strcmp(name, "learn"))
    learn(words[1], atol(words[2]), atof(words[3]), atof(words[4]));
  else if (!strcmp(name, "predict"))
    predict(words[1], atof(words[2]));
  else if (!strcmp(name, "many"))
    many(atoi(words[1]));
  else if (!strcmp(name, "end"))
    exit(atoi(words[1]));
  else
    abort();
}

int main(int argc, char** argv) {
  setvbuf(stdout, NULL, _IONBF, 0);
  for (int i = 1; i < argc; ++i) step(argv[i]);
  return 0;
}
