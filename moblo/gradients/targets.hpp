#pragma once

#include <torch/types.h>

#include <vector>

#include "moblo/problem/problem.hpp"

namespace moblo::gradients {

/// Leaves and the places where their gradients go, aligned.
struct Targets {
  std::vector<torch::Tensor> leaves, places;

  void add(ParameterPack& pack, const torch::Tensor& columns);
  /// `columns` as of the whole pack: the dense ones come first.
  void add_slices(ParameterPack& pack, const torch::Tensor& columns);
};

/// What can be differentiated by: the leaves, and those of open slices. Borrowed rows are among the former.
std::vector<torch::Tensor> leaves_of(ParameterPack& pack);

/// Dense coordinates, then those of the open slices.
std::int64_t upper_columns(ParameterPack& pack);
Targets upper_targets(BilevelProblem& problem, const torch::Tensor& columns);
/// Alpha's columns are those that a step's matrix was shaped for. Throws Error(problem) where upper losses read further
/// rows than the lower loss did.
void refuse_further_rows(ParameterPack& upper, std::int64_t columns);

/// Lets autograd accumulate into the places themselves: they are the leaves' gradients for the length of the call.
void differentiate_into(const torch::Tensor& loss, Targets& targets, bool keep_graph);

/// places -= gradient, times `scale`.
void subtract_gradient(const torch::Tensor& loss, const Targets& targets, double scale = 1, bool keep_graph = false);

double value_of(const torch::Tensor& scalar);

}  // namespace moblo::gradients
