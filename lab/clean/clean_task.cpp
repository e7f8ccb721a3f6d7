#include "lab/clean/clean_task.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lab/data/digest.hpp"
#include "lab/data/split.hpp"
#include "lab/problems/cleaning_data.hpp"
#include "moblo/base/error.hpp"
#include "moblo/base/json.hpp"
#include "moblo/base/rng.hpp"

namespace moblo::lab::clean {
namespace {

constexpr double target_length = 10;

using Rows = std::vector<std::int64_t>;

torch::Tensor raw_inputs(const data::NoisyDataset& data) {
  const auto rows = data.size(),
             width = static_cast<std::int64_t>(data.inputs.size()) / std::max<std::int64_t>(1, rows);
  return torch::from_blob(const_cast<float*>(data.inputs.data()), {rows, width}, torch::kFloat32);
}

std::vector<double> to_doubles(const torch::Tensor& tensor) {
  const auto dense = tensor.to(torch::kFloat64).contiguous();
  return {dense.data_ptr<double>(), dense.data_ptr<double>() + dense.numel()};
}

/// A column whose values differ by rounding only carries nothing.
InputScaling scaling_of(const torch::Tensor& raw, bool image) {
  const auto values = raw.to(torch::kFloat64);
  auto mean = torch::zeros({raw.size(1)}, torch::kFloat64), scale = torch::ones_like(mean);
  if (!image) {
    mean = values.mean(0);
    const auto deviation = (values - mean).square().mean(0).sqrt();
    const auto varies = deviation > 1e-6 * (mean.abs() + 1e-30);
    scale = torch::where(varies, 1 / deviation, torch::zeros_like(deviation));
  }
  const double length = ((values - mean) * scale).square().sum(1).mean().sqrt().item().toDouble();
  if (length > 0) scale = scale * (target_length / length);
  return {to_doubles(mean), to_doubles(scale)};
}

Labels chosen(const Labels& labels, const Rows& rows) {
  Labels out;
  for (const auto row : rows) out.push_back(labels[static_cast<std::size_t>(row)]);
  return out;
}

LabelledInputs part_of(const torch::Tensor& inputs, const data::NoisyDataset& data, const Rows& rows) {
  LabelledInputs part{inputs.index_select(0, torch::tensor(rows, torch::kInt64)), chosen(data.labels, rows)};
  const auto classes = data.classes.size();
  if (data.probabilities.empty()) return part;
  part.brought.classes = classes;
  for (const auto row : rows) {
    const auto first = data.probabilities.begin() + row * static_cast<std::ptrdiff_t>(classes);
    part.brought.values.insert(part.brought.values.end(), first, first + static_cast<std::ptrdiff_t>(classes));
  }
  return part;
}

std::string digest_of_values(const torch::Tensor& inputs) {
  const auto dense = inputs.contiguous();
  return data::sha256(std::span(static_cast<const std::uint8_t*>(dense.data_ptr()), dense.nbytes()));
}

LabelledInputs joined_parts(LabelledInputs first, const LabelledInputs& second) {
  first.inputs = torch::cat({first.inputs, second.inputs});
  first.labels.insert(first.labels.end(), second.labels.begin(), second.labels.end());
  first.given.assign(first.labels.size(), -1);
  first.picked.assign(first.labels.size(), false);
  return first;
}

/// Of the paper's data, in the form a user's come in: its trusted and its held-out samples are all trusted here.
CleanTask from_paper(const problems::CleaningTask& from) {
  CleanTask task;
  task.name = from.name;
  for (int c = 0; c < from.classes; ++c) task.classes.push_back(std::to_string(c));
  const auto side = static_cast<std::int64_t>(std::lround(std::sqrt(static_cast<double>(from.train.inputs.size(1)))));
  task.shape = {side, side};
  task.image = true;
  const auto numbers = [](const TensorDataset& data) { return problems::numbers_of(data.inputs, torch::kFloat32); };
  task.scaling = scaling_of(torch::cat({numbers(from.train), numbers(from.upper), numbers(from.select)}), true);
  const auto part = [&](const TensorDataset& data) {
    const auto labels = data.targets.contiguous();
    const auto* first = labels.data_ptr<std::int64_t>();
    return LabelledInputs{scaled_inputs(numbers(data), task.scaling), Labels(first, first + labels.numel())};
  };
  task.noisy = part(from.train);
  task.trusted = joined_parts(part(from.upper), part(from.select));
  task.test = part(from.test);
  task.wrong = from.wrong;
  for (std::int64_t j = 0; j < task.noisy.size(); ++j) task.ids.push_back(std::to_string(j));
  return task;
}

}  // namespace

torch::Tensor scaled_inputs(const torch::Tensor& raw, const InputScaling& scaling) {
  const auto mean = torch::tensor(scaling.mean, torch::kFloat64), scale = torch::tensor(scaling.scale, torch::kFloat64);
  return ((raw.to(torch::kFloat64) - mean) * scale).to(torch::kFloat32).contiguous();
}

CleanTask make_clean_task(const data::NoisyDataset& data) {
  Rows noisy, trusted;
  for (std::int64_t j = 0; j < data.size(); ++j)
    (data.trusted[static_cast<std::size_t>(j)] ? trusted : noisy).push_back(j);
  if (noisy.empty()) {
    throw Error(ErrorKind::data, fmt::format("dataset {}", data.name), "has no sample whose label may be wrong",
                "Give the samples to be cleaned, with trusted = 0");
  }
  const auto raw = raw_inputs(data);
  CleanTask task;
  task.name = data.name;
  task.classes = data.classes;
  task.shape = data.shape;
  task.image = data.image;
  task.encoding = data.encoding;
  task.columns = data.columns;
  task.scaling = scaling_of(raw, data.image);
  const auto inputs = scaled_inputs(raw, task.scaling);
  task.noisy = part_of(inputs, data, noisy);
  task.trusted = part_of(inputs, data, trusted);
  task.trusted.given = chosen(data.given, trusted);
  for (const auto row : trusted) {
    const auto at = static_cast<std::size_t>(row);
    task.trusted.picked.push_back(at < data.picked.size() && data.picked[at]);
  }
  task.features = data.features;
  for (const auto j : noisy) {
    task.ids.push_back(data.ids[static_cast<std::size_t>(j)]);
    if (!data.groups.empty()) task.groups.push_back(data.groups[static_cast<std::size_t>(j)]);
    if (!data.pictures.empty()) task.pictures.push_back(data.pictures[static_cast<std::size_t>(j)]);
  }
  return task;
}

void add_test_set(CleanTask& task, const data::NoisyDataset& test) {
  task.test = LabelledInputs{scaled_inputs(raw_inputs(test), task.scaling), test.labels};
}

void inject_wrong_labels(CleanTask& task, double share, std::uint64_t seed) {
  const auto moved = data::corrupt_labels(task.noisy.labels, static_cast<int>(task.classes.size()), share,
                                          data::LabelNoise::other_class, derive_seed(seed, "injected " + task.name));
  task.noisy.labels = moved.labels;
  task.wrong = moved.wrong;
}

std::string digest_of(const std::vector<CleanTask>& tasks) {
  std::string digests;
  for (const auto& task : tasks) {
    Json labels = Json::array();
    for (const auto* part : {&task.noisy, &task.trusted, task.test ? &*task.test : nullptr}) {
      labels.push_back(part ? Json{part->labels, part->given, part->picked, part->brought.values} : Json(nullptr));
      if (part) digests += digest_of_values(part->inputs);
    }
    const Json rest{
        {"name", task.name},   {"classes", task.classes},   {"shape", task.shape},
        {"image", task.image}, {"mean", task.scaling.mean}, {"scale", task.scaling.scale},
        {"ids", task.ids},     {"labels", labels},          {"wrong", task.wrong ? Json(*task.wrong) : Json(nullptr)}};
    digests += data::sha256(std::span<const std::uint8_t>(Json::to_cbor(rest)));
  }
  return data::sha256(digests);
}

std::vector<CleanTask> paper_clean_tasks(std::uint64_t seed, const std::string& data_directory) {
  problems::HyperCleaningOptions options;
  options.data = data_directory;
  std::vector<CleanTask> tasks;
  for (const auto& name : options.datasets)
    tasks.push_back(from_paper(problems::make_cleaning_task(name, options, seed)));
  return tasks;
}

}  // namespace moblo::lab::clean
