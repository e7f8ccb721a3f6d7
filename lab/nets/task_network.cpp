#include "lab/nets/task_network.hpp"

#include "lab/nets/initial_weights.hpp"

namespace moblo::lab::nets {
namespace {

class Assembled : public TaskNetwork {
 public:
  Assembled(torch::nn::AnyModule trunk, std::vector<torch::nn::AnyModule> heads)
      : trunk_(std::move(trunk)), heads_(std::move(heads)) {}

  torch::Tensor features(const torch::Tensor& inputs) override { return trunk_.forward(inputs); }
  torch::Tensor head(const torch::Tensor& features, std::size_t task) override {
    return heads_.at(task).forward(features);
  }
  torch::nn::Module& trunk() override { return *trunk_.ptr(); }
  torch::nn::Module& task_head(std::size_t task) override { return *heads_.at(task).ptr(); }
  std::size_t tasks() const override { return heads_.size(); }

 private:
  torch::nn::AnyModule trunk_;
  std::vector<torch::nn::AnyModule> heads_;
};

template <class Change>
void change_all(TaskNetwork& network, Change change) {
  change(network.trunk());
  for (std::size_t task = 0; task < network.tasks(); ++task) change(network.task_head(task));
}

}  // namespace

void TaskNetwork::train(bool on) {
  change_all(*this, [on](torch::nn::Module& module) { module.train(on); });
}

void TaskNetwork::to(torch::ScalarType type) {
  change_all(*this, [type](torch::nn::Module& module) { module.to(type); });
}

std::unique_ptr<TaskNetwork> assemble(torch::nn::AnyModule trunk, std::vector<torch::nn::AnyModule> heads) {
  return std::make_unique<Assembled>(std::move(trunk), std::move(heads));
}

std::vector<torch::nn::AnyModule> linear_heads(std::int64_t features, const std::vector<std::int64_t>& outputs,
                                               Rng& rng) {
  std::vector<torch::nn::AnyModule> heads;
  for (const auto count : outputs) {
    torch::nn::Linear layer(features, count);
    draw_weights(*layer, rng);
    heads.emplace_back(layer);
  }
  return heads;
}

}  // namespace moblo::lab::nets
