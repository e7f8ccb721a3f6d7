#include "moblo/aggregation/saved_vector.hpp"
#include "moblo/aggregation/simplex_maps.hpp"
#include "moblo/aggregation/weighting_catalogue.hpp"
#include "moblo/aggregation/weightings/checks.hpp"

namespace moblo::aggregation {
namespace {

/// MoDo: lambda <- projection(lambda - gamma (G_12 + rho I) lambda) onto the simplex, from 1/m. G_12 holds the products
/// of two independent batches, so that its mean is that of the true Gramian. A third batch gives the direction.
class MoDo : public Weighting {
 public:
  struct Options {
    double gamma = 0.001;
    double rho = 0.1;
    int samples = 3;

    static const OptionTable<Options>& table() {
      static const auto table = [] {
        OptionTable<Options> t;
        t.add("gamma", &Options::gamma, "step size of lambda", above(0));
        t.add("rho", &Options::rho, "regularisation of lambda", at_least(0));
        t.add("samples", &Options::samples, "batches per step; with 2 the direction is the mean of both", within(2, 3));
        return t;
      }();
      return table;
    }
  };

  explicit MoDo(const Options& options) : options_(options) {}

  WeightingNeeds needs() const override { return {.samples = options_.samples}; }

  void start(Eigen::Index tasks) override {
    Weighting::start(tasks);
    lambda_.setConstant(tasks, 1.0 / static_cast<double>(tasks));
  }

  TaskWeights weigh(const TaskStep& step) override {
    refuse_unless_gramian("MoDo", step.gramian);
    const Eigen::VectorXd slope = step.gramian.block(0, tasks_, tasks_, tasks_) * lambda_ + options_.rho * lambda_;
    const Eigen::VectorXd moved = lambda_ - options_.gamma * slope;
    if (!moved.allFinite()) refuse_overflow("MoDo", "a step of lambda");
    lambda_ = project_onto_simplex(moved);
    Eigen::VectorXd shared = Eigen::VectorXd::Zero(options_.samples * tasks_);
    shared.tail(tasks_) = lambda_;
    if (options_.samples == 2) shared = (lambda_ / 2).replicate(2, 1);
    return gradient_weights(shared, tasks_);
  }

  WeightingState save() const override { return {.values = {{"lambda", saved_vector(lambda_)}}, .arrays = {}}; }
  void restore(const WeightingState& state) override { lambda_ = restored_vector(state.values.at("lambda"), tasks_); }

 private:
  Options options_;
  Eigen::VectorXd lambda_;
};

}  // namespace

WeightingInfo modo_weighting() {
  return make_weighting_info<MoDo>("modo", "min-norm weights followed slowly, without the bias of a single batch",
                                   "Chen et al.: Three-Way Trade-Off in Multi-Objective Learning, NeurIPS 2023");
}

}  // namespace moblo::aggregation
