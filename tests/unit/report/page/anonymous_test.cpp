// SPDX-License-Identifier: Apache-2.0
#include "report/page/anonymous.hpp"

#include <string>

#include "catch.hpp"

using foretask::report::without_paths;

TEST_CASE("paths lose their folders, and other words stay") {
  CHECK(without_paths("/home/eve/app") == "app");
  CHECK(without_paths("the file /usr/lib/libm.so.6 is gone, and \"/opt/x y/z\" too") ==
        "the file libm.so.6 is gone, and \"x y/z\" too");
  CHECK(without_paths("file=/a/b:/c/d") == "file=b:d");
  CHECK(without_paths("../data/input.txt") == "input.txt");
  CHECK(without_paths("work / span is 1/2") == "work / span is 1/2");
  CHECK(without_paths("") == "");
}

TEST_CASE("an anonymous report says nothing of where it was made") {
  foretask::analysis::Report report;
  report.program = "/home/eve/bin/app";
  report.command = {"/home/eve/bin/app", "--key", "secret"};
  report.parameters = {{"input", "/home/eve/data.bin"}};
  report.origin.host = "evesbox";
  report.origin.folder = "/home/eve";
  report.origin.environment = {{"OMP_TOOL_LIBRARIES", "/home/eve/tool.so"}};
  report.origin.processor_model = "EPYC";
  report.warnings = {"/home/eve/bin/app has changed"};
  report.kernels.resize(1);
  report.kernels[0].name = "f (a.cpp:3)";
  report.kernels[0].source_file = "/home/eve/src/a.cpp";
  const foretask::analysis::Report anonymous = foretask::report::anonymous(report);
  CHECK(anonymous.program == "app");
  CHECK(anonymous.command.empty());
  CHECK(anonymous.parameters.front().second == "data.bin");
  CHECK(anonymous.origin.host.empty());
  CHECK(anonymous.origin.folder.empty());
  CHECK(anonymous.origin.environment.empty());
  CHECK(anonymous.origin.processor_model == "EPYC");
  CHECK(anonymous.warnings.front() == "app has changed");
  CHECK(anonymous.kernels[0].name == "f (a.cpp:3)");
  CHECK(anonymous.kernels[0].source_file.empty());
}
