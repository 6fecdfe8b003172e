// SPDX-License-Identifier: Apache-2.0
#include "cli/launch/library_search.hpp"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "cli/launch/launcher.hpp"

namespace foretask::cli {
namespace {

namespace fs = std::filesystem;

// Other C libraries' loaders would take --list for the program's argument, or run the program.
bool is_glibc_loader(const std::string& interpreter) {
  const std::string name = fs::path(interpreter).filename().string();
  return name.rfind("ld-linux", 0) == 0 || name.rfind("ld64.so", 0) == 0 || name == "ld.so.1";
}

// "\tlibgomp.so.1 => /usr/lib/libgomp.so.1 (0x00007f...)" or "\tlibx.so => not found"
bool parse_line(const std::string& line, LoadedLibrary& library) {
  const std::size_t begin = line.find_first_not_of(" \t");
  const std::size_t arrow = line.find(" => ");
  if (begin == std::string::npos || arrow == std::string::npos || arrow < begin) return false;
  const std::size_t path = arrow + 4;
  const std::size_t end = line.rfind(" (0x");
  library.name = line.substr(begin, arrow - begin);
  library.path = end == std::string::npos || end < path ? std::string() : line.substr(path, end - path);
  return true;
}

// llvm-14 -> 14
int llvm_version(const fs::path& folder) {
  const std::string name = folder.filename().string();
  int version = 0;
  std::from_chars(name.data() + std::strlen("llvm-"), name.data() + name.size(), version);
  return version;
}

constexpr std::string_view kCacheFile = "/etc/ld.so.cache";
constexpr std::string_view kPreloadFile = "/etc/ld.so.preload";
constexpr std::size_t kMaxLibraries = 10'000;

std::string contents(std::string_view path) {
  std::ifstream file{std::string(path), std::ios::binary};
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string_view> split(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(separators), text.size());
    parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

// ldconfig's table of names and paths (glibc, sysdeps/generic/dl-cache.h, "the new format").
class LibraryCache {
 public:
  LibraryCache() : bytes_(contents(kCacheFile)) {
    // Behind a table in the old format, if there is one.
    const std::size_t begin = bytes_.find(kMagic);
    if (begin == std::string::npos) return;
    const std::string_view table = std::string_view(bytes_).substr(begin);
    Header header;
    if (table.size() < sizeof header) return;
    std::memcpy(&header, table.data(), sizeof header);
    const std::size_t count = std::min<std::size_t>(header.count, (table.size() - sizeof header) / sizeof(Entry));
    for (std::size_t i = 0; i < count; ++i) {
      Entry entry;
      std::memcpy(&entry, table.data() + sizeof header + i * sizeof entry, sizeof entry);
      const std::string_view name = text_at(table, entry.name);
      const std::string_view path = text_at(table, entry.path);
      // Other entries of a name are for other machines, or for some processors alone. The loader takes the first.
      if (entry.flags == kOwnFlags && entry.processors == 0 && !name.empty()) paths_.try_emplace(name, path);
    }
  }

  // Empty: not in it.
  [[nodiscard]] std::string_view path_of(std::string_view name) const {
    const auto found = paths_.find(name);
    return found == paths_.end() ? std::string_view() : found->second;
  }

 private:
  static constexpr std::string_view kMagic = "glibc-ld.so.cache1.1";
  // FLAG_ELF_LIBC6 and the machine's.
#if defined(__x86_64__)
  static constexpr std::int32_t kOwnFlags = 0x0303;
#elif defined(__aarch64__)
  static constexpr std::int32_t kOwnFlags = 0x0a03;
#elif defined(__powerpc64__)
  static constexpr std::int32_t kOwnFlags = 0x0503;
#elif defined(__riscv)
  static constexpr std::int32_t kOwnFlags = 0x1003;
#else
  static constexpr std::int32_t kOwnFlags = -1;
#endif

  struct Header {
    char magic[20];
    std::uint32_t count;
    std::uint32_t others[6];
  };
  struct Entry {
    std::int32_t flags;
    std::uint32_t name;  // this and the next: offsets in the table
    std::uint32_t path;
    std::uint32_t system_version;
    std::uint64_t processors;
  };
  static_assert(sizeof(Header) == 48 && sizeof(Entry) == 24);

  [[nodiscard]] static std::string_view text_at(std::string_view table, std::size_t offset) {
    if (offset >= table.size()) return {};
    const std::string_view text = table.substr(offset);
    return text.substr(0, text.find('\0'));
  }

  std::string bytes_;
  std::unordered_map<std::string_view, std::string_view> paths_;
};

class Search {
 public:
  explicit Search(const ChildEnvironment& environment) : environment_(environment) {}

  // False where only the loader can tell.
  bool run(const std::string& path, const ElfProgram& program) {
    std::error_code error;
    const std::string real = fs::canonical(path, error).string();
    if (error) return false;
    objects_.push_back({path, origin_of(real), program, nullptr});
    asked_.insert(program.interpreter.substr(program.interpreter.rfind('/') + 1));  // the loader is there already
    Object& main = objects_.front();
    const std::string* const preloaded = environment_.find("LD_PRELOAD");
    if (preloaded != nullptr)
      for (const std::string_view name : split(*preloaded, " :")) add_preloaded(std::string(name), main);
    if (::access(kPreloadFile.data(), R_OK) == 0) {
      const std::string text = contents(kPreloadFile);
      for (const std::string_view name : split(text, " :\t\n")) add_preloaded(std::string(name), main);
    }
    for (std::size_t i = 0; i < objects_.size() && can_tell_; ++i) {
      if (objects_.size() > kMaxLibraries) return false;
      Object& asking = objects_[i];
      for (const std::string& name : asking.links.needed)
        if (!is_known(name) && !add(name, asking, true)) return false;
    }
    return can_tell_;
  }

  [[nodiscard]] std::vector<LoadedLibrary> take_libraries() { return std::move(libraries_); }

 private:
  struct Object {
    std::string path;
    std::string origin;  // what $ORIGIN stands for
    ElfLinks links;
    const Object* loader;  // the first that asked for it; null: the program
  };

  [[nodiscard]] static std::string origin_of(const std::string& path) { return path.substr(0, path.rfind('/')); }

  // The loader takes a library that it has, by the names under which it was asked for and by its own.
  [[nodiscard]] bool is_known(const std::string& name) {
    if (asked_.contains(name)) return true;
    const auto named = by_own_name_.find(name);
    if (named == by_own_name_.end()) return false;
    asked_.insert(name);
    libraries_.push_back({name, named->second->path, named->second->links.needed});
    return true;
  }

  // The loader leaves out one that is not there.
  void add_preloaded(const std::string& name, Object& main) {
    const bool is_path = name.find('/') != std::string::npos;
    if (!name.empty() && !asked_.contains(name) && !add(name, main, !is_path) && !is_path) can_tell_ = false;
  }

  bool add(const std::string& name, const Object& asking, bool is_listed) {
    std::optional<Object> found = find(name, asking);
    if (!found) return false;
    found->loader = &asking;
    Object& object = objects_.emplace_back(*std::move(found));
    if (!object.links.name.empty()) by_own_name_.emplace(object.links.name, &object);
    asked_.insert(name);
    if (is_listed) libraries_.push_back({name, object.path, object.links.needed});
    return true;
  }

  [[nodiscard]] std::optional<Object> find(const std::string& name, const Object& asking) {
    if (name.find('/') != std::string::npos) return open(expanded(name, asking.origin));
    if (asking.links.skips_default_folders) can_tell_ = false;
    if (asking.links.runpath.empty()) {
      const Object* last = nullptr;
      for (const Object* at = &asking; at != nullptr; last = at, at = at->loader)
        if (auto found = find_in(at->links.rpath, ":", at->origin, name)) return found;
      if (last != &objects_.front())
        if (auto found = find_in(objects_.front().links.rpath, ":", objects_.front().origin, name)) return found;
    }
    if (const std::string* const folders = environment_.find("LD_LIBRARY_PATH"))
      if (auto found = find_in(*folders, ":;", objects_.front().origin, name)) return found;
    if (auto found = find_in(asking.links.runpath, ":", asking.origin, name)) return found;
    if (const std::string_view path = cache_.path_of(name); !path.empty())
      if (auto found = open(std::string(path))) return found;
    return std::nullopt;  // it may be in one of the loader's own folders
  }

  [[nodiscard]] std::optional<Object> find_in(std::string_view folders, std::string_view separators,
                                              const std::string& origin, const std::string& name) {
    for (const std::string_view part : split(folders, separators)) {
      std::string folder = part.empty() ? "." : expanded(std::string(part), origin);
      folder.erase(folder.find_last_not_of('/') + 1);  // as the loader does; a slash follows
      if (has_special_folders(folder)) can_tell_ = false;
      if (auto found = open(folder + "/" + name)) return found;
    }
    return std::nullopt;
  }

  // The loader prefers libraries for this very processor where a folder has some.
  [[nodiscard]] bool has_special_folders(const std::string& folder) {
    const auto [known, is_new] = special_.try_emplace(folder, false);
    if (is_new) known->second = ::access((folder + "/glibc-hwcaps").c_str(), F_OK) == 0;
    return known->second;
  }

  // $ORIGIN alone: the others are the loader's to know.
  [[nodiscard]] std::string expanded(std::string text, const std::string& origin) {
    for (const std::string_view name : {std::string_view("${ORIGIN}"), std::string_view("$ORIGIN")})
      for (std::size_t at = 0; (at = text.find(name, at)) != std::string::npos; at += origin.size())
        text.replace(at, name.size(), origin);
    if (text.find('$') != std::string::npos) can_tell_ = false;
    return text;
  }

  [[nodiscard]] static std::optional<Object> open(const std::string& path) {
    auto links = read_elf_links(path);
    if (!links) return std::nullopt;
    std::error_code ignored;
    std::string origin = path.front() == '/' ? path : fs::absolute(path, ignored).string();
    return Object{path, origin_of(origin), *std::move(links), nullptr};
  }

  const ChildEnvironment& environment_;
  LibraryCache cache_;
  std::deque<Object> objects_;  // in the loader's order, the program first
  std::unordered_set<std::string> asked_;
  std::unordered_map<std::string, const Object*> by_own_name_;
  std::unordered_map<std::string, bool> special_;
  std::vector<LoadedLibrary> libraries_;
  bool can_tell_ = true;
};

}  // namespace

std::optional<std::vector<LoadedLibrary>> search_libraries(const std::string& path, const ElfProgram& program,
                                                           const ChildEnvironment& environment) {
  std::error_code ignored;
  const auto own = read_elf_links("/proc/self/exe");
  if (!own || !fs::equivalent(program.interpreter, own->interpreter, ignored)) return std::nullopt;
  Search search(environment);
  if (!search.run(path, program)) return std::nullopt;
  return search.take_libraries();
}

std::vector<LoadedLibrary> libraries_of(const std::string& path, const ElfProgram& program,
                                        ChildEnvironment& environment) {
  if (auto found = search_libraries(path, program, environment)) return *std::move(found);
  if (!is_glibc_loader(program.interpreter)) return {};
  const auto listing = output_of(program.interpreter, {program.interpreter, "--list", path}, environment);
  if (!listing) return {};
  std::vector<LoadedLibrary> libraries;
  std::istringstream lines(*listing);
  for (std::string line; std::getline(lines, line);) {
    LoadedLibrary library;
    if (parse_line(line, library)) {
      if (auto links = read_elf_links(library.path)) library.needed = std::move(links->needed);
      libraries.push_back(std::move(library));
    }
  }
  return libraries;
}

const LoadedLibrary* find_library(const std::vector<LoadedLibrary>& libraries, bool (*wanted)(std::string_view name)) {
  const auto found =
      std::find_if(libraries.begin(), libraries.end(), [wanted](const auto& library) { return wanted(library.name); });
  return found == libraries.end() ? nullptr : &*found;
}

void preload(const std::string& file, const std::vector<LoadedLibrary>& libraries, ChildEnvironment& environment) {
  environment.preload(file);
  const LoadedLibrary* const sanitizer = find_library(libraries, [](std::string_view name) {
    return name.starts_with("libasan.so") || name.starts_with("libtsan.so");
  });
  if (sanitizer != nullptr) environment.preload(sanitizer->path);
}

std::string find_shared_library(const std::string& name) {
  auto path = output_of_child([&name](int output) {
    void* const library = ::dlopen(name.c_str(), RTLD_LAZY | RTLD_LOCAL);
    link_map* map = nullptr;
    if (library != nullptr && ::dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 && map != nullptr)
      (void)!::write(output, map->l_name, std::strlen(map->l_name));
  });
  return path ? *std::move(path) : std::string();
}

std::vector<std::string> find_libomp() {
  std::vector<std::string> found;
  const auto add = [&found](const std::string& path) {
    std::error_code ignored;
    if (path.empty() || !fs::is_regular_file(path, ignored)) return;
    const bool known = std::any_of(found.begin(), found.end(), [&path](const std::string& other) {
      std::error_code unknown;
      return fs::equivalent(other, path, unknown);
    });
    if (!known) found.push_back(path);
  };
  add(find_shared_library("libomp.so.5"));
  add(find_shared_library("libomp.so"));

  std::vector<fs::path> folders;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator("/usr/lib", ignored))
    if (entry.path().filename().string().rfind("llvm-", 0) == 0) folders.push_back(entry.path());
  std::sort(folders.begin(), folders.end(),
            [](const fs::path& a, const fs::path& b) { return llvm_version(a) > llvm_version(b); });
  for (const fs::path& folder : folders) add((folder / "lib/libomp.so.5").string());
  return found;
}

}  // namespace foretask::cli
