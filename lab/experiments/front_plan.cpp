#include "lab/experiments/front_plan.hpp"

#include <fmt/format.h>

#include "lab/experiments/overlays.hpp"
#include "moblo/base/error.hpp"
#include "moblo/base/text.hpp"
#include "moblo/methods/registry.hpp"
#include "moblo/records/atomic_file.hpp"
#include "moblo/records/json_fields.hpp"
#include "moblo/records/line_file.hpp"

namespace moblo::lab::experiments {
namespace {

constexpr const char* plan_file = "front_plan.json";
constexpr const char* plan_format = "moblo front plan";

void refuse_method_without(const std::string& option, const std::string& name, const std::string& place) {
  if (find_method(name, place).takes(option)) return;
  std::vector<std::string> others;
  for (const auto& method : method_catalogue()) {
    if (method.takes(option)) others.push_back(method.name);
  }
  throw Error(ErrorKind::config, fmt::format("{}: method = \"{}\"", place, name),
              fmt::format("has no option `{}`, by which the points of a front differ", option),
              "Those that have are " + base::join(others));
}

void refuse_several_runs(const ExperimentPlan& plan, const config::Config& config) {
  if (plan.runs.size() == 1) return;
  throw Error(
      ErrorKind::config, config.place(config.values.contains("case") ? "case" : "seeds"),
      fmt::format("it describes {} runs, and a front is of one problem, one method and one seed", plan.runs.size()),
      "Give --seed N, or --set method=NAME where one case has that method, or write a file without [[case]]");
}

std::string preference_text(const fronts::Preference& preference) {
  std::vector<std::string> entries;
  for (const double entry : preference) entries.push_back(fmt::format("{:.3g}", entry));
  return base::join(entries);
}

}  // namespace

Json FrontPlan::to_json() const {
  Json json;
  json["format"] = plan_format;
  json["version"] = 1;
  json["name"] = name;
  json["title"] = title;
  json["source"] = source;
  json["config"] = run.config();
  json["front"] = FrontOptions::table().write(options);
  return json;
}

namespace {

/// Options whose defaults depend on whether there is a preference are resolved as for the points, which all have one.
void prefer(config::Config& config) {
  const auto method = config.values.find("method");
  if (method == config.values.end() || !method->is_string()) return;
  const auto name = method->get<std::string>();
  refuse_method_without("preference", name, config.place("method"));
  auto& options = config.values[name];
  if (options.is_null() || (options.is_object() && !options.contains("preference"))) options["preference"] = {1.0};
}

}  // namespace

FrontPlan plan_front(const config::Config& original, std::optional<std::uint64_t> seed) {
  FrontPlan front;
  config::Config config = original;
  apply_preset(config);  // it may say how the front is run
  const Json table = config.values.contains("front") ? config.values["front"] : Json::object();
  FrontOptions::table().read(table, front.options, {&config, "front"});
  prefer(config);
  const auto plan = plan_experiment(config, seed ? std::vector{*seed} : std::vector<std::uint64_t>());
  refuse_several_runs(plan, config);
  front.run = plan.runs.front();
  front.title = plan.record.title;
  front.jobs = plan.jobs;
  if (!front.options.order.empty()) refuse_method_without("limits", front.run.method, config.place("method"));
  return front;
}

RunPlan plan_point(const FrontPlan& front, const fronts::PlannedPoint& point) {
  RunPlan run = front.run;
  run.method_options["preference"] = point.target.preference;
  if (!point.target.limits.empty()) run.method_options["limits"] = point.target.limits_json();
  run.method_options = find_method(run.method, "").resolve(run.method_options, {nullptr, run.method});
  const auto cold = run.training.at("iterations").get<std::int64_t>();
  run.training["select"] = "";  // a point is the end of its run; what is best after a warm start may be its start
  run.training["iterations"] = front.options.iterations_of(point.start.has_value(), cold);
  run.warm_start.clear();
  if (point.start) run.warm_start = fronts::name_of_point(*point.start);
  run.group = point.start ? "warm" : "cold";
  run.folder = fronts::folder_of_point(point.index);
  run.name = fmt::format("point {} ({})", point.index, preference_text(point.target.preference));
  return run;
}

void write_front_plan(const std::filesystem::path& folder, const FrontPlan& plan) {
  records::write_document(folder / plan_file, plan.to_json());
}

std::optional<FrontPlan> read_front_plan(const std::filesystem::path& folder) {
  std::optional<FrontPlan> plan;
  if (!records::is_present(folder / plan_file)) return plan;
  records::read_document(folder / plan_file, [&](const Json& json) {
    static const std::string what = "plan of a front";
    const records::Fields fields(json, what);
    if (fields.text("format") != plan_format) fields.refuse("format", fmt::format("is not \"{}\"", plan_format));
    FrontPlan read;
    read.name = fields.text("name");
    read.title = fields.text("title");
    read.source = fields.text("source");
    read.run = plan_resume(fields.at("config"), {});
    FrontOptions::table().read(fields.at("front"), read.options, {nullptr, "front"});
    plan = std::move(read);
  });
  return plan;
}

}  // namespace moblo::lab::experiments
