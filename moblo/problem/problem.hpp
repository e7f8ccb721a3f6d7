#pragma once

#include <torch/types.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "moblo/base/export.hpp"
#include "moblo/base/json.hpp"
#include "moblo/problem/batch.hpp"
#include "moblo/problem/parameter_pack.hpp"
#include "moblo/problem/traits.hpp"

namespace moblo::problem {

/// min over (alpha, omega) of (F_1 .. F_m)(alpha, omega)  subject to  omega in argmin_w f(alpha, w).
///
/// A user writes two functions, the losses at the current parameters, and adds tensors or modules to `upper_` and
/// `lower_` in the constructor. Everything else has a default.
class MOBLO_API BilevelProblem {
 public:
  BilevelProblem() = default;
  virtual ~BilevelProblem() = default;
  /// A copy would share its tensors with the original, and train them too.
  BilevelProblem(const BilevelProblem&) = delete;
  BilevelProblem& operator=(const BilevelProblem&) = delete;

  /// F_1 .. F_m, scalars with gradients.
  virtual std::vector<torch::Tensor> upper_losses(const Batch& batch) = 0;
  /// What F_1 .. F_m are called in records, tables and options; empty: "F1", "F2", ...
  virtual std::vector<std::string> objective_names() const { return {}; }
  /// f, a scalar with gradients.
  virtual torch::Tensor lower_loss(const Batch& batch) = 0;

  virtual ParameterPack& upper() { return upper_; }  ///< alpha
  virtual ParameterPack& lower() { return lower_; }  ///< omega
  virtual BatchStream& upper_batches() { return no_upper_data_; }
  virtual BatchStream& lower_batches() { return no_lower_data_; }
  virtual ProblemTraits traits() const { return {}; }
  /// How many of omega's first coordinates the tasks share; each of the others belongs to one of them.
  virtual std::int64_t shared_columns() { return lower().dense_size(); }

  /// Euclidean distance of (alpha, omega) to the solution set, where it is known.
  virtual std::optional<double> distance_to_solution_set() { return std::nullopt; }
  /// Metrics of the current model, by name.
  virtual std::vector<std::pair<std::string, double>> evaluate() { return {}; }
  /// Which data it was made of (checksums of files and of the drawn samples), for the manifest. A resumed run must see
  /// the same, so nothing that may differ between two machines (a path) belongs here.
  virtual Json provenance() const { return Json::object(); }

 protected:
  ParameterPack upper_, lower_;

 private:
  NoData no_upper_data_, no_lower_data_;
};

}  // namespace moblo::problem

namespace moblo {

using problem::BilevelProblem;

}  // namespace moblo
