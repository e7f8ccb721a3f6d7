#include "moblo/methods/weighting_steps.hpp"

namespace moblo::methods {
namespace {

constexpr std::string_view prefix = "weighting.";

template <class Scalar>
aggregation::GradientRows<Scalar> first_columns(const gradients::GradientMatrix& matrix, std::int64_t columns) {
  return {matrix.row(0).data_ptr<Scalar>(), matrix.rows(), columns, matrix.columns()};
}

}  // namespace

void rewrite_rows(Weighting& weighting, TaskStep& seen, gradients::GradientMatrix& matrix, std::int64_t columns) {
  if (!weighting.needs().entries) return;
  if (matrix.row(0).scalar_type() == torch::kFloat64) {
    weighting.rewrite(seen, first_columns<double>(matrix, columns));
  } else {
    weighting.rewrite(seen, first_columns<float>(matrix, columns));
  }
  seen.gramian = matrix.gramian(columns);
}

void save_weighting(const Weighting& weighting, Snapshot& to) {
  const aggregation::WeightingState state = weighting.save();
  to.values["weighting"] = state.values;
  for (const auto& [name, values] : state.arrays) {
    to.tensors[std::string(prefix) + name] = torch::tensor(values, torch::kFloat64);
  }
}

void restore_weighting(const Snapshot& from, Weighting& weighting) {
  aggregation::WeightingState state;
  state.values = from.values.at("weighting");
  for (const auto& [name, tensor] : from.tensors) {
    if (!name.starts_with(prefix)) continue;
    const auto* data = tensor.data_ptr<double>();
    state.arrays.emplace_back(name.substr(prefix.size()), std::vector<double>(data, data + tensor.numel()));
  }
  weighting.restore(state);
}

}  // namespace moblo::methods
