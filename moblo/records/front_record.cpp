#include "moblo/records/front_record.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "moblo/records/atomic_file.hpp"
#include "moblo/records/json_fields.hpp"
#include "moblo/records/line_file.hpp"
#include "moblo/records/tensor_file.hpp"

namespace moblo::records {
namespace {

constexpr const char* front_file = "front.json";
constexpr const char* front_format = "moblo front";
constexpr std::int64_t front_version = 1;

Json or_null(const std::optional<double>& value) {
  return value ? number_json(*value) : Json();
}
Json or_null(const std::optional<std::int64_t>& value) {
  return value ? Json(*value) : Json();
}
Json or_null(const std::optional<bool>& value) {
  return value ? Json(*value) : Json();
}

Json point_json(const FrontRecord::Point& point) {
  Json json;
  json["index"] = point.index;
  json["round"] = point.round;
  json["preference"] = numbers_json(point.preference);
  if (!point.limits.empty()) {
    for (const auto& [name, value] : point.limits) json["limits"][name] = number_json(value);
  }
  json["warm_start_from"] = or_null(point.warm_start_from);
  json["losses"] = numbers_json(point.losses);
  json["refit_losses"] = point.refit_losses.empty() ? Json() : numbers_json(point.refit_losses);
  json["run"] = point.run;
  json["model"] = point.model.empty() ? Json() : Json(point.model);
  json["status"] = point.status;
  json["dominated"] = point.dominated;
  json["refit_dominated"] = or_null(point.refit_dominated);
  return json;
}

bool is_given(const Fields& fields, const char* key) {
  return fields.has(key) && !fields.at(key).is_null();
}

FrontRecord::Point front_point(const Json& json) {
  static const std::string what = "point of a front";
  const Fields fields(json, what);
  FrontRecord::Point point;
  point.index = fields.integer("index");
  point.round = fields.integer("round");
  point.preference = fields.numbers("preference");
  if (fields.has("limits")) point.limits = fields.named_numbers("limits");
  if (is_given(fields, "warm_start_from")) point.warm_start_from = fields.integer("warm_start_from");
  point.losses = fields.numbers("losses");
  if (is_given(fields, "refit_losses")) point.refit_losses = fields.numbers("refit_losses");
  point.run = fields.text("run");
  if (is_given(fields, "model")) point.model = fields.text("model");
  point.status = fields.text("status");
  point.dominated = fields.flag_or("dominated", false);
  if (is_given(fields, "refit_dominated")) point.refit_dominated = fields.flag_or("refit_dominated", false);
  return point;
}

/// Points are looked up by index, so an index is their place in the list, and every reference to one must hold.
void refuse_bad_references(const FrontRecord& front, const Fields& fields) {
  const auto count = static_cast<std::int64_t>(front.points.size());
  const auto m = front.objectives.size();
  const auto known = [&](std::int64_t index) { return index >= 0 && index < count; };
  for (std::int64_t i = 0; i < count; ++i) {
    const auto& point = front.points[static_cast<std::size_t>(i)];
    if (point.index != i) fields.refuse("points", "must be numbered from 0");
    if (point.warm_start_from && !known(*point.warm_start_from)) {
      fields.refuse("warm_start_from", "names a point that is not there");
    }
    const auto fits = [&](const std::vector<double>& losses) { return losses.empty() || losses.size() == m; };
    if (!fits(point.losses) || !fits(point.refit_losses) || point.preference.size() != m) {
      fields.refuse("points", "must have one number per objective");
    }
  }
  if (front.knee && !known(*front.knee)) fields.refuse("knee", "names a point that is not there");
  if (!std::all_of(front.extremes.begin(), front.extremes.end(), known)) {
    fields.refuse("extremes", "names a point that is not there");
  }
}

void add_numbers(std::string& row, const std::vector<double>& values, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) row += i < values.size() ? fmt::format(",{}", values[i]) : ",";
}

const char* flag_text(const std::optional<bool>& flag) {
  return !flag ? "" : *flag ? "1" : "0";
}

}  // namespace

Json to_json(const FrontRecord& front) {
  Json json;
  json["format"] = front_format;
  json["version"] = front_version;
  json["title"] = front.title;
  json["problem"] = front.problem;
  json["method"] = front.method;
  json["seed"] = front.seed;
  json["objectives"] = front.objectives;
  json["reference_point"] = numbers_json(front.reference_point);
  json["hypervolume"] = number_json(front.hypervolume);
  json["refit_hypervolume"] = or_null(front.refit_hypervolume);
  json["points"] = Json::array();
  for (const auto& point : front.points) json["points"].push_back(point_json(point));
  json["extremes"] = front.extremes;
  json["knee"] = or_null(front.knee);
  json["largest_gap"] = or_null(front.largest_gap);
  json["hypervolume_history"] = Json::array();
  for (const auto& [points, hypervolume] : front.hypervolume_history) {
    json["hypervolume_history"].push_back({{"points", points}, {"hypervolume", number_json(hypervolume)}});
  }
  json["rounds"] = front.rounds;
  json["stopped_because"] = front.stopped_because;
  return json;
}

FrontRecord front_record(const Json& json) {
  static const std::string what = "front";
  const Fields fields(json, what);
  if (fields.text("format") != front_format) fields.refuse("format", fmt::format("is not \"{}\"", front_format));
  if (fields.integer("version") != front_version) fields.refuse("version", "is one that this program does not know");
  FrontRecord front;
  front.title = fields.text("title");
  front.problem = fields.text("problem");
  front.method = fields.text("method");
  if (!fields.at("seed").is_number_unsigned()) fields.refuse("seed", "must be an integer, 0 or above");
  front.seed = fields.at("seed").get<std::uint64_t>();
  front.objectives = fields.texts("objectives");
  front.reference_point = fields.numbers("reference_point");
  front.hypervolume = fields.number("hypervolume");
  if (is_given(fields, "refit_hypervolume")) front.refit_hypervolume = fields.number("refit_hypervolume");
  for (const auto& point : fields.list("points")) front.points.push_back(front_point(point));
  front.extremes = fields.integers("extremes");
  if (is_given(fields, "knee")) front.knee = fields.integer("knee");
  if (is_given(fields, "largest_gap")) front.largest_gap = fields.number("largest_gap");
  static const std::string step = "entry of hypervolume_history";
  for (const auto& entry : fields.list("hypervolume_history")) {
    const Fields one(entry, step);
    front.hypervolume_history.push_back({one.integer("points"), one.number("hypervolume")});
  }
  front.rounds = fields.integer("rounds");
  front.stopped_because = fields.text("stopped_because");
  refuse_bad_references(front, fields);
  return front;
}

std::string front_csv(const FrontRecord& front) {
  const std::size_t m = front.objectives.size();
  std::string text = "index,round,warm_start_from";
  for (const auto* of : {"preference", "loss", "refit loss"}) {
    for (const auto& name : front.objectives) text += "," + base::csv_field(fmt::format("{} {}", of, name));
  }
  text += ",status,dominated,refit_dominated,knee,run\n";
  for (const auto& point : front.points) {
    text += fmt::format("{},{},", point.index, point.round);
    if (point.warm_start_from) text += fmt::format("{}", *point.warm_start_from);
    for (const auto* values : {&point.preference, &point.losses, &point.refit_losses}) add_numbers(text, *values, m);
    text +=
        fmt::format(",{},{},{},{},{}\n", base::csv_field(point.status), point.dominated ? 1 : 0,
                    flag_text(point.refit_dominated), front.knee == point.index ? 1 : 0, base::csv_field(point.run));
  }
  return text;
}

void write_front(const std::filesystem::path& folder, const FrontRecord& front) {
  write_document(folder / front_file, to_json(front));
  write_text_atomically(folder / "front.csv", front_csv(front));
}

std::optional<FrontRecord> read_front(const std::filesystem::path& folder) {
  std::optional<FrontRecord> front;
  if (!is_present(folder / front_file)) return front;
  read_document(folder / front_file, [&](const Json& json) { front = front_record(json); });
  return front;
}

}  // namespace moblo::records
