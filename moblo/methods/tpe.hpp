#pragma once

#include "moblo/methods/search.hpp"
#include "moblo/methods/tpe_options.hpp"

namespace moblo {

/// Points are tried where earlier good ones are dense and bad ones are not, coordinate by coordinate; good is a small
/// mean of F. The iterate is the best point.
class Tpe : public Method {
 public:
  explicit Tpe(const TpeOptions& options = {}) : options_(options), search_(options) {}

  void start(BilevelProblem& problem, std::int64_t objectives) override;
  StepRecord step(const StepContext& context) override;
  Snapshot save() const override;
  void restore(const Snapshot& state) override;

 private:
  std::vector<double> next_point() const;

  TpeOptions options_;
  Search search_;
  std::vector<std::vector<double>> tried_;  // in the order of the trials
  std::vector<double> losses_;              // mean F of each
};

std::unique_ptr<Method> make_tpe(const Json& options);

}  // namespace moblo
