#include "lab/report/experiment_record.hpp"

#include "moblo/base/error.hpp"
#include "moblo/records/atomic_file.hpp"
#include "moblo/records/existing_run.hpp"
#include "moblo/records/json_fields.hpp"
#include "moblo/records/line_file.hpp"
#include "moblo/records/tensor_file.hpp"

namespace moblo::lab::report {
namespace {

constexpr const char* file_name = "experiment.json";

Json to_json(const ExperimentRecord::Case& one) {
  Json json{{"name", one.name}, {"folder", one.folder}};
  if (!one.group.empty()) json["group"] = one.group;
  if (!one.series.empty()) json["series"] = one.series;
  if (!one.x.empty()) json["x"] = one.x;
  if (!one.config.is_null()) json["config"] = records::encode_non_finite(one.config);
  return json;
}

Json to_json(const ExperimentRecord::Panel& panel) {
  Json json{{"title", panel.title}, {"quantity", panel.quantity}, {"log", panel.log}, {"cases", panel.cases}};
  if (panel.x.empty()) return json;
  json["x"] = panel.x;
  json["log_x"] = panel.log_x;
  json["x_title"] = panel.x_title;
  json["y_title"] = panel.y_title;
  json["scale"] = panel.scale;
  return json;
}

Json to_json(const ExperimentRecord::Expectation& expectation) {
  Json json = Json::object();
  json["quantity"] = expectation.quantity;
  if (expectation.at) json["at"] = *expectation.at;
  if (expectation.at_most) json["at_most"] = records::number_json(*expectation.at_most);
  if (expectation.at_least) json["at_least"] = records::number_json(*expectation.at_least);
  json["case"] = expectation.case_name;
  json["source"] = expectation.source;
  if (!expectation.above.empty()) json["above"] = expectation.above;
  if (!expectation.relative_to.empty()) json["relative_to"] = expectation.relative_to;
  return json;
}

Json to_json(const ExperimentRecord::Estimate& estimate) {
  Json json = Json::object();
  if (estimate.mean) json["mean"] = records::number_json(*estimate.mean);
  if (estimate.deviation) json["deviation"] = records::number_json(*estimate.deviation);
  return json;
}

Json to_json(const ExperimentRecord::Table& table) {
  Json json{{"title", table.title}, {"against", table.against}, {"columns", Json::array()}, {"rows", Json::array()}};
  for (const auto& column : table.columns) {
    json["columns"].push_back({{"title", column.title},
                               {"quantity", column.quantity},
                               {"scale", column.scale},
                               {"relative", column.relative},
                               {"task", column.task},
                               {"lower_is_better", column.lower_is_better}});
  }
  for (const auto& row : table.rows) {
    Json paper = Json::array();
    for (const auto& estimate : row.paper) paper.push_back(to_json(estimate));
    json["rows"].push_back({{"case", row.case_name}, {"relative_to", row.relative_to}, {"paper", paper}});
  }
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
  const records::Fields fields(json, what);
  ExperimentRecord::Case one{fields.text("name"), fields.text("folder"), fields.text_or("group", ""),
                             fields.text_or("series", "")};
  if (fields.has("x")) {
    for (const auto& [name, value] : fields.named_numbers("x")) one.x[name] = value;
  }
  if (fields.has("config")) one.config = records::decode_non_finite(fields.at("config"));
  return one;
}

ExperimentRecord::Panel read_panel(const Json& json) {
  static const std::string what = "panel";
  const records::Fields fields(json, what);
  ExperimentRecord::Panel panel{fields.text("title"), fields.text("quantity"), fields.flag_or("log", true),
                                fields.has("cases") ? fields.texts("cases") : std::vector<std::string>()};
  panel.x = fields.text_or("x", "");
  panel.log_x = fields.flag_or("log_x", false);
  panel.x_title = fields.text_or("x_title", "");
  panel.y_title = fields.text_or("y_title", "");
  panel.scale = fields.number_if_any("scale").value_or(1);
  return panel;
}

ExperimentRecord::Expectation read_expectation(const Json& json) {
  static const std::string what = "expectation";
  const records::Fields fields(json, what);
  return {fields.text("quantity"),
          fields.integer_if_any("at"),
          fields.number_if_any("at_most"),
          fields.number_if_any("at_least"),
          fields.text_or("case", ""),
          fields.text_or("source", ""),
          fields.has("above") ? fields.texts("above") : std::vector<std::string>(),
          fields.text_or("relative_to", "")};
}

ExperimentRecord::Estimate read_estimate(const Json& json) {
  static const std::string what = "paper";
  const records::Fields fields(json, what);
  return {fields.number_if_any("mean"), fields.number_if_any("deviation")};
}

ExperimentRecord::Table read_table(const Json& json) {
  static const std::string what = "table", column_name = "column", row_name = "row";
  const records::Fields fields(json, what);
  ExperimentRecord::Table table;
  table.title = fields.text("title");
  table.against = fields.text_or("against", "");
  for (const auto& one : fields.list("columns")) {
    const records::Fields column(one, column_name);
    table.columns.push_back({column.text("title"), column.text("quantity"), column.number_if_any("scale").value_or(1),
                             column.flag_or("relative", false), column.text_or("task", ""),
                             column.flag_or("lower_is_better", false)});
  }
  for (const auto& one : fields.list("rows")) {
    const records::Fields row(one, row_name);
    ExperimentRecord::Table::Row read{row.text("case"), row.text_or("relative_to", ""), {}};
    for (const auto& estimate : row.list("paper")) read.paper.push_back(read_estimate(estimate));
    table.rows.push_back(std::move(read));
  }
  return table;
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
  if (!record.tables.empty()) json["tables"] = list_json(record.tables);
  return json;
}

ExperimentRecord experiment_record(const Json& json) {
  static const std::string what = "experiment";
  const records::Fields fields(json, what);
  ExperimentRecord record;
  record.name = fields.text("name");
  record.title = fields.text("title");
  record.cost = fields.text_or("cost", "");
  record.shows = fields.text_or("shows", "");
  record.source = fields.text_or("source", "");
  for (const auto& one : fields.list("cases")) record.cases.push_back(read_case(one));
  for (const auto& panel : fields.list("panels")) record.panels.push_back(read_panel(panel));
  for (const auto& one : fields.list("expectations")) record.expectations.push_back(read_expectation(one));
  if (fields.has("tables")) {
    for (const auto& one : fields.list("tables")) record.tables.push_back(read_table(one));
  }
  return record;
}

void write_experiment(const std::filesystem::path& folder, const ExperimentRecord& record) {
  refuse_run_folder(folder);
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  if (failure) throw records::io_error(folder, "cannot be created", failure.value());
  records::write_document(folder / file_name, to_json(record));
}

void refuse_run_folder(const std::filesystem::path& folder, records::SetOfRuns own) {
  records::refuse_cleaned_data(folder);
  records::refuse_other_set(folder, own);
  if (!records::is_run_folder(folder)) return;
  throw Error(ErrorKind::config, folder.string(), "holds a run already, and an experiment needs a folder of its own",
              "Choose another --out");
}

std::optional<ExperimentRecord> read_experiment(const std::filesystem::path& folder) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(folder / file_name, ignored)) return std::nullopt;
  std::optional<ExperimentRecord> record;
  records::read_document(folder / file_name, [&record](const Json& json) { record = experiment_record(json); });
  return record;
}

}  // namespace moblo::lab::report
