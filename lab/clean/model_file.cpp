#include "lab/clean/model_file.hpp"

#include <fmt/format.h>

#include "lab/clean/clean_files.hpp"
#include "moblo/records/tensor_file.hpp"

namespace moblo::lab::clean {
namespace {

std::string member_name(const CleanTask& task, std::size_t member) {
  return fmt::format("{}.member_{}", task.name, member + 1);
}

Json member_json(const CleanTask& task, const ModelMember& member, std::size_t number) {
  Json names = Json::array();
  for (const auto& tensor : member.tensors) {
    names.push_back(fmt::format("{}.{}", member_name(task, number), tensor.name));
  }
  return {{"judge", member.judge->name}, {"share", member.share}, {"tensors", names}};
}

Json usage(const CleanTask& task, const CleanModel& model) {
  Json members = Json::array();
  for (std::size_t m = 0; m < model.size(); ++m) members.push_back(member_json(task, model[m], m));
  Json use{{"dataset", task.name},
           {"classes", task.classes},
           {"input_shape", task.shape},
           {"image", task.image},
           {"encoding", task.encoding},
           {"input", !task.features.empty()    ? "features of images, see `features`"
                     : task.image              ? "pixels in [0, 1], row by row"
                     : task.encoding.is_null() ? "columns in the order of the data"
                                               : "columns by name, encoded as `encoding` says"},
           {"mean", task.scaling.mean},
           {"scale", task.scaling.scale},
           {"members", members}};
  if (!task.features.empty()) use["features"] = Json::parse(task.features);
  return use;
}

}  // namespace

void write_model(const std::filesystem::path& folder, const std::vector<CleanTask>& tasks,
                 const std::vector<CleanModel>& models) {
  records::TensorFile file;
  Json datasets = Json::array();
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    for (std::size_t m = 0; m < models[i].size(); ++m) {
      for (auto tensor : models[i][m].tensors) {
        tensor.name = fmt::format("{}.{}", member_name(tasks[i], m), tensor.name);
        file.tensors.push_back(std::move(tensor));
      }
    }
    datasets.push_back(usage(tasks[i], models[i]));
  }
  records::write_tensor_file(folder / model_file, file);
  const Json document = {
      {"format", 2},
      {"how",
       "x = (input - mean) * scale. A member that is a network has tensors weight, bias, weight, bias, ..: for each "
       "layer but the last x = relu(weight x + bias); softmax(weight x + bias) of the last gives its probabilities in "
       "the order of classes. The model's are the mean of the members', weighted with their shares"},
      {"datasets", datasets}};
  records::write_text_atomically(folder / model_usage_file,
                                 document.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
}

}  // namespace moblo::lab::clean
