// SPDX-License-Identifier: Apache-2.0
#include "cli/launch/campaign.hpp"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "unit/base/temp_folder.hpp"

using namespace foretask::cli;
using Catch::Matchers::ContainsSubstring;
using foretask::test::TempFolder;
using foretask::test::write_content;

namespace {

using Words = std::vector<std::string>;

Campaign campaign_of(const Words& parameters, const Words& command, const std::vector<std::uint32_t>& cores = {2, 1},
                     std::uint32_t repeat = 2) {
  Campaign campaign{.path = "/bin/app", .command = command, .parameters = {}, .cores = cores, .repeat = repeat};
  for (const std::string& text : parameters) campaign.parameters.push_back(*parse_campaign_parameter(text));
  return campaign;
}

std::string wrong_parameter(const std::string& text) {
  const auto parameter = parse_campaign_parameter(text);
  REQUIRE_FALSE(parameter.ok());
  return parameter.error().message();
}

Words names_of(const Campaign& campaign) {
  Words names;
  for (const CampaignRun& run : runs_of(campaign)) names.push_back(run.name);
  return names;
}

}  // namespace

TEST_CASE("a campaign goes through all combinations before it repeats one, the fewest workers first") {
  CHECK(names_of(campaign_of({"n=8,4"}, {"app", "{n}"})) ==
        Words{"n=8,p=1,1", "n=4,p=1,1", "n=8,p=2,1", "n=4,p=2,1", "n=8,p=1,2", "n=4,p=1,2", "n=8,p=2,2", "n=4,p=2,2"});
  CHECK(names_of(campaign_of({"n=1,2", "b=x,y"}, {"app", "{n}", "{b}"}, {1}, 1)) ==
        Words{"n=1,b=x,p=1,1", "n=1,b=y,p=1,1", "n=2,b=x,p=1,1", "n=2,b=y,p=1,1"});
}

TEST_CASE("a value's own commas and slashes are no parts of a folder's name") {
  CHECK(names_of(campaign_of({"n=1", "file=../a b=c%"}, {"app", "{file}"}, {1}, 1)) ==
        Words{"n=1,file=..%2Fa%20b%3Dc%25,p=1,1"});
}

TEST_CASE("names in braces are replaced, anywhere in an argument, and other braces stay") {
  const Campaign campaign =
      campaign_of({"n=7", "b=x"}, {"{n}", "-n{n}", "{p}/{b}{n}", "{}", "{ n }", "{0}", "{", "{m}", "${n}"});
  CHECK(command_of(campaign, runs_of(campaign).back()) ==
        Words{"{n}", "-n7", "2/x7", "{}", "{ n }", "{0}", "{", "{m}", "${n}"});
  CHECK(parameters_of(campaign, runs_of(campaign).front()) == Words{"n=7", "b=x"});
}

TEST_CASE("a value that holds braces is not replaced in turn") {
  const Campaign campaign = campaign_of({"n=7", "b={n}"}, {"app", "{b}", "{n}"});
  CHECK(command_of(campaign, runs_of(campaign).front()) == Words{"app", "{n}", "7"});
}

TEST_CASE("a parameter has a name and values") {
  CHECK(parse_campaign_parameter("n=1-8:x2")->values == Words{"1", "2", "4", "8"});
  CHECK(wrong_parameter("n") == "'n' is not NAME=VALUES, as in n=1024,2048");
  CHECK(wrong_parameter("=1") == "'' is not a parameter's name: use letters, digits and _, no digit first");
  CHECK(wrong_parameter("a-b=1") == "'a-b' is not a parameter's name: use letters, digits and _, no digit first");
  CHECK(wrong_parameter("p=1,2") == "p is the number of workers: set it with --cores");
  CHECK_THAT(wrong_parameter("time=1,2"), ContainsSubstring("'time' is a column of the run table"));
  CHECK(wrong_parameter("n=") == "'': a value is empty");
}

TEST_CASE("what is wrong with a campaign as a whole is said") {
  CHECK(wrong_campaign(campaign_of({"n=1,2"}, {"app", "{n}"})).empty());
  // One value may be a label.
  CHECK(wrong_campaign(campaign_of({"n=1,2", "b=16"}, {"app", "{n}"})).empty());
  CHECK(wrong_campaign(campaign_of({"n=1,2"}, {"app", "-n"})) ==
        "--set n: no argument of the program holds {n}, so all its values would give the same run");
  CHECK(wrong_campaign(campaign_of({"size=1,2"}, {"app", "{szie}"})) ==
        "--set size: no argument of the program holds {size}, so all its values would give the same run. The arguments "
        "hold {szie}");
  CHECK(wrong_campaign(campaign_of({"n=1,2"}, {"app", "{n}", "{N}"})) == "{N} is no parameter, but {n} is");
  CHECK(wrong_campaign(campaign_of({"n=1,2"}, {"app", "{n}", "{P}"})) ==
        "{P} is no parameter; the number of workers is {p}");
  CHECK(wrong_campaign(campaign_of({"m=1,2"}, {"app", "{m}", "-n{n}"})) ==
        "an argument of the program holds {n}, and there is no --set n=...: add --set n=VALUES");
  CHECK(wrong_campaign(campaign_of({"m=1,2"}, {"app", "{m}", "${n}", "{ n }", "{}", "{0}"})).empty());
  CHECK(wrong_campaign(campaign_of({"n=1,2"}, {"{n}"})) != "");
  CHECK_THAT(wrong_campaign(campaign_of({"n=1,2", "n=3"}, {"app", "{n}"})),
             ContainsSubstring("--set n is given twice"));
  CHECK_THAT(wrong_campaign(campaign_of({"n=1,red"}, {"app", "{n}"})), ContainsSubstring("--set n=red"));
  CHECK_THAT(wrong_campaign(campaign_of({"n=0"}, {"app", "{n}"})), ContainsSubstring("a number above 0"));
  CHECK_THAT(wrong_campaign(campaign_of({"n=1"}, {"app", "{n}"}, {2, 4})), ContainsSubstring("--cores has no 1"));
  CHECK_THAT(wrong_campaign(campaign_of({"n=1-4000"}, {"app", "{n}"}, {1, 2}, 100)), ContainsSubstring("too many"));
  CHECK_THAT(wrong_campaign(campaign_of({"n=1", "f=" + std::string(250, 'x')}, {"app"})),
             ContainsSubstring("too long"));
}

TEST_CASE("a folder holds one campaign, which may grow") {
  const TempFolder folder;
  const Campaign campaign = campaign_of({"n=1,2"}, {"app", "{n}"});
  CHECK(check_same_campaign(folder / "nothing", campaign).ok());
  CHECK(check_same_campaign(folder.path(), campaign).ok());
  REQUIRE(write_campaign(folder.path(), campaign, {{"n=1,p=1,1", "exit code 3"}}).ok());
  CHECK(check_same_campaign(folder.path(), campaign).ok());
  CHECK(check_same_campaign(folder.path(), campaign_of({"n=1,2,4"}, {"app", "{n}"}, {1, 2, 4}, 5)).ok());
  const auto refusal = [&](const Campaign& other) {
    return check_same_campaign(folder.path(), other).error().message();
  };
  CHECK_THAT(refusal(campaign_of({"n=1,2"}, {"app", "-v", "{n}"})),
             ContainsSubstring(folder.path()) &&
                 ContainsSubstring(R"(is of another command: ["app","{n}"], not ["app","-v","{n}"])"));
  CHECK_THAT(refusal(campaign_of({"n=1,2", "b=1"}, {"app", "{n}"})),
             ContainsSubstring("has the parameters n, not n, b"));
  Campaign other = campaign;
  other.path = "/usr/bin/app";
  CHECK_THAT(refusal(other), ContainsSubstring("is of another program: \"/bin/app\", not \"/usr/bin/app\""));
  write_content(folder / "campaign.json", "{");
  CHECK_THAT(refusal(campaign), ContainsSubstring("describes no campaign"));
}

TEST_CASE("a campaign that grows keeps the values, cores and repetitions of before") {
  const TempFolder folder;
  REQUIRE(write_campaign(folder.path(), campaign_of({"n=1,2"}, {"app", "{n}"}, {1, 2}, 3), {}).ok());
  REQUIRE(write_campaign(folder.path(), campaign_of({"n=2,4"}, {"app", "{n}"}, {1, 8}, 1), {}).ok());
  const auto json = nlohmann::json::parse(foretask::test::content_of(folder / "campaign.json"));
  CHECK(json.at("parameters")[0].at("values") == Words{"1", "2", "4"});
  CHECK(json.at("cores") == std::vector<int>{1, 2, 8});
  CHECK(json.at("repeat") == 3);
}

TEST_CASE("tables of parameters that no run has any more are stale, other files are not") {
  const TempFolder folder;
  for (const char* name : {"table.csv", "table,b=1,c=x.csv", "table,b=2,c=x.csv", "table,b=1.csv", "table,mine.csv"})
    write_content(folder / name, "");
  const Campaign campaign = campaign_of({"n=1", "b=1", "c=x"}, {"app"});
  CHECK(stale_tables(folder.path(), campaign, {{"b=1,c=x", {}}, {"b=3,c=x", {}}}) ==
        Words{folder / "table,b=2,c=x.csv"});
  CHECK(stale_tables(folder.path(), campaign, {{"b=1,c=x", {}}}).size() == 2);
  CHECK(stale_tables(folder.path(), campaign_of({"n=1"}, {"app"}), {{"", {}}}).empty());
}

TEST_CASE("a folder of something else is no campaign's") {
  const TempFolder folder;
  write_content(folder / "letter", "dear");
  CHECK_THAT(check_same_campaign(folder.path(), campaign_of({"n=1"}, {"app"})).error().message(),
             ContainsSubstring("has no campaign.json"));
  CHECK_THAT(check_same_campaign(folder / "letter", campaign_of({"n=1"}, {"app"})).error().message(),
             ContainsSubstring("is no folder"));
}

TEST_CASE("finished runs are those with a recording, in groups of the same parameters besides n") {
  const TempFolder folder;
  for (const char* name :
       {"n=1,p=1,1", "n=2,p=1,1", "n=1,b=x,p=2,1", "n=1,b=y,p=2,1", "n=9,p=1,1", "output", ".unfinished"})
    std::filesystem::create_directory(folder / name);
  for (const char* name : {"n=1,p=1,1", "n=2,p=1,1", "n=1,b=x,p=2,1", "n=1,b=y,p=2,1", ".unfinished"})
    write_content(folder / name + "/run.json", "{}");
  const auto groups = finished_runs(folder.path());
  CHECK(groups.size() == 3);
  CHECK(groups.at("") == Words{"n=1,p=1,1", "n=2,p=1,1"});
  CHECK(groups.at("b=x") == Words{"n=1,b=x,p=2,1"});
}

TEST_CASE("a damaged campaign.json is refused or taken for what can be read of it") {
  const TempFolder folder;
  const Campaign campaign = campaign_of({"n=1"}, {"app", "{n}"});
  for (const std::string& text :
       {std::string(), std::string(200'000, '['), std::string("{\"foretask_campaign\":"), std::string("[1]")}) {
    write_content(folder / "campaign.json", text);
    CHECK_THAT(check_same_campaign(folder.path(), campaign).error().message(),
               ContainsSubstring("describes no campaign"));
  }
  REQUIRE(write_campaign(folder.path(), campaign, {}).ok());
  const std::string whole = foretask::test::content_of(folder / "campaign.json");
  for (const char* pointer : {"/parameters", "/parameters/0", "/parameters/0/name", "/parameters/0/values", "/cores",
                              "/cores/0", "/repeat"}) {
    for (const auto& value : {nlohmann::json(5), nlohmann::json("x"), nlohmann::json(~std::uint64_t{0}),
                              nlohmann::json(nullptr), nlohmann::json::array({1, "y"}), nlohmann::json::object()}) {
      CAPTURE(pointer, value.dump());
      auto changed = nlohmann::json::parse(whole);
      changed[nlohmann::json::json_pointer(pointer)] = value;
      write_content(folder / "campaign.json", changed.dump());
      (void)check_same_campaign(folder.path(), campaign);
      CHECK(write_campaign(folder.path(), campaign, {}).ok());
    }
  }
}
