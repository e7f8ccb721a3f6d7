#include "moblo/aggregation/gramian_scale.hpp"
#include "moblo/aggregation/saved_vector.hpp"
#include "moblo/aggregation/simplex_maps.hpp"
#include "moblo/aggregation/weighting_catalogue.hpp"
#include "moblo/aggregation/weightings/checks.hpp"
#include "moblo/qp/min_norm.hpp"

namespace moblo::aggregation {
namespace {

enum class Sampling { three, one };

constexpr auto enum_names(Sampling) {
  return std::array{std::pair{"three", Sampling::three}, std::pair{"one", Sampling::one}};
}

/// SDMGrad: w minimises 1/2 |g_w + lambda g_0|^2 over the simplex, g_0 the mean gradient; d = (g_w + lambda g_0) /
/// (1 + lambda). With three batches the first gives d, the product of the other two an unbiased Gramian, and w follows
/// it by projected steps with momentum. With one batch the problem is the min-norm one of g_i + lambda g_0: solved.
class SdmGrad : public Weighting {
 public:
  struct Options {
    double lambda = 0.3;
    Sampling batches = Sampling::three;
    int iterations = 20;
    double step_size = 5;
    double momentum = 0.5;

    static const OptionTable<Options>& table() {
      static const auto table = [] {
        OptionTable<Options> t;
        t.add("lambda", &Options::lambda, "pull towards the mean gradient", at_least(0));
        t.add("batches", &Options::batches, "three: as published; one: the exact problem of a single batch");
        t.add("iterations", &Options::iterations, "projected steps of w, with three batches", at_least(1));
        t.add("step_size", &Options::step_size, "of those steps, for a Gramian scaled to unit gradients", above(0));
        t.add("momentum", &Options::momentum, "of those steps", at_least_below(0, 1));
        return t;
      }();
      return table;
    }
  };

  explicit SdmGrad(const Options& options) : options_(options) {}

  WeightingNeeds needs() const override { return {.scale_free = true, .samples = samples()}; }

  void start(Eigen::Index tasks) override {
    Weighting::start(tasks);
    weights_.setConstant(tasks, 1.0 / static_cast<double>(tasks));
    solver_.forget();
  }

  TaskWeights weigh(const TaskStep& step) override {
    const Eigen::MatrixXd gramian = scaled_gramian(name, step.gramian).values;
    const qp::Solution* exact = nullptr;
    if (options_.batches == Sampling::three) {
      follow(gramian.block(tasks_, 2 * tasks_, tasks_, tasks_));
    } else {
      exact = &solve(gramian);
      weights_ = exact->weights;
    }
    Eigen::VectorXd shared = Eigen::VectorXd::Zero(samples() * tasks_);
    shared.head(tasks_) = (weights_.array() + mean_share()) / (1 + options_.lambda);
    TaskWeights answer = gradient_weights(shared, tasks_);
    if (exact) {
      answer.status = qp::describe(exact->status);
      answer.residual = exact->kkt_residual;
    }
    return answer;
  }

  WeightingState save() const override {
    return {.values = {{"weights", saved_vector(weights_)}, {"free_set", solver_.warm_start().free_set}}, .arrays = {}};
  }
  void restore(const WeightingState& state) override {
    weights_ = restored_vector(state.values.at("weights"), tasks_);
    solver_.restore({state.values.at("free_set").get<std::vector<int>>(), -1});
  }

 private:
  static constexpr const char* name = "SDMGrad";

  int samples() const { return options_.batches == Sampling::three ? 3 : 1; }
  double mean_share() const { return options_.lambda / static_cast<double>(tasks_); }

  /// `cross` is divided by the square of the mean length of the gradients, each length taken from its diagonal.
  void follow(const Eigen::MatrixXd& cross) {
    const double length = cross.diagonal().cwiseMax(0.0).cwiseSqrt().mean();
    if (length == 0) return;
    const Eigen::MatrixXd scaled = cross / (length * length);
    Eigen::VectorXd velocity = Eigen::VectorXd::Zero(tasks_), followed = weights_;
    for (int k = 0; k < options_.iterations; ++k) {
      velocity = options_.momentum * velocity + scaled * followed + options_.lambda * scaled.rowwise().mean();
      followed = project_onto_simplex(followed - options_.step_size * velocity);
    }
    if (!followed.allFinite()) refuse_overflow(name, "a step of the weights");
    weights_ = followed;
  }

  const qp::Solution& solve(const Eigen::MatrixXd& gramian) {
    const Eigen::MatrixXd shift =
        Eigen::MatrixXd::Identity(tasks_, tasks_) + Eigen::MatrixXd::Constant(tasks_, tasks_, mean_share());
    Eigen::MatrixXd shifted = shift * gramian * shift;
    shifted = (shifted + shifted.transpose().eval()) / 2;
    const qp::Solution& solution = solver_.solve(shifted);
    qp::refuse_uncertified(solution, std::string(name) + "'s QP");
    return solution;
  }

  Options options_;
  Eigen::VectorXd weights_;
  qp::MinNormSolver solver_;
};

}  // namespace

WeightingInfo sdmgrad_weighting() {
  return make_weighting_info<SdmGrad>("sdmgrad", "min-norm weights drawn towards the mean gradient, unbiased",
                                      "Xiao, Ban, Ji: Direction-oriented Multi-objective Learning, NeurIPS 2023");
}

}  // namespace moblo::aggregation
