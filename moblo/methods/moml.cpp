#include "moblo/methods/moml.hpp"

#include "moblo/methods/diagnostics.hpp"
#include "moblo/methods/hypergradient_step.hpp"
#include "moblo/methods/registry.hpp"
#include "moblo/qp/min_norm.hpp"

namespace moblo::methods {
namespace {

class MomlSteps : public HypergradientMethod {
 public:
  explicit MomlSteps(const MomlOptions& options) : HypergradientMethod(hypergradient_options(options)) {}

  std::string name() const override { return "moml"; }
  void start(BilevelProblem& problem, std::int64_t objectives) override {
    HypergradientMethod::start(problem, objectives);
    solver_.forget();
  }
  Measurement measure(const StepContext& context) override;
  Snapshot save() const override;
  void restore(const Snapshot& state) override;

 private:
  qp::MinNormSolver solver_;
};

Measurement MomlSteps::measure(const StepContext& context) {
  Measurement here;
  const Eigen::MatrixXd gramian = differentiate(context, here.record);
  const qp::Solution& solution = solver_.solve(gramian);
  qp::refuse_uncertified(solution, "MOML's min-norm QP");
  here.record.weights = here.record.solved_weights = to_vector(solution.weights);
  here.record.qp_status = qp::describe(solution.status);
  here.record.qp_residual = solution.kkt_residual;
  set_direction(here, matrix(), solution.weights);
  context.timer.lap("aggregation");
  return here;
}

Snapshot MomlSteps::save() const {
  Snapshot state = HypergradientMethod::save();
  state.values["free_set"] = solver_.warm_start().free_set;
  return state;
}

void MomlSteps::restore(const Snapshot& state) {
  HypergradientMethod::restore(state);
  solver_.restore({state.values.at("free_set").get<std::vector<int>>(), -1});
}

}  // namespace

const OptionTable<MomlOptions>& MomlOptions::table() {
  static const auto table = [] {
    OptionTable<MomlOptions> t;
    add_hypergradient_fields(t);
    return t;
  }();
  return table;
}

Moml::Moml(const MomlOptions& options) : BuiltIn(make_checked<MomlSteps>(options, "moml")) {}

MethodInfo moml_info() {
  return make_method_info<Moml, MomlOptions>(
      "moml", "min-norm weights on hypergradients through the lower loop, for any number of lower steps",
      "Ye, Lin, Yue, Guo, Xiao, Zhang: Multi-Objective Meta Learning, NeurIPS 2021");
}

}  // namespace moblo::methods
