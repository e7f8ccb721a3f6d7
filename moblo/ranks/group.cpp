#include "moblo/ranks/group.hpp"

namespace moblo::ranks {
namespace {

class Alone : public Group {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  std::unique_ptr<Pending> begin_sum(const torch::Tensor&) override { return std::make_unique<Done>(); }
  std::vector<torch::Tensor> gather(const torch::Tensor& values) override { return {values}; }
  void sum(const torch::Tensor&) override {}
  void broadcast(const torch::Tensor&, int) override {}
  void barrier() override {}

 private:
  struct Done : Pending {
    void wait() override {}
  };
};

}  // namespace

Group& alone() {
  static Alone group;
  return group;
}

}  // namespace moblo::ranks
