#include "moblo/training/state.hpp"

#include <fmt/format.h>

#include "moblo/base/error.hpp"
#include "moblo/gradients/random_state.hpp"
#include "moblo/problem/stored_tensors.hpp"

namespace moblo::training {
namespace {

std::int64_t position_in(const Snapshot& from, const char* key) {
  const auto position = from.values.at(key).get<std::int64_t>();
  if (position >= 0) return position;
  throw Error(ErrorKind::checkpoint, fmt::format("'{}' in the checkpoint", key), "is below 0",
              "Take another checkpoint");
}

/// Every tensor of a pack with the name under which it is stored.
template <class Visit>
void visit(ParameterPack& pack, const std::string& level, Visit each) {
  auto pieces = pack.pieces(pack.values());
  for (std::size_t i = 0; i < pieces.size(); ++i) each(level + "/" + pack.names()[i], pieces[i]);
  for (auto& table : pack.tables()) each(level + "/" + table.name, table.values);
  for (std::size_t i = 0; i < pack.buffers().size(); ++i) {
    each(level + "/buffer/" + pack.buffer_names()[i], pack.buffers()[i]);
  }
}

}  // namespace

Snapshot model_of(BilevelProblem& problem) {
  Snapshot model;
  const auto take = [&](const std::string& name, const torch::Tensor& tensor) {
    model.tensors[name] = tensor.detach().clone();
  };
  visit(problem.upper(), "alpha", take);
  visit(problem.lower(), "omega", take);
  return model;
}

void save_iterate(BilevelProblem& problem, Snapshot& to) {
  to.tensors.merge(model_of(problem).tensors);
  to.values["upper_position"] = problem.upper_batches().position();
  to.values["lower_position"] = problem.lower_batches().position();
  to.tensors["torch_random_state"] = gradients::torch_random_state();
}

void load_model(BilevelProblem& problem, const Snapshot& model) {
  torch::NoGradGuard no_grad;
  const auto put = [&](const std::string& name, const torch::Tensor& tensor) {
    torch::Tensor(tensor).copy_(problem::tensor_like(model, name, tensor));
  };
  visit(problem.upper(), "alpha", put);
  visit(problem.lower(), "omega", put);
}

void restore_iterate(BilevelProblem& problem, const Snapshot& from) {
  load_model(problem, from);
  problem.upper_batches().seek(position_in(from, "upper_position"));
  problem.lower_batches().seek(position_in(from, "lower_position"));
  gradients::set_torch_random_state(from.tensors.at("torch_random_state"));
}

records::TensorFile to_file(const Snapshot& snapshot) {
  records::TensorFile file;
  file.state = snapshot.values;
  for (const auto& [name, tensor] : snapshot.tensors) file.tensors.push_back(problem::to_stored(name, tensor));
  return file;
}

Snapshot to_snapshot(const records::TensorFile& file) {
  Snapshot snapshot;
  snapshot.values = file.state;
  for (const auto& stored : file.tensors) snapshot.tensors[stored.name] = problem::from_stored(stored);
  return snapshot;
}

records::TensorFile model_file(BilevelProblem& problem) {
  records::TensorFile file;
  const auto add = [&](const std::string& name, const torch::Tensor& tensor) {
    file.tensors.push_back(problem::to_stored(name, tensor));
  };
  visit(problem.upper(), "alpha", add);
  visit(problem.lower(), "omega", add);
  return file;
}

}  // namespace moblo::training
