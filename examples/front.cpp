// All trade-offs of a problem of one's own: a model that must serve two groups, with a learned share of each in its
// training loss.
#include <moblo/moblo.hpp>

#include <cstdio>
#include <memory>

/// f = share |w - u|^2 + (1 - share) |w - v|^2 + |w|^2 / 10,  F = (|w - u|^2, |w - v|^2),  share = sigmoid(alpha).
class TwoGroups : public moblo::BilevelProblem {
 public:
  TwoGroups() {
    upper_.add("alpha", alpha_);
    lower_.add("w", w_);
  }
  std::vector<torch::Tensor> upper_losses(const moblo::Batch&) override { return {error(first_), error(second_)}; }
  std::vector<std::string> objective_names() const override { return {"first", "second"}; }
  torch::Tensor lower_loss(const moblo::Batch&) override {
    const auto share = alpha_.sigmoid();
    return (share * error(first_) + (1 - share) * error(second_)).sum() + w_.square().sum() / 10;
  }

 private:
  torch::Tensor error(const torch::Tensor& target) const { return (w_ - target).square().sum(); }

  torch::Tensor alpha_ = torch::zeros({1}), w_ = torch::zeros({3});
  torch::Tensor first_ = torch::tensor({1.0F, 0.0F, 2.0F}), second_ = torch::tensor({0.0F, 1.0F, 1.0F});
};

int main() {
  const auto found = moblo::front(
      [] { return std::make_unique<TwoGroups>(); },
      [](const moblo::PointTarget& target) {
        return std::make_unique<moblo::Forum>(moblo::ForumOptions{.inner_steps = 10, .preference = target.preference});
      },
      {.points = 9}, {.iterations = 400});
  for (const auto& point : found.record.points) {
    std::printf("preference %.3f %.3f: first %.4f, second %.4f%s\n", point.preference[0], point.preference[1],
                point.losses[0], point.losses[1], point.dominated ? ", dominated" : "");
  }
  std::printf("hypervolume %.4f, ended: %s\n", found.record.hypervolume, found.record.stopped_because.c_str());
  return found.record.stopped_because == "all points done" ? 0 : 1;
}
