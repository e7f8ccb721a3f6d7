#include "lab/clean/saved_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "lab/clean/clean_files.hpp"
#include "lab/clean/judges.hpp"
#include "moblo/base/error.hpp"
#include "moblo/base/text.hpp"
#include "moblo/records/json_fields.hpp"
#include "moblo/records/line_file.hpp"
#include "moblo/records/tensor_file.hpp"

namespace moblo::lab::clean {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse_model(const fs::path& place, const std::string& rule, const std::string& next) {
  throw Error(ErrorKind::config, place.string(), rule, next);
}

fs::path usage_in(const fs::path& place) {
  std::error_code ignored;
  if (!fs::exists(place, ignored)) refuse_model(place, "does not exist", "Give the folder of a `moblo clean`");
  if (!fs::is_directory(place, ignored)) return place;
  if (fs::exists(place / model_usage_file, ignored)) return place / model_usage_file;
  if (fs::exists(place / "manifest.json", ignored)) {
    refuse_model(place, "is a training run, whose state is no model that can be applied to a file",
                 "Give the folder of a `moblo clean`");
  }
  refuse_model(place, fmt::format("holds no {}", model_usage_file), "Give the folder of a finished `moblo clean`");
}

const Json& chosen_dataset(const Json& document, const fs::path& file, const std::string& name) {
  if (document.value("format", 0) != 2 || !document.contains("datasets")) {
    refuse_model(file, "describes no model that this program can apply",
                 "Give the model.json of a `moblo clean` of this version, or run it again");
  }
  std::vector<std::string> names;
  for (const auto& one : document.at("datasets")) names.push_back(one.at("dataset").get<std::string>());
  const auto found = std::find(names.begin(), names.end(), name.empty() && names.size() == 1 ? names[0] : name);
  if (found == names.end()) {
    refuse_model(file,
                 name.empty() ? fmt::format("holds the models of {} datasets", names.size())
                              : fmt::format("holds no model of '{}'{}", name, base::suggestion(name, names)),
                 fmt::format("Name one: --dataset {}", base::join(names, " | ")));
  }
  return document.at("datasets")[static_cast<std::size_t>(found - names.begin())];
}

const Judge& judge_called(const std::string& name, const fs::path& file) {
  for (const auto& judge : all_judges()) {
    if (judge.name == name) return judge;
  }
  refuse_model(file, fmt::format("has a member '{}', which this program does not know", name),
               "Use the program that wrote it");
}

/// The tensors that a judge's learn() returned, by the names they have in the file.
JobResult tensors_of(const records::Fields& member, const records::TensorFile& file, const std::string& prefix) {
  JobResult result;
  for (const auto& name : member.texts("tensors")) {
    const auto found =
        std::find_if(file.tensors.begin(), file.tensors.end(), [&](const auto& tensor) { return tensor.name == name; });
    if (found == file.tensors.end() || !name.starts_with(prefix)) {
      member.refuse("tensors", fmt::format("names '{}', which {} does not hold", name, model_file));
    }
    result.push_back(*found);
    result.back().name = name.substr(prefix.size());
  }
  return result;
}

void read_members(const records::Fields& fields, const records::TensorFile& tensors, const fs::path& file,
                  const std::string& what, SavedModel& model) {
  std::size_t number = 0;
  for (const auto& one : fields.list("members")) {
    const records::Fields member(one, what);
    ModelMember read;
    read.judge = &judge_called(member.text("judge"), file);
    read.share = member.number("share");
    read.tensors = tensors_of(member, tensors, fmt::format("{}.member_{}.", model.like.name, ++number));
    model.members.push_back(std::move(read));
  }
  if (model.members.empty()) refuse_model(file, "holds no model: all evidence was brought to that `clean`", "");
}

}  // namespace

SavedModel read_model(const fs::path& place, const std::string& dataset) {
  const fs::path file = usage_in(place);
  const std::string what = file.string();
  SavedModel model;
  records::read_document(file, [&](const Json& document) {
    const records::Fields fields(chosen_dataset(document, file, dataset), what);
    model.like.name = fields.text("dataset");
    model.like.classes = fields.texts("classes");
    for (const auto& size : fields.list("input_shape")) model.like.shape.push_back(size.get<std::int64_t>());
    model.like.image = fields.flag_or("image", false);
    if (fields.has("encoding")) model.like.encoding = fields.at("encoding");
    if (fields.has("features")) model.like.features = fields.at("features").dump();
    model.scaling = {fields.numbers("mean"), fields.numbers("scale")};
    const auto width = static_cast<std::size_t>(model.like.width());
    if (model.scaling.mean.size() != width || model.scaling.scale.size() != width) {
      fields.refuse("mean", "has not one entry for each input");
    }
    const auto tensors = records::read_tensor_file(file.parent_path() / model_file, /*require_checksum=*/true);
    read_members(fields, tensors, file, what, model);
  });
  return model;
}

ClassChances predicted_chances(const SavedModel& model, const std::vector<float>& inputs) {
  const auto width = model.like.width();
  const auto rows = static_cast<std::int64_t>(inputs.size()) / width;
  const auto raw = torch::from_blob(const_cast<float*>(inputs.data()), {rows, width}, torch::kFloat32);
  return chances_of(model.members, scaled_inputs(raw, model.scaling));
}

}  // namespace moblo::lab::clean
