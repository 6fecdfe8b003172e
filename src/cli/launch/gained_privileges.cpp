// SPDX-License-Identifier: Apache-2.0
#include "cli/launch/gained_privileges.hpp"

#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

namespace foretask::cli {

bool gains_privileges(const std::string& path) {
  struct stat file {};
  struct statvfs system {};
  if (::stat(path.c_str(), &file) != 0 || ::statvfs(path.c_str(), &system) != 0) return false;
  if ((system.f_flag & ST_NOSUID) != 0 || ::prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1) return false;
  const bool changes_user = (file.st_mode & S_ISUID) != 0 && file.st_uid != ::getuid();
  const bool changes_group = (file.st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP) && file.st_gid != ::getgid();
  // Of root's capabilities none is new.
  const bool has_capabilities = ::geteuid() != 0 && ::getxattr(path.c_str(), "security.capability", nullptr, 0) > 0;
  return changes_user || changes_group || has_capabilities;
}

}  // namespace foretask::cli
