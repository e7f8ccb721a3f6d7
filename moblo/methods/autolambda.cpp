#include "moblo/methods/autolambda.hpp"

#include "moblo/methods/diagnostics.hpp"
#include "moblo/methods/hypergradient_step.hpp"
#include "moblo/methods/registry.hpp"

namespace moblo::methods {
namespace {

class AutolambdaSteps : public HypergradientMethod {
 public:
  explicit AutolambdaSteps(const AutolambdaOptions& options) : HypergradientMethod(hypergradient_options(options)) {}

  std::string name() const override { return "autolambda"; }
  Measurement measure(const StepContext& context) override {
    Measurement here;
    differentiate(context, here.record);
    const Eigen::VectorXd weights = Eigen::VectorXd::Constant(objectives(), 1.0 / static_cast<double>(objectives()));
    here.record.weights = to_vector(weights);
    set_direction(here, matrix(), weights);
    context.timer.lap("aggregation");
    return here;
  }
};

}  // namespace

const OptionTable<AutolambdaOptions>& AutolambdaOptions::table() {
  static const auto table = [] {
    OptionTable<AutolambdaOptions> t;
    add_hypergradient_fields(t);
    return t;
  }();
  return table;
}

Autolambda::Autolambda(const AutolambdaOptions& options)
    : BuiltIn(make_checked<AutolambdaSteps>(options, "autolambda")) {}

MethodInfo autolambda_info() {
  return make_method_info<Autolambda, AutolambdaOptions>(
      "autolambda", "hypergradient of the mean upper loss through one lower step, the weights of the losses learned",
      "Liu, James, Davison, Johns: Auto-Lambda: Disentangling Dynamic Task Relationships, TMLR 2022");
}

}  // namespace moblo::methods
