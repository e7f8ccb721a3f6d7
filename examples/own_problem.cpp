// A bi-level problem of your own: two losses, a few tensors, three lines to solve it.
//
// Ridge regression whose regularisation strength is learned: the lower level fits w on training data,
//   f(a, w) = |X w - y|^2 / N + exp(a) |w|^2,
// the upper level asks for small errors on two validation sets at once. Copy this file and change the losses.
#include <fmt/format.h>
#include <moblo/moblo.hpp>

class LearnedRidge : public moblo::BilevelProblem {
 public:
  LearnedRidge() {
    torch::manual_seed(0);
    const auto truth = torch::randn({20}, torch::kFloat64);
    train_ = draw(30, truth), first_ = draw(50, truth), second_ = draw(50, truth + 0.3 * torch::randn_like(truth));
    upper_.add("log strength", strength_);
    lower_.add("w", w_);
  }

  std::vector<torch::Tensor> upper_losses(const moblo::Batch&) override { return {error(first_), error(second_)}; }

  torch::Tensor lower_loss(const moblo::Batch&) override {
    return error(train_) + strength_.exp().sum() * w_.square().sum();
  }

 private:
  struct Data {
    torch::Tensor x, y;
  };

  static Data draw(int samples, const torch::Tensor& truth) {
    const auto x = torch::randn({samples, truth.size(0)}, torch::kFloat64);
    return {x, torch::mv(x, truth) + 2.0 * torch::randn({samples}, torch::kFloat64)};
  }

  torch::Tensor error(const Data& data) { return (torch::mv(data.x, w_) - data.y).square().mean(); }

  Data train_, first_, second_;
  torch::Tensor strength_ = torch::full({1}, -6.0, torch::kFloat64), w_ = torch::zeros({20}, torch::kFloat64);
};

int main() {
  LearnedRidge problem;
  const auto check = moblo::check_gradients(problem);
  moblo::Forum forum({.inner_steps = 20, .inner_step_size = 0.1, .rho = 0.5});
  moblo::TrainingOptions options{.iterations = 3000};
  options.optimiser.alpha = {.kind = moblo::OptimiserKind::adam, .step_size = 0.05};
  options.optimiser.omega = {.step_size = 0.1};
  for (auto* level : {&options.optimiser.alpha, &options.optimiser.omega}) {
    level->schedule.kind = moblo::ScheduleKind::power;  // mu (k+1)^-1/2
  }
  const auto summary = moblo::train(problem, forum, options);
  fmt::print("gradients: {}\nstatus: {}\nresult: {}\n", check.passed ? "right" : "WRONG", summary.message,
             summary.final_state.dump());
  return check.passed && moblo::succeeded(summary.status) ? 0 : 1;
}
