/* SPDX-License-Identifier: Apache-2.0 */
/* foretask's C interface: version and what the library is doing in this process. Any thread, at any time. */
#pragma once

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

#ifdef __cplusplus
}
#endif
