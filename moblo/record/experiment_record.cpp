#include "moblo/record/experiment_record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

#include "moblo/base/error.hpp"
#include "moblo/record/atomic_file.hpp"
#include "moblo/record/json_fields.hpp"
#include "moblo/record/line_file.hpp"
#include "moblo/record/tensor_file.hpp"

namespace moblo {
namespace {

constexpr const char* file_name = "experiment.json";

Json to_json(const ExperimentRecord::Case& one) {
  return {{"name", one.name}, {"folder", one.folder}};
}

Json to_json(const ExperimentRecord::Panel& panel) {
  return {{"title", panel.title}, {"quantity", panel.quantity}, {"log", panel.log}, {"cases", panel.cases}};
}

Json to_json(const ExperimentRecord::Expectation& expectation) {
  Json json = Json::object();
  json["quantity"] = expectation.quantity;
  if (expectation.at) json["at"] = *expectation.at;
  if (expectation.at_most) json["at_most"] = number_json(*expectation.at_most);
  if (expectation.at_least) json["at_least"] = number_json(*expectation.at_least);
  json["case"] = expectation.case_name;
  json["source"] = expectation.source;
  return json;
}

template <class Part>
Json list_json(const std::vector<Part>& parts) {
  Json list = Json::array();
  for (const auto& part : parts) list.push_back(to_json(part));
  return list;
}

ExperimentRecord::Case read_case(const Json& json) {
  static const std::string what = "case";
  const Fields fields(json, what);
  return {fields.text("name"), fields.text("folder")};
}

ExperimentRecord::Panel read_panel(const Json& json) {
  static const std::string what = "panel";
  const Fields fields(json, what);
  return {fields.text("title"), fields.text("quantity"), fields.flag_or("log", true),
          fields.has("cases") ? fields.texts("cases") : std::vector<std::string>()};
}

ExperimentRecord::Expectation read_expectation(const Json& json) {
  static const std::string what = "expectation";
  const Fields fields(json, what);
  return {fields.text("quantity"),          fields.integer_if_any("at"), fields.number_if_any("at_most"),
          fields.number_if_any("at_least"), fields.text_or("case", ""),  fields.text_or("source", "")};
}

/// "losses[2]" is the entry 2 of losses; "kkt" has no index.
struct QuantityName {
  std::string_view key;
  std::optional<std::size_t> index;
};

std::optional<QuantityName> parse_name(std::string_view name) {
  if (!name.ends_with(']')) return QuantityName{name, std::nullopt};
  const auto open = name.rfind('[');
  if (open == std::string_view::npos) return std::nullopt;
  const auto digits = name.substr(open + 1, name.size() - open - 2);
  std::size_t index = 0;
  const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
  if (failure != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return QuantityName{name.substr(0, open), index};
}

struct ScalarRow {
  std::string_view key;
  double StepRecord::*member;
};
constexpr std::array scalars{ScalarRow{"kkt", &StepRecord::kkt}, ScalarRow{"q", &StepRecord::q},
                             ScalarRow{"lower_loss", &StepRecord::lower_loss}, ScalarRow{"nu", &StepRecord::nu},
                             ScalarRow{"qp_residual", &StepRecord::qp_residual}};

struct ListRow {
  std::string_view key;
  std::vector<double> StepRecord::*member;
};
constexpr std::array lists{ListRow{"losses", &StepRecord::losses}, ListRow{"weights", &StepRecord::weights},
                           ListRow{"solved_weights", &StepRecord::solved_weights},
                           ListRow{"gradient_norms", &StepRecord::gradient_norms},
                           ListRow{"conflict_cosines", &StepRecord::conflict_cosines}};

/// Unlike in a record's line, null is no number here: it stands for a value that the run does not have.
std::optional<double> number_in(const Json& value) {
  return value.is_null() ? std::nullopt : json_number(value);
}

std::optional<double> final_quantity(const Json& state, const std::string& name) {
  if (!state.is_object()) return std::nullopt;
  if (const auto whole = state.find(name); whole != state.end()) return number_in(*whole);
  const auto parsed = parse_name(name);
  if (!parsed || !parsed->index) return std::nullopt;
  const auto list = state.find(std::string(parsed->key));
  if (list == state.end() || !list->is_array() || *parsed->index >= list->size()) return std::nullopt;
  return number_in((*list)[*parsed->index]);
}

}  // namespace

Json to_json(const ExperimentRecord& record) {
  Json json = Json::object();
  json["name"] = record.name;
  json["title"] = record.title;
  json["cost"] = record.cost;
  json["shows"] = record.shows;
  json["source"] = record.source;
  json["cases"] = list_json(record.cases);
  json["panels"] = list_json(record.panels);
  json["expectations"] = list_json(record.expectations);
  return json;
}

ExperimentRecord experiment_record(const Json& json) {
  static const std::string what = "experiment";
  const Fields fields(json, what);
  ExperimentRecord record;
  record.name = fields.text("name");
  record.title = fields.text("title");
  record.cost = fields.text_or("cost", "");
  record.shows = fields.text_or("shows", "");
  record.source = fields.text_or("source", "");
  for (const auto& one : fields.list("cases")) record.cases.push_back(read_case(one));
  for (const auto& panel : fields.list("panels")) record.panels.push_back(read_panel(panel));
  for (const auto& one : fields.list("expectations")) record.expectations.push_back(read_expectation(one));
  return record;
}

void write_experiment(const std::filesystem::path& folder, const ExperimentRecord& record) {
  refuse_run_folder(folder);
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  if (failure) throw io_error(folder, "cannot be created", failure.value());
  write_text_atomically(folder / file_name, dump_json(to_json(record), 2) + "\n");
}

void refuse_run_folder(const std::filesystem::path& folder) {
  if (!is_run_folder(folder)) return;
  throw Error(ErrorKind::config, folder.string(), "holds a run already, and an experiment needs a folder of its own",
              "Choose another --out");
}

std::optional<ExperimentRecord> read_experiment(const std::filesystem::path& folder) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(folder / file_name, ignored)) return std::nullopt;
  std::optional<ExperimentRecord> record;
  read_document(folder / file_name, [&record](const Json& json) { record = experiment_record(json); });
  return record;
}

std::optional<double> quantity(const StepRecord& step, const std::string& name) {
  if (name == "distance") return step.distance;
  const auto parsed = parse_name(name);
  if (!parsed) return std::nullopt;
  for (const auto& row : scalars) {
    if (row.key == parsed->key && !parsed->index) return step.*row.member;
  }
  for (const auto& row : lists) {
    if (row.key == parsed->key && parsed->index && *parsed->index < (step.*row.member).size()) {
      return (step.*row.member)[*parsed->index];
    }
  }
  return std::nullopt;
}

std::optional<double> quantity(const RunRecord& run, const std::string& name, std::optional<std::int64_t> at) {
  if (!at || (run.summary && *at == run.summary->iterations)) {
    return run.summary ? final_quantity(run.summary->final_state, name) : std::nullopt;
  }
  const auto step =
      std::find_if(run.steps.begin(), run.steps.end(), [at](const StepRecord& one) { return one.k == *at; });
  return step == run.steps.end() ? std::nullopt : quantity(*step, name);
}

}  // namespace moblo
