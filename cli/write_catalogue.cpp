#include "cli/verbs.hpp"
#include "lab/problems/registry.hpp"
#include "moblo/aggregation/weighting_catalogue.hpp"
#include "moblo/fronts/front_options.hpp"
#include "moblo/methods/registry.hpp"
#include "moblo/records/tensor_file.hpp"
#include "moblo/training/training_options.hpp"

namespace moblo::cli {
namespace {

Json fields_json(const std::vector<FieldInfo>& fields) {
  Json list = Json::array();
  for (const auto& field : fields) {
    list.push_back({{"key", field.key},
                    {"type", field.type},
                    {"range", field.range},
                    {"help", field.help},
                    {"default", field.default_value}});
  }
  return list;
}

/// With its default options.
std::string derivatives_of(const MethodTraits& traits) {
  if (traits.gradient_free) return "none of alpha";
  return !traits.first_order ? "second order" : traits.single_level ? "first order, one level" : "first order";
}

Json method_json(const MethodInfo& info) {
  const auto traits = info.traits(info.resolve(Json::object(), {}));
  Json suits = Json::object();
  for (const auto& problem : lab::problems::problem_catalogue())
    suits[problem.name] = !problem::unsuitable(traits, problem.traits);
  return {{"name", info.name},
          {"summary", info.summary},
          {"reference", info.reference},
          {"derivatives", derivatives_of(traits)},
          {"suits", suits},
          {"fields", fields_json(info.fields)}};
}

}  // namespace

int write_catalogue(const std::string& file) {
  Json methods = Json::array(), problems = Json::array(), weightings = Json::array();
  for (const auto& info : method_catalogue()) methods.push_back(method_json(info));
  for (const auto& info : lab::problems::problem_catalogue()) {
    problems.push_back({{"name", info.name},
                        {"summary", info.summary},
                        {"solution_known", info.traits.known_solution_set},
                        {"fields", fields_json(info.fields)}});
  }
  for (const auto& info : weighting_catalogue()) {
    weightings.push_back({{"name", info.name},
                          {"summary", info.summary},
                          {"reference", info.reference},
                          {"fields", fields_json(info.fields)}});
  }
  const Json catalogue{{"methods", methods},
                       {"problems", problems},
                       {"weightings", weightings},
                       {"training", fields_json(TrainingOptions::table().fields())},
                       {"front", fields_json(FrontOptions::table().fields())}};
  records::write_text_atomically(file, catalogue.dump(1));
  return 0;
}

}  // namespace moblo::cli
