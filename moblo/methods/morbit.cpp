#include "moblo/methods/morbit.hpp"

#include "moblo/methods/ascent_weights.hpp"
#include "moblo/methods/hypergradient_step.hpp"
#include "moblo/methods/registry.hpp"

namespace moblo::methods {
namespace {

class MorbitSteps : public HypergradientMethod {
 public:
  explicit MorbitSteps(const MorbitOptions& options)
      : HypergradientMethod(hypergradient_options(options)), ascent_(options.gamma, options.gamma_exponent) {}

  std::string name() const override { return "morbit"; }
  void start(BilevelProblem& problem, std::int64_t objectives) override {
    HypergradientMethod::start(problem, objectives);
    ascent_.start(objectives);
  }
  Measurement measure(const StepContext& context) override;
  Snapshot save() const override {
    Snapshot state = HypergradientMethod::save();
    ascent_.save(state);
    return state;
  }
  void restore(const Snapshot& state) override {
    HypergradientMethod::restore(state);
    ascent_.restore(state);
  }

 private:
  AscentWeights ascent_;
};

Measurement MorbitSteps::measure(const StepContext& context) {
  Measurement here;
  differentiate(context, here.record);
  const Eigen::VectorXd losses = Eigen::Map<const Eigen::VectorXd>(here.record.losses.data(), objectives());
  set_direction(here, matrix(), ascent_.step(losses, context.k, here.record));
  context.timer.lap("aggregation");
  return here;
}

}  // namespace

const OptionTable<MorbitOptions>& MorbitOptions::table() {
  static const auto table = [] {
    OptionTable<MorbitOptions> t;
    add_hypergradient_fields(t);
    add_ascent_fields(t);
    return t;
  }();
  return table;
}

Morbit::Morbit(const MorbitOptions& options) : BuiltIn(make_checked<MorbitSteps>(options, "morbit")) {}

MethodInfo morbit_info() {
  return make_method_info<Morbit, MorbitOptions>(
      "morbit", "minimises the largest objective: weights by projected ascent, hypergradients through the lower loop",
      "Gu, Lu, Ram, Weng: Min-Max Multi-objective Bilevel Optimization with Applications in Robust Machine Learning, "
      "ICLR 2023");
}

}  // namespace moblo::methods
