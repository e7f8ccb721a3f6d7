#include "lab/clean/model_file.hpp"

#include <fmt/format.h>

#include "lab/clean/clean_files.hpp"
#include "lab/nets/weights.hpp"
#include "moblo/records/tensor_file.hpp"

namespace moblo::lab::clean {
namespace {

Json usage(const CleanTask& task, std::size_t layers) {
  Json names = Json::array();
  for (std::size_t l = 1; l <= layers; ++l) names.push_back(fmt::format("{}.layer_{}", task.name, l));
  return {{"dataset", task.name},
          {"classes", task.classes},
          {"input_shape", task.shape},
          {"features", task.features.empty() ? Json(nullptr) : Json::parse(task.features)},
          {"input", !task.features.empty() ? "features of images, see `features`"
                    : task.image           ? "pixels in [0, 1], row by row"
                                           : "columns in the order of the data"},
          {"mean", task.scaling.mean},
          {"scale", task.scaling.scale},
          {"layers", names}};
}

}  // namespace

void write_model(const std::filesystem::path& folder, const std::vector<CleanTask>& tasks,
                 const std::vector<nets::DenseClassifier>& networks) {
  records::TensorFile file;
  Json datasets = Json::array();
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const auto& parameters = networks[i].parameters();
    for (std::size_t l = 0; 2 * l < parameters.size(); ++l) {
      const auto layer = fmt::format("{}.layer_{}", tasks[i].name, l + 1);
      file.tensors.push_back(problem::to_stored(layer + ".weight", parameters[2 * l]));
      file.tensors.push_back(problem::to_stored(layer + ".bias", parameters[2 * l + 1]));
    }
    datasets.push_back(usage(tasks[i], parameters.size() / 2));
  }
  records::write_tensor_file(folder / model_file, file);
  const Json document = {
      {"format", 1},
      {"how",
       "x = (input - mean) * scale; for each layer but the last x = relu(weight x + bias); class scores = weight x "
       "+ bias of the last; softmax gives probabilities in the order of classes"},
      {"datasets", datasets}};
  records::write_text_atomically(folder / model_usage_file,
                                 document.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
}

}  // namespace moblo::lab::clean
