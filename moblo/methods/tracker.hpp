#pragma once

#include <torch/types.h>

#include <vector>

#include "moblo/gradients/gradient_matrix.hpp"
#include "moblo/problem/parameter_pack.hpp"
#include "moblo/problem/snapshot.hpp"

namespace moblo::methods {

/// y_i <- y_i - beta (y_i - h_i), one y per objective, over alpha. Of per-sample alpha only the rows that a step
/// touches are tracked on, so that its cost does not depend on the number of samples.
class GradientTracker {
 public:
  /// y = 0.
  void start(ParameterPack& upper, std::int64_t objectives);

  /// Turns the rows h_i of `matrix`, over the columns of the open slices, into the next y_i. Stores nothing.
  void track(gradients::GradientMatrix& matrix, ParameterPack& upper, double beta) const;
  /// Stores the rows that track() made.
  void store(const gradients::GradientMatrix& matrix, ParameterPack& upper);

  void save(Snapshot& to) const;
  void restore(const Snapshot& from);
  /// All but the per-sample part, of which the last store() kept what it wrote over; undo_store() puts that back where
  /// there was a store() since.
  void save_dense(Snapshot& to) const;
  void undo_store(const Snapshot& before);

 private:
  struct Overwritten {
    std::size_t objective, table;
    torch::Tensor rows, values;
  };

  std::vector<torch::Tensor> dense_;                // y_i over the dense columns; replaced, never written to
  std::vector<std::vector<torch::Tensor>> tables_;  // y_i over each table, of the table's shape; written to
  std::vector<Overwritten> overwritten_;
};

}  // namespace moblo::methods
