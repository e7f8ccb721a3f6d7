#pragma once

#include <pybind11/pybind11.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "moblo/problem/problem.hpp"

namespace moblo::python {

/// A problem whose losses are methods of a Python object. Every call takes the GIL, which runs release.
class PythonProblem : public BilevelProblem {
 public:
  std::vector<torch::Tensor> upper_losses(const Batch& batch) override;
  torch::Tensor lower_loss(const Batch& batch) override;
  std::vector<std::string> objective_names() const override;
  BatchStream& upper_batches() override { return upper_stream_ ? *upper_stream_ : BilevelProblem::upper_batches(); }
  BatchStream& lower_batches() override { return lower_stream_ ? *lower_stream_ : BilevelProblem::lower_batches(); }
  ProblemTraits traits() const override;
  std::int64_t shared_columns() override;
  std::optional<double> distance_to_solution_set() override;
  std::vector<std::pair<std::string, double>> evaluate() override;
  Json provenance() const override;

  /// The Python object keeps them alive.
  void set_upper_batches(BatchStream* stream) { upper_stream_ = stream; }
  void set_lower_batches(BatchStream* stream) { lower_stream_ = stream; }

 private:
  pybind11::handle self() const;
  /// A method that the class may have.
  pybind11::object optional_call(const char* name) const;

  mutable PyObject* self_ = nullptr;  // owns this object, so that it needs no reference
  BatchStream* upper_stream_ = nullptr;
  BatchStream* lower_stream_ = nullptr;
};

/// A stream whose batches are made by a Python object: at(number) -> anything.
class PythonBatches : public BatchStream {
 public:
  Batch at(std::int64_t number) override;
  std::int64_t epoch_length() const override;
  void release_before(std::int64_t number) override;
};

void bind_problem(pybind11::module_& module);

}  // namespace moblo::python
