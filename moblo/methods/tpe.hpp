#pragma once

#include <cstdint>

#include "moblo/base/export.hpp"
#include "moblo/base/options.hpp"
#include "moblo/methods/method.hpp"

namespace moblo::methods {

/// Tree-structured Parzen estimators on the mean of the objectives: one step is a batch of trials.
struct MOBLO_API TpeOptions {
  std::int64_t inner_steps = 200;      ///< lower steps from omega_0 that train the model of a point
  double inner_step_size = 0.1;        ///< eta
  std::int64_t upper_evaluations = 1;  ///< upper batches over which F is averaged
  double range = 3;                    ///< each alpha_i is sought within range of its start
  std::int64_t seed = 0;               ///< of the search; a run gives it its own
  std::int64_t trials = 10;            ///< of a step
  std::int64_t startup = 20;           ///< first trials, drawn uniformly
  double good_share = 0.25;            ///< gamma: gamma sqrt(N) trials count as good, at most 25
  std::int64_t candidates = 24;        ///< drawn from the good ones' density, a coordinate

  static const OptionTable<TpeOptions>& table();
};

/// Points are tried where earlier good ones are dense and bad ones are not, coordinate by coordinate; good is a small
/// mean of F. The iterate is the best point.
class MOBLO_API Tpe : public BuiltIn {
 public:
  explicit Tpe(const TpeOptions& options = {});
};

}  // namespace moblo::methods

namespace moblo {

using methods::Tpe;
using methods::TpeOptions;

}  // namespace moblo
