// Whole steps on the paper's hyper-cleaning (two datasets, 784-512-256, batches of 100, T = 64; pixels and labels are
// random, which no time depends on) beside the matrix products that they cannot do without, and the aggregation of a
// gradient matrix beside one read of it. One JSON object: seconds, fastest of the repeats.
//
//   step_bench [repeats]

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "bench/cleaning_steps.hpp"
#include "moblo/base/runtime.hpp"
#include "moblo/conformance/synthetic.hpp"
#include "moblo/gradients/gradient_matrix.hpp"
#include "moblo/qp/min_norm.hpp"
#include "moblo/training/training.hpp"

namespace {

using namespace moblo;
using namespace moblo::bench;

constexpr std::int64_t batch = CleaningShape{}.batch, inner_steps = 64;

/// out = a b for matrices of the given sizes, `count` times, on memory of its own.
class Product {
 public:
  Product(std::int64_t rows, std::int64_t inner, std::int64_t columns, std::int64_t count)
      : a_(torch::rand({rows, inner})),
        b_(torch::rand({inner, columns})),
        out_(torch::empty({rows, columns})),
        count_(count) {}
  void run() {
    for (std::int64_t i = 0; i < count_; ++i) at::mm_out(out_, a_, b_);
  }

 private:
  torch::Tensor a_, b_, out_;
  std::int64_t count_;
};

/// Forward, to the weights and (but for the first layer) to the inputs.
void add_layer(std::vector<Product>& all, std::int64_t rows, std::int64_t inputs, std::int64_t outputs,
               std::int64_t count, bool to_inputs) {
  all.emplace_back(rows, inputs, outputs, count);
  all.emplace_back(outputs, rows, inputs, count);
  if (to_inputs) all.emplace_back(rows, outputs, inputs, count);
}

/// T steps and f at z share T passes; the value at w~ is one more forward; an upper loss is one pass of half the rows.
std::vector<Product> products(bool one_batch) {
  const std::int64_t rows = 2 * batch;
  std::vector<Product> all;
  add_layer(all, rows, pixels, 512, one_batch ? 2 : inner_steps, false);
  if (one_batch) {
    all.emplace_back(rows, pixels, rows, 1);
    all.emplace_back(rows, rows, 512, inner_steps - 1);
  }
  add_layer(all, rows, 512, 256, inner_steps, true);
  add_layer(all, batch, 256, classes, 2 * inner_steps, true);
  all.emplace_back(rows, pixels, 512, 1);
  all.emplace_back(rows, 512, 256, 1);
  add_layer(all, batch, pixels, 512, 2, false);
  add_layer(all, batch, 512, 256, 2, true);
  return all;
}

std::function<void()> products_alone(bool one_batch) {
  return [all = products(one_batch)]() mutable {
    const torch::NoGradGuard no_grad;
    for (auto& product : all) product.run();
  };
}

Json steps_with(int threads, int rounds) {
  lab::experiments::set_threads(threads);
  const Json one{{"inner_steps", inner_steps}, {"inner_batches", "one"}}, fresh{{"inner_steps", inner_steps}},
      checkpointed{{"inner_steps", inner_steps}, {"hypergradient", "checkpointed"}};
  Json out = fastest_of({{"forum_one_batch", step_of({}, "forum", one)},
                         {"products_one_batch", products_alone(true)},
                         {"forum_fresh_batches", step_of({}, "forum", fresh)},
                         {"products_fresh_batches", products_alone(false)},
                         {"moml", step_of({}, "moml", fresh), 2},
                         {"moml_checkpointed", step_of({}, "moml", checkpointed), 2}},
                        rounds);
  out["threads"] = at::get_num_threads();
  return out;
}

/// Gramian, weights and direction of a matrix whose rows were just written, as in a step, beside one read of it that
/// finds nothing in the caches.
Json against_a_read(std::int64_t rows, std::int64_t columns, int repeats) {
  gradients::GradientMatrix matrix;
  matrix.reset(rows, 0, columns, torch::kFloat32);
  const auto gradients = torch::rand({rows, columns}).sub_(0.5), elsewhere = torch::zeros({64 << 20});
  const auto all = matrix.row(0).as_strided({rows * columns}, {1});
  qp::MinNormSolver solver;
  double read = 1e9, gramian = 1e9, direction = 1e9;
  for (int repeat = 0; repeat <= repeats; ++repeat) {
    elsewhere.add_(1);
    const base::Stopwatch reading;
    all.sum().item();
    read = std::min(read, reading.seconds());
    for (std::int64_t i = 0; i < rows; ++i) matrix.row(i).copy_(gradients[i]);
    base::Stopwatch watch;
    const auto products = matrix.gramian();
    const double made = watch.seconds();
    matrix.combine(solver.solve(products).weights);
    gramian = std::min(gramian, made);
    direction = std::min(direction, watch.seconds() - made);
  }
  return {{"rows", rows}, {"columns", columns}, {"read", read}, {"gramian", gramian}, {"direction", direction}};
}

/// Bytes that the process grows by between the 10,000th and the 110,000th step.
std::int64_t growth() {
  const auto after = [](std::int64_t iterations) {
    conformance::Synthetic problem;
    const auto method = make_method("forum", find_method("forum", "bench").resolve(Json::object(), {}));
    TrainingOptions options;
    options.iterations = iterations;
    options.optimiser.omega.step_size = options.optimiser.alpha.step_size = 1e-3;
    train(problem, *method, options, {});
    return base::peak_resident_bytes();
  };
  const auto before = after(10'000);
  return after(100'000) - before;
}

}  // namespace

int main(int argc, char** argv) {
  const int repeats = argc > 1 ? std::atoi(argv[1]) : 12;
  torch::manual_seed(1);
  Json out = lab::experiments::describe_process();
  out["growth_bytes"] = growth();
  out["one_thread"] = steps_with(1, repeats);
  out["all_threads"] = steps_with(0, repeats);
  constexpr std::int64_t cleaning = 538'388, qm9 = 617'675, beyond_caches = 44'000'000;
  for (const auto& [rows, columns] :
       {std::pair{std::int64_t{2}, cleaning}, {11, qm9}, {2, beyond_caches / 2}, {11, beyond_caches / 11}}) {
    out["aggregation"].push_back(against_a_read(rows, columns, repeats));
  }
  fmt::print("{}\n", out.dump(2));
}
