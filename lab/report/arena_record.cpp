#include "lab/report/arena_record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "moblo/records/json_fields.hpp"
#include "moblo/records/line_file.hpp"
#include "moblo/records/tensor_file.hpp"

namespace moblo::lab::report {
namespace {

constexpr const char* arena_file = "arena.json";
constexpr const char* arena_format = "moblo arena";
constexpr std::int64_t arena_version = 1;

using records::Fields;
using records::number_json;

Json or_null(const std::optional<double>& value) {
  return value ? number_json(*value) : Json();
}

/// Scores are compared, so NaN is none.
std::optional<double> score_or_none(const Fields& fields, const char* key) {
  if (fields.at(key).is_null()) return std::nullopt;
  const double score = fields.number(key);
  if (!std::isfinite(score)) fields.refuse(key, "must be a finite number, or null where there is none");
  return score;
}

template <class T, class Convert>
Json list_of(const std::vector<T>& values, Convert convert) {
  Json list = Json::array();
  for (const auto& value : values) list.push_back(convert(value));
  return list;
}

template <class T, class Convert>
std::vector<T> list_in(const Fields& fields, const char* key, Convert convert) {
  std::vector<T> values;
  for (const auto& one : fields.list(key)) values.push_back(convert(one));
  return values;
}

Json problem_json(const ArenaRecord::Problem& problem) {
  return {{"name", problem.name},
          {"measure", problem.measure},
          {"budget", problem.budget},
          {"resolution", number_json(problem.resolution)}};
}

ArenaRecord::Problem problem_in(const Json& json) {
  static const std::string what = "problem of an arena";
  const Fields fields(json, what);
  ArenaRecord::Problem problem{fields.text("name"), fields.text("measure"), fields.integer("budget"),
                               fields.number("resolution")};
  if (problem.budget < 1) fields.refuse("budget", "must be 1 or more");
  if (!(problem.resolution > 0) || !std::isfinite(problem.resolution)) {
    fields.refuse("resolution", "must be a number above 0");
  }
  return problem;
}

Json candidate_json(const ArenaRecord::Candidate& one) {
  return {{"alpha", number_json(one.alpha)},
          {"omega", number_json(one.omega)},
          {"lower", number_json(one.lower)},
          {"run", one.run},
          {"status", one.status},
          {"choice", or_null(one.choice)}};
}

ArenaRecord::Candidate candidate_in(const Json& json) {
  static const std::string what = "candidate of an arena";
  const Fields fields(json, what);
  return {fields.number("alpha"), fields.number("omega"), fields.number("lower"),
          fields.text("run"),     fields.text("status"),  score_or_none(fields, "choice")};
}

Json trial_json(const ArenaRecord::Trial& trial) {
  Json json{{"seed", trial.seed},
            {"run", trial.run},
            {"status", trial.status},
            {"joint", or_null(trial.joint)},
            {"refit", or_null(trial.refit)},
            {"iterations", trial.iterations},
            {"seconds", number_json(trial.seconds)}};
  const auto& [lower, upper, second_order] = trial.gradients;
  json["gradients"] = {{"lower", lower}, {"upper", upper}, {"second_order", second_order}};
  json["progress"] = list_of(trial.progress, [](const auto& one) { return Json{one.gradients, one.best}; });
  return json;
}

ArenaRecord::Trial trial_in(const Json& json) {
  static const std::string what = "trial of an arena", counts = "gradients of a trial";
  const Fields fields(json, what);
  ArenaRecord::Trial trial;
  trial.seed = fields.integer("seed");
  trial.run = fields.text("run");
  trial.status = fields.text("status");
  trial.joint = score_or_none(fields, "joint");
  trial.refit = score_or_none(fields, "refit");
  trial.iterations = fields.integer("iterations");
  trial.seconds = fields.number("seconds");
  const Fields gradients(fields.at("gradients"), counts);
  trial.gradients = {gradients.integer("lower"), gradients.integer("upper"), gradients.integer("second_order")};
  for (const auto& point : fields.list("progress")) {
    if (!point.is_array() || point.size() != 2 || !point[0].is_number() || !point[1].is_number()) {
      fields.refuse("progress", "must be pairs of numbers");
    }
    trial.progress.push_back({point[0].get<double>(), point[1].get<double>()});
  }
  return trial;
}

Json cell_json(const ArenaRecord::Cell& cell) {
  Json json{{"unsuitable", cell.unsuitable}, {"chosen", cell.chosen ? Json(*cell.chosen) : Json()}};
  json["candidates"] = list_of(cell.candidates, candidate_json);
  json["trials"] = list_of(cell.trials, trial_json);
  return json;
}

ArenaRecord::Cell cell_in(const Json& json) {
  static const std::string what = "cell of an arena";
  const Fields fields(json, what);
  ArenaRecord::Cell cell;
  cell.unsuitable = fields.text("unsuitable");
  cell.candidates = list_in<ArenaRecord::Candidate>(fields, "candidates", candidate_in);
  cell.trials = list_in<ArenaRecord::Trial>(fields, "trials", trial_in);
  if (!fields.at("chosen").is_null()) cell.chosen = fields.integer("chosen");
  const auto count = static_cast<std::int64_t>(cell.candidates.size());
  if (cell.chosen && (*cell.chosen < 0 || *cell.chosen >= count)) fields.refuse("chosen", "names no candidate");
  return cell;
}

}  // namespace

bool ArenaRecord::complete() const {
  return !cells.empty() && std::all_of(cells.begin(), cells.end(), [this](const Cell& cell) {
    return !cell.unsuitable.empty() || cell.trials.size() == seeds.size();
  });
}

Json to_json(const ArenaRecord& arena) {
  Json json{{"format", arena_format}, {"version", arena_version}};
  json["title"] = arena.title;
  json["stopped_because"] = arena.stopped_because;
  json["methods"] = arena.methods;
  json["selection_seed"] = arena.selection_seed;
  json["seeds"] = arena.seeds;
  json["problems"] = list_of(arena.problems, problem_json);
  json["cells"] = list_of(arena.cells, cell_json);
  return json;
}

ArenaRecord arena_record(const Json& json) {
  static const std::string what = "arena";
  const Fields fields(json, what);
  if (fields.text("format") != arena_format) fields.refuse("format", fmt::format("is not \"{}\"", arena_format));
  if (fields.integer("version") != arena_version) fields.refuse("version", "is of another version of the program");
  ArenaRecord arena;
  arena.title = fields.text("title");
  arena.stopped_because = fields.text("stopped_because");
  arena.methods = fields.texts("methods");
  arena.selection_seed = fields.integer("selection_seed");
  arena.seeds = fields.integers("seeds");
  arena.problems = list_in<ArenaRecord::Problem>(fields, "problems", problem_in);
  arena.cells = list_in<ArenaRecord::Cell>(fields, "cells", cell_in);
  if (arena.cells.size() != arena.methods.size() * arena.problems.size()) {
    fields.refuse("cells", "must be one for each problem and method");
  }
  return arena;
}

void write_arena(const std::filesystem::path& folder, const ArenaRecord& arena) {
  records::write_document(folder / arena_file, to_json(arena));
}

std::optional<ArenaRecord> read_arena(const std::filesystem::path& folder) {
  std::optional<ArenaRecord> arena;
  std::error_code ignored;
  if (!std::filesystem::exists(folder / arena_file, ignored)) return arena;
  records::read_document(folder / arena_file, [&](const Json& json) { arena = arena_record(json); });
  return arena;
}

}  // namespace moblo::lab::report
