#include "moblo/records/records.hpp"

#include <cmath>

#include <fmt/format.h>

#include "moblo/base/error.hpp"
#include "moblo/base/text.hpp"
#include "moblo/records/json_fields.hpp"

namespace moblo::records {
namespace {

Json named_numbers_json(const std::vector<std::pair<std::string, double>>& values) {
  Json object = Json::object();
  for (const auto& [name, value] : values) object[name] = number_json(value);
  return object;
}

std::int64_t iteration(const Fields& fields) {
  const auto k = fields.integer("k");
  if (k < 0) fields.refuse("k", fmt::format("is {}, an iteration is 0 or more", k));
  return k;
}

RunStatus status(const Fields& fields) {
  const auto word = fields.text("status");
  const auto status = base::run_status(word);
  if (!status) fields.refuse("status", fmt::format("is '{}', which is not a run status", word));
  return *status;
}

}  // namespace

Json to_json(const StepRecord& record) {
  Json json = Json::object();
  json["k"] = record.k;
  json["losses"] = numbers_json(record.losses);
  json["lower_loss"] = number_json(record.lower_loss);
  json["q"] = number_json(record.q);
  json["kkt"] = number_json(record.kkt);
  json["weights"] = numbers_json(record.weights);
  json["solved_weights"] = numbers_json(record.solved_weights);
  json["nu"] = number_json(record.nu);
  json["gradient_norms"] = numbers_json(record.gradient_norms);
  json["conflict_cosines"] = numbers_json(record.conflict_cosines);
  json["qp_status"] = record.qp_status;
  json["qp_residual"] = number_json(record.qp_residual);
  if (record.distance) json["distance"] = number_json(*record.distance);
  const auto& [lower, upper, second_order] = record.gradients;
  json["gradients"] = {{"lower", lower}, {"upper", upper}, {"second_order", second_order}};
  return json;
}

StepRecord step_record(const Json& json) {
  static const std::string what = "step record";
  const Fields fields(json, what);
  StepRecord record;
  record.k = iteration(fields);
  record.losses = fields.numbers("losses");
  record.lower_loss = fields.number("lower_loss");
  record.q = fields.number("q");
  record.kkt = fields.number("kkt");
  record.weights = fields.numbers("weights");
  record.solved_weights = fields.numbers("solved_weights");
  record.nu = fields.number("nu");
  record.gradient_norms = fields.numbers("gradient_norms");
  record.conflict_cosines = fields.numbers("conflict_cosines");
  record.qp_status = fields.text("qp_status");
  record.qp_residual = fields.number("qp_residual");
  record.distance = fields.number_if_any("distance");
  if (fields.has("gradients")) {
    static const std::string counted = "step record's 'gradients'";
    const Fields counts(fields.at("gradients"), counted);
    record.gradients = {counts.integer("lower"), counts.integer("upper"), counts.integer("second_order")};
  }
  return record;
}

Json to_json(const StepTiming& timing) {
  Json json = Json::object();
  json["k"] = timing.k;
  json["seconds"] = named_numbers_json(timing.seconds);
  json["peak_bytes"] = timing.peak_bytes;
  return json;
}

StepTiming step_timing(const Json& json) {
  static const std::string what = "step timing";
  const Fields fields(json, what);
  return {iteration(fields), fields.named_numbers("seconds"), fields.integer("peak_bytes")};
}

Json to_json(const Evaluation& evaluation) {
  Json json = Json::object();
  json["k"] = evaluation.k;
  json["metrics"] = named_numbers_json(evaluation.metrics);
  return json;
}

Evaluation evaluation(const Json& json) {
  static const std::string what = "evaluation";
  const Fields fields(json, what);
  return {iteration(fields), fields.named_numbers("metrics")};
}

Json to_json(const Manifest& manifest) {
  Json json = Json::object();
  json["created"] = manifest.created;
  json["title"] = manifest.title;
  json["config"] = encode_non_finite(manifest.config);
  json["runtime"] = encode_non_finite(manifest.runtime);
  json["problem"] = encode_non_finite(manifest.problem);
  json["datasets"] = encode_non_finite(manifest.datasets);
  json["amendments"] = manifest.amendments;
  if (!manifest.warm_start.is_null()) json["warm_start"] = encode_non_finite(manifest.warm_start);
  return json;
}

Manifest manifest(const Json& json) {
  static const std::string what = "manifest";
  const Fields fields(json, what);
  Manifest manifest;
  manifest.created = fields.text("created");
  manifest.title = fields.text("title");
  manifest.config = fields.at("config");
  manifest.runtime = fields.at("runtime");
  manifest.problem = fields.at("problem");
  manifest.datasets = fields.at("datasets");
  manifest.amendments = fields.texts("amendments");
  if (fields.has("warm_start")) manifest.warm_start = fields.at("warm_start");
  return manifest;
}

namespace {

Json model_json(const RefitModel& model) {
  return {{"losses", numbers_json(model.losses)},
          {"lower_loss", number_json(model.lower_loss)},
          {"metrics", named_numbers_json(model.metrics)}};
}

RefitModel refit_model(const Json& json) {
  static const std::string what = "model of a refit";
  const Fields fields(json, what);
  return {fields.numbers("losses"), fields.number("lower_loss"), fields.named_numbers("metrics")};
}

}  // namespace

Json to_json(const Refit& refit) {
  return {{"from", refit.from},
          {"steps", refit.steps},
          {"steps_of_model", refit.steps_of_model},
          {"joint", model_json(refit.joint)},
          {"alone", model_json(refit.alone)}};
}

Refit refit(const Json& json) {
  static const std::string what = "refit";
  const Fields fields(json, what);
  return {fields.text("from"), fields.integer("steps"), fields.integer("steps_of_model"),
          refit_model(fields.at("joint")), refit_model(fields.at("alone"))};
}

Json to_json(const Summary& summary) {
  Json json = Json::object();
  json["status"] = std::string(base::name(summary.status));
  json["message"] = summary.message;
  json["iterations"] = summary.iterations;
  json["seconds"] = number_json(summary.seconds);
  if (!summary.warnings.empty()) json["warnings"] = summary.warnings;
  json["final"] = encode_non_finite(summary.final_state);
  if (summary.refit) json["refit"] = to_json(*summary.refit);
  return json;
}

namespace {

/// The typed fields, where the document has them.
void take_final_state(Summary& summary) {
  const auto& state = summary.final_state;
  if (!state.is_object()) return;
  const auto number = [&](const char* key, double& to) {
    if (state.contains(key)) to = json_number(state[key]).value_or(to);
  };
  const auto list = [&](const char* key, std::vector<double>& to) {
    if (!state.contains(key) || !state[key].is_array()) return;
    for (const auto& entry : state[key]) to.push_back(json_number(entry).value_or(std::nan("")));
  };
  list("losses", summary.losses);
  number("lower_loss", summary.lower_loss);
  number("q", summary.q);
  number("kkt", summary.kkt);
  list("weights", summary.weights);
  number("nu", summary.nu);
  list("alpha", summary.alpha);
  list("omega", summary.omega);
}

}  // namespace

Summary summary(const Json& json) {
  static const std::string what = "summary";
  const Fields fields(json, what);
  Summary summary;
  summary.status = status(fields);
  summary.message = fields.text("message");
  summary.iterations = fields.integer("iterations");
  summary.seconds = fields.number("seconds");
  summary.final_state = fields.at("final");
  if (fields.has("warnings")) summary.warnings = fields.texts("warnings");
  if (fields.has("refit")) summary.refit = refit(fields.at("refit"));
  take_final_state(summary);
  return summary;
}

}  // namespace moblo::records
