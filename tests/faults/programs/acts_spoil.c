// SPDX-License-Identifier: Apache-2.0
// Acts against the recording itself, which is in the folder `run` where the program was started. Where there is none
// they do nothing, and say the same.
#include <dirent.h>
#include <sys/stat.h>

#include "acts.h"

static const char* in_run(const char* name) {
  static char path[4400];
  snprintf(path, sizeof path, "%s/run/%s", start_folder, name);
  return path;
}

static int is_recorded(void) {
  struct stat status;
  return stat(in_run("."), &status) == 0;
}

static void write_text(const char* name, const char* text) {
  FILE* const file = is_recorded() ? fopen(in_run(name), "we") : NULL;
  if (file) {
    fputs(text, file);
    fclose(file);
  }
  say("spoiled\n");
}

// Valid but for its depth.
static void nest(const char* first, const char* second) {
  const size_t depth = (size_t)number(second, 200000);
  const char start[] = "{\"foretask_run\": 1, \"params\": ";
  const size_t begin = sizeof start - 1;
  char* const text = malloc(begin + 2 * depth + 2);
  memcpy(text, start, begin);
  memset(text + begin, '[', depth);
  memset(text + begin + depth, ']', depth);
  strcpy(text + begin + 2 * depth, "}");
  write_text(first ? first : "run.json", text);
  free(text);
}

static void garble(const char* first, const char* second) {
  (void)second;
  write_text(first ? first : "run.json", "{\"state\": ");
}

static void lock_up(const char* first, const char* second) {
  (void)second;
  if (is_recorded()) chmod(in_run(first ? first : "."), 0);
  say("spoiled\n");
}

static void for_each_file(void (*act)(const char* path)) {
  DIR* const folder = opendir(in_run("."));
  for (struct dirent* entry; folder && (entry = readdir(folder));)
    if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) act(in_run(entry->d_name));
  if (folder) closedir(folder);
}

static void remove_one(const char* path) { unlink(path); }

static void remove_run(const char* first, const char* second) {
  (void)first, (void)second;
  for_each_file(remove_one);
  rmdir(in_run("."));
  say("spoiled\n");
}

static void rename_run(const char* first, const char* second) {
  (void)first, (void)second;
  char to[4200];
  snprintf(to, sizeof to, "%s/moved-run", start_folder);
  if (is_recorded()) (void)!rename(in_run("."), to);
  say("spoiled\n");
}

static void truncate_one(const char* path) {
  const char* const name = strrchr(path, '/') + 1;
  if (strncmp(name, "stream_", 7) == 0) (void)!truncate(path, 0);
}

static void truncate_streams(const char* first, const char* second) {
  (void)first, (void)second;
  for_each_file(truncate_one);
  say("spoiled\n");
}

static void close_stderr(const char* first, const char* second) {
  (void)first, (void)second;
  close(STDERR_FILENO);
  const int file = open("errors", O_WRONLY | O_CREAT | O_APPEND, 0666);
  say("errors go to %d\n", file);
}

const struct Act kSpoilActs[] = {{"nest", nest},
                                 {"garble", garble},
                                 {"lock-up", lock_up},
                                 {"remove-run", remove_run},
                                 {"rename-run", rename_run},
                                 {"truncate-streams", truncate_streams},
                                 {"redirect-stderr", close_stderr},
                                 {NULL, NULL}};
