// Rows per sample, batches and datasets.
#include <fmt/format.h>

#include <limits>
#include <stdexcept>

#include "moblo/base/error.hpp"
#include "tests/misuse/misuse.hpp"

namespace moblo::misuse::data {
namespace {

using Indices = std::function<torch::Tensor(const torch::Tensor&)>;

/// Four samples y = (1, 1, 1, 9), of which the last is wrong: f = mean of sigmoid(trust_i) (w - y_i)^2 and
/// F = (w - 1)^2, in batches of two. The trust of the last must become the least, and w must come near 1.
class Samples : public BilevelProblem {
 public:
  Samples() {
    upper_.add_rows("trust", trust);
    lower_.add("w", w);
  }
  std::vector<torch::Tensor> upper_losses(const Batch& batch) override {
    return {upper_function ? upper_function(batch) : (w - 1).square().sum()};
  }
  torch::Tensor lower_loss(const Batch& batch) override {
    const auto& part = batch.parts[0];
    const auto weights = torch::sigmoid(upper_.rows(table, indices ? indices(part.indices) : part.indices));
    return (weights.flatten() * (w - part.targets).square()).mean();
  }
  BatchStream& lower_batches() override { return training; }
  BatchStream& upper_batches() override { return training_again; }

  static TensorDataset four() {
    return {torch::arange(4, torch::kFloat64).view({4, 1}), torch::tensor({1.0, 1.0, 1.0, 9.0}, torch::kFloat64)};
  }

  torch::Tensor trust = torch::zeros({4}, torch::kFloat64), w = torch::full({1}, 3.0, torch::kFloat64);
  std::string table = "trust";
  Indices indices;
  std::function<torch::Tensor(const Batch&)> upper_function;
  TensorBatches training{{four()}, 2, 0}, training_again{{four()}, 2, 0};
};

template <class Kind = Forum, class Options = ForumOptions>
Outcome trained_on(Samples& problem, const Options& options = forum_options()) {
  Kind method(options);
  TrainingOptions training{.iterations = 400};
  training.optimiser.alpha.step_size = 1;
  const auto summary = train(problem, method, training);
  const double others = problem.trust.narrow(0, 0, 3).min().item().toDouble();
  const bool right = problem.trust[3].item().toDouble() < others && near(problem.w, 1, 0.2);
  return judged(summary, right, fmt::format("trust = {}, w = {}", text_of(problem.trust), text_of(problem.w)));
}

Outcome with_indices(Indices indices) {
  Samples problem;
  problem.indices = std::move(indices);
  return trained_on(problem);
}

MISUSE("rows: nothing is wrong", right(), {
  Samples problem;
  return trained_on(problem);
});
MISUSE("rows: indices beyond the table", refused("trust", "index") | status("trust", "index"),
       { return with_indices([](const auto& i) { return i + 100; }); });
MISUSE("rows: indices beyond the table, later", status("trust", "index"),
       { return with_indices([calls = 0](const auto& i) mutable { return ++calls > 50 ? i + 100 : i; }); });
MISUSE("rows: negative indices", refused("trust", "index") | status("trust", "index"),
       { return with_indices([](const auto& i) { return i - 4; }); });
MISUSE("rows: indices of type int32", refused("trust", "int64") | right(),
       { return with_indices([](const auto& i) { return i.to(torch::kInt32); }); });
MISUSE("rows: indices of a floating-point type", refused("trust", "int64"),
       { return with_indices([](const auto& i) { return i.to(torch::kFloat64); }); });
MISUSE("rows: a mask instead of indices", refused("trust", "int64"),
       { return with_indices([](const auto& i) { return i > 0; }); });
MISUSE("rows: indices in two dimensions", refused("trust", "dimension"), {
  return with_indices([](const auto& i) { return i.view({-1, 1}); });
});
MISUSE("rows: undefined indices", refused("trust", "undefined"),
       { return with_indices([](const auto&) { return torch::Tensor(); }); });
MISUSE("rows: no indices", refused() | status(),
       { return with_indices([](const auto& i) { return i.narrow(0, 0, 0); }); });
MISUSE("rows: indices on the device meta", refused("trust", "device"),
       { return with_indices([](const auto& i) { return i.to(torch::kMeta); }); });
MISUSE("rows: an unknown name", refused("trusts", "add_rows"), {
  Samples problem;
  problem.table = "trusts";
  return trained_on(problem);
});
MISUSE("rows: the upper loss reads other rows than the lower loss", refused("rows") | status("rows"), {
  Samples problem;
  problem.upper_function = [&](const Batch&) {
    return (problem.w - 1).square().sum() + problem.upper().rows("trust", torch::arange(4)).square().sum();
  };
  return trained_on(problem);
});
MISUSE("rows: only the upper loss reads them", refused("rows") | status("rows"), {
  struct ReadAbove : Samples {
    torch::Tensor lower_loss(const Batch& batch) override { return (w - batch.parts[0].targets).square().mean(); }
  } problem;
  problem.upper_function = [&](const Batch& batch) {
    const auto weights = torch::sigmoid(problem.upper().rows("trust", batch.parts[0].indices));
    return (weights * (problem.w - 1).square()).mean();
  };
  return trained_on(problem);
});
MISUSE("rows: they are read as an ordinary tensor", refused("trust", "rows"), {
  struct ReadDirectly : Samples {
    torch::Tensor lower_loss(const Batch& batch) override {
      const auto weights = torch::sigmoid(trust.index_select(0, batch.parts[0].indices));
      return (weights * (w - batch.parts[0].targets).square()).mean();
    }
  } problem;
  return trained_on(problem);
});
MISUSE("rows: in the lower level, and no loss reads them", refused("lower parameter 'more'", "rows()"), {
  Samples problem;
  problem.lower().add_rows("more", torch::zeros({4}, torch::kFloat64));
  return trained_on(problem);
});
MISUSE("rows: a table shorter than the dataset", refused("trust") | status("trust"), {
  Samples problem;
  problem.trust.set_data(torch::zeros({3}, torch::kFloat64));
  return trained_on(problem);
});

// -- streams --------------------------------------------------------------------------------------------------------

class Stream : public BatchStream {
 public:
  Batch at(std::int64_t number) override { return make ? make(number) : Batch{.number = number, .parts = {}}; }
  std::int64_t epoch_length() const override { return length; }
  std::function<Batch(std::int64_t)> make;
  std::int64_t length = 1;
};

class Streamed : public TwoTargets {
 public:
  BatchStream& upper_batches() override { return above; }
  BatchStream& lower_batches() override { return below; }
  Stream above, below;
};

Outcome with_epoch_length(std::int64_t length) {
  Streamed problem;
  problem.above.length = length;
  auto options = forum_options();
  options.beta_clock = BetaClock::epoch;
  Forum forum(options);
  return trained(problem, forum);
}
MISUSE("streams: epoch_length() = 0", refused("epoch_length"), { return with_epoch_length(0); });
MISUSE("streams: epoch_length() = -1", refused("epoch_length"), { return with_epoch_length(-1); });

Outcome with_throwing_stream(std::int64_t first, void (*raise)()) {
  Streamed problem;
  problem.below.make = [=](std::int64_t number) {
    if (number >= first) raise();
    return Batch{.number = number, .parts = {}};
  };
  return trained(problem);
}
void raise_exception() {
  throw std::runtime_error("my disk");
}
void raise_number() {
  throw 42;
}
MISUSE("streams: at() throws std::runtime_error", refused("my disk") | status("failed", "my disk"),
       { return with_throwing_stream(0, raise_exception); });
MISUSE("streams: at() throws std::runtime_error later", status("failed", "my disk"),
       { return with_throwing_stream(50, raise_exception); });
MISUSE("streams: at() throws an int", refused() | status("failed"), { return with_throwing_stream(0, raise_number); });
MISUSE("streams: at() throws an int later", status("failed"), { return with_throwing_stream(50, raise_number); });

MISUSE("streams: a batch at a negative position", refused("position") | status("position"), {
  Samples problem;
  problem.training.seek(-3);
  return trained_on(problem);
});
MISUSE("streams: one stream for both levels", right(), {
  struct Shared : Samples {
    BatchStream& upper_batches() override { return training; }
  } problem;
  return trained_on(problem);
});

// -- datasets -------------------------------------------------------------------------------------------------------

Outcome with_datasets(std::vector<TensorDataset> datasets, std::int64_t batch = 2) {
  Samples problem;
  problem.training = TensorBatches(std::move(datasets), batch, 0);
  return trained_on(problem);
}

MISUSE("datasets: none", refused("no dataset"), { return with_datasets({}); });
MISUSE("datasets: batch size 0", refused("batch size 0"), { return with_datasets({Samples::four()}, 0); });
MISUSE("datasets: batch size -2", refused("batch size -2"), { return with_datasets({Samples::four()}, -2); });
MISUSE("datasets: a batch larger than the dataset", right(), { return with_datasets({Samples::four()}, 100); });
MISUSE("datasets: more inputs than targets", refused("4 inputs and 3 targets"), {
  return with_datasets({{Samples::four().inputs, Samples::four().targets.narrow(0, 0, 3)}});
});
MISUSE("datasets: no samples", refused("at least one sample"), {
  return with_datasets({{torch::zeros({0, 1}, torch::kFloat64), torch::zeros({0}, torch::kFloat64)}});
});
MISUSE("datasets: undefined inputs", refused("at least one sample"), { return with_datasets({TensorDataset{}}); });
MISUSE("datasets: NaN in one target", refused("finite") | status("non_finite"), {
  auto data = Samples::four();
  data.targets[2] = std::numeric_limits<double>::quiet_NaN();
  return with_datasets({data});
});
MISUSE("datasets: inputs and targets on the device meta", refused("device"), {
  return with_datasets({{Samples::four().inputs.to(torch::kMeta), Samples::four().targets.to(torch::kMeta)}});
});
MISUSE("datasets: inputs that carry gradients", right(), {
  auto data = Samples::four();
  data.inputs.set_requires_grad(true);
  return with_datasets({data});
});
MISUSE("datasets: two, of which the loss reads one, with inputs of other shapes", right(), {
  return with_datasets({Samples::four(), {torch::zeros({7, 3}), torch::zeros({7})}});
});

/// w are the logits of two classes.
Outcome with_labels(const torch::Tensor& labels) {
  TwoTargets problem;
  problem.lower_function = [&] {
    const auto logits = problem.w.expand({labels.size(0), 2});
    return problem.gap() + torch::nn::functional::cross_entropy(logits, labels);
  };
  return trained(problem);
}
MISUSE("datasets: a label beyond the classes", refused("lower_loss", "out of bounds"), {
  return with_labels(torch::tensor({0, 1, 7}));
});
MISUSE("datasets: a label of -1", refused("lower_loss", "out of bounds"), {
  return with_labels(torch::tensor({0, 1, -1}));
});
MISUSE("datasets: labels of a floating-point type", refused("lower_loss"), {
  return with_labels(torch::tensor({0.0, 1.0, 1.0}));
});

}  // namespace
}  // namespace moblo::misuse::data
