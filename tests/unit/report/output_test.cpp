// SPDX-License-Identifier: Apache-2.0
#include "report/output.hpp"

#include <zlib.h>

#include <filesystem>

#include "catch.hpp"
#include "scratch.hpp"

using namespace foretask::report;
using foretask_test::contents;
using foretask_test::Scratch;
namespace fs = std::filesystem;

namespace {

// Longer than any buffer inside.
std::string long_text() {
  std::string text;
  for (int i = 0; i < 200000; ++i) text += std::to_string(i) + "\n";
  return text;
}

}  // namespace

TEST_CASE("what is written is in the file after finish") {
  const Scratch scratch;
  const std::string path = scratch / "plain";
  const std::string text = long_text();
  auto output = Output::open(path);
  REQUIRE(output.ok());
  output->write(text);
  output->write("end");
  CHECK(output->finish().ok());
  CHECK(contents(path) == text + "end");
}

TEST_CASE("gzip output is read back by zlib") {
  const Scratch scratch;
  const std::string path = scratch / "packed.gz";
  const std::string text = long_text();
  auto output = Output::open(path, Compression::kGzip);
  REQUIRE(output.ok());
  output->write(text);
  CHECK(output->finish().ok());
  CHECK(fs::file_size(path) < text.size() / 2);

  const gzFile in = gzopen(path.c_str(), "rb");
  std::string back(text.size() + 1, '\0');
  const int size = gzread(in, back.data(), static_cast<unsigned>(back.size()));
  gzclose(in);
  REQUIRE(size >= 0);
  back.resize(static_cast<std::size_t>(size));
  CHECK(back == text);
}

TEST_CASE("a full device is told by finish and not removed") {
  auto output = Output::open("/dev/full");
  REQUIRE(output.ok());
  output->write(long_text());
  CHECK(output->failed());
  const auto finished = output->finish();
  REQUIRE_FALSE(finished.ok());
  CHECK(finished.error().code == ENOSPC);
  CHECK(fs::exists("/dev/full"));
}

TEST_CASE("a few bytes to a full device are told as well") {
  auto output = Output::open("/dev/full");
  REQUIRE(output.ok());
  output->write("x");
  CHECK_FALSE(output->finish().ok());
}

TEST_CASE("an output that is not finished leaves what was there, or no file") {
  const Scratch scratch;
  std::ofstream(scratch / "kept") << "as it was";
  for (const char* const name : {"half", "kept"}) {
    auto output = Output::open(scratch / name);
    REQUIRE(output.ok());
    output->write(long_text());
  }
  CHECK_FALSE(fs::exists(scratch / "half"));
  CHECK(contents(scratch / "kept") == "as it was");
}

TEST_CASE("a path that cannot be written is an error that names it") {
  const auto output = Output::open("/nonexistent-folder/file");
  REQUIRE_FALSE(output.ok());
  CHECK(output.error().message().find("/nonexistent-folder/file") != std::string::npos);
}
