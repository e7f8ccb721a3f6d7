#include "moblo/gradients/targets.hpp"

#include "moblo/base/error.hpp"

namespace moblo::gradients {

void Targets::add(ParameterPack& pack, const torch::Tensor& columns) {
  auto views = pack.pieces(columns);
  leaves.insert(leaves.end(), pack.leaves().begin(), pack.leaves().end());
  places.insert(places.end(), views.begin(), views.end());
}

void Targets::add_slices(ParameterPack& pack, const torch::Tensor& columns) {
  std::int64_t at = pack.dense_size();
  for (const auto& slice : pack.slices()) {
    leaves.push_back(slice.leaf);
    places.push_back(columns.narrow(0, at, slice.leaf.numel()).view(slice.leaf.sizes()));
    at += slice.leaf.numel();
  }
}

std::vector<torch::Tensor> leaves_of(ParameterPack& pack) {
  auto leaves = pack.leaves();
  if (pack.rows_borrowed()) return leaves;
  for (const auto& slice : pack.slices()) leaves.push_back(slice.leaf);
  return leaves;
}

std::int64_t upper_columns(ParameterPack& pack) {
  std::int64_t columns = pack.dense_size();
  for (const auto& slice : pack.slices()) columns += slice.leaf.numel();
  return columns;
}

Targets upper_targets(BilevelProblem& problem, const torch::Tensor& columns) {
  Targets targets;
  targets.add(problem.upper(), columns);
  targets.add_slices(problem.upper(), columns);
  return targets;
}

void refuse_further_rows(ParameterPack& upper, std::int64_t columns) {
  if (upper_columns(upper) == columns) return;
  throw Error(ErrorKind::problem, "an upper loss", "reads per-sample parameters that the lower loss did not read",
              "Read the same rows in lower_loss, or add the tensor with add instead of add_rows");
}

void differentiate_into(const torch::Tensor& loss, Targets& targets, bool keep_graph) {
  if (!loss.requires_grad()) return;
  struct PlacesLent {  // taken back also where a pass throws
    explicit PlacesLent(Targets& to) : lent(to) {
      for (std::size_t i = 0; i < lent.leaves.size(); ++i) lent.leaves[i].mutable_grad() = lent.places[i];
    }
    ~PlacesLent() {
      for (auto& leaf : lent.leaves) leaf.mutable_grad() = torch::Tensor();
    }
    Targets& lent;
  };
  const PlacesLent lent(targets);
  torch::autograd::backward({loss}, {}, keep_graph, /*create_graph=*/false, targets.leaves);
}

void subtract_gradient(const torch::Tensor& loss, const Targets& targets, double scale, bool keep_graph) {
  if (!loss.requires_grad() || targets.leaves.empty()) return;
  const auto gradients = torch::autograd::grad({loss}, targets.leaves, {}, keep_graph, false, /*allow_unused=*/true);
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    if (gradients[i].defined()) targets.places[i].sub_(gradients[i], scale);
  }
}

double value_of(const torch::Tensor& scalar) {
  return scalar.item().toDouble();
}

}  // namespace moblo::gradients
