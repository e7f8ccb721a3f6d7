// Solve times of the small QPs, and what Frank-Wolfe with a step-size stop leaves on the table.
//   cold: no warm start, a new random Gramian each time.  warm: the next Gramian of a slow drift.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "moblo/qp/forum_dual.hpp"
#include "moblo/qp/min_norm.hpp"

namespace {

using moblo::qp::ForumSolver;
using moblo::qp::MinNormSolver;
using moblo::qp::Multiplier;
using Random = std::mt19937_64;

constexpr int problems = 256;
constexpr double rho = 0.3;
constexpr double drift = 0.02;

Eigen::MatrixXd normal_rows(int rows, Random& random) {
  std::normal_distribution<double> normal;
  return Eigen::MatrixXd::NullaryExpr(rows, 2 * rows, [&] { return normal(random); });
}

/// Rows g_1..g_m, q, with lengths spread by 10^(spread N(0,1)).
Eigen::MatrixXd random_rows(int m, double spread, Random& random) {
  std::normal_distribution<double> normal;
  Eigen::MatrixXd rows = normal_rows(m + 1, random);
  for (int i = 0; i <= m; ++i) rows.row(i) *= std::pow(10.0, spread * normal(random));
  return rows;
}

std::vector<Eigen::MatrixXd> unrelated_gramians(int m, double spread) {
  Random random(1);
  std::vector<Eigen::MatrixXd> gramians;
  for (int k = 0; k < problems; ++k) {
    const Eigen::MatrixXd rows = random_rows(m, spread, random);
    gramians.emplace_back(rows * rows.transpose());
  }
  return gramians;
}

/// There and back, so that the sequence may be repeated without a jump.
std::vector<Eigen::MatrixXd> drifting_gramians(int m) {
  Random random(2);
  Eigen::MatrixXd rows = random_rows(m, 0, random);
  std::vector<Eigen::MatrixXd> gramians;
  for (int k = 0; k < problems / 2; ++k) {
    rows += drift * normal_rows(m + 1, random);
    gramians.emplace_back(rows * rows.transpose());
  }
  std::vector<Eigen::MatrixXd> back(gramians.rbegin(), gramians.rend());
  gramians.insert(gramians.end(), back.begin(), back.end());
  return gramians;
}

enum class Start { cold, warm };

template <class Solver, class Solve>
void time_solves(benchmark::State& state, Start start, Solve solve) {
  const auto m = static_cast<int>(state.range(0));
  const auto gramians = start == Start::cold ? unrelated_gramians(m, 0) : drifting_gramians(m);
  Solver solver;
  std::size_t next = 0;
  double iterations = 0;
  double worst_residual = 0;
  for (auto _ : state) {
    if (start == Start::cold) solver.forget();
    const auto& solution = solve(solver, gramians[next++ % gramians.size()], m);
    iterations += solution.iterations;
    worst_residual = std::max(worst_residual, solution.kkt_residual);
  }
  state.counters["faces"] = benchmark::Counter(iterations, benchmark::Counter::kAvgIterations);
  state.counters["worst_kkt"] = worst_residual;
}

template <Start start>
void min_norm(benchmark::State& state) {
  time_solves<MinNormSolver>(
      state, start, [](MinNormSolver & solver, const Eigen::MatrixXd& gramian, int m) -> auto& {
        return solver.solve(gramian.topLeftCorner(m, m));
      });
}

template <Start start, Multiplier multiplier>
void forum(benchmark::State& state) {
  time_solves<ForumSolver>(
      state, start, [](ForumSolver & solver, const Eigen::MatrixXd& gramian, int m) -> auto& {
        return solver.solve({gramian, rho / 2 * gramian(m, m), multiplier});
      });
}

struct StepSizeStop {
  double shortest_step;
  int most_steps;
};

// The two settings in circulation: TorchJD's defaults, and those of the MGDA authors' solver that others carry on.
constexpr StepSizeStop loose_stop{1e-3, 100};
constexpr StepSizeStop tight_stop{1e-5, 250};

/// Start at the uniform point, exact line search to the best vertex, stop when the step is short.
Eigen::VectorXd frank_wolfe(const Eigen::MatrixXd& gramian, const StepSizeStop& stop) {
  const Eigen::Index m = gramian.rows();
  Eigen::VectorXd weights = Eigen::VectorXd::Constant(m, 1 / static_cast<double>(m));
  for (int k = 0; k < stop.most_steps; ++k) {
    const Eigen::VectorXd gradient = gramian * weights;
    Eigen::Index vertex = 0;
    const double at_vertex = gradient.minCoeff(&vertex);
    const double here = weights.dot(gradient);
    const double curvature = here - 2 * at_vertex + gramian(vertex, vertex);
    if (!(curvature > 0)) break;
    const double step = std::clamp((here - at_vertex) / curvature, 0.0, 1.0);
    weights *= 1 - step;
    weights[vertex] += step;
    if (step < stop.shortest_step) break;
  }
  return weights;
}

double quantile(std::vector<double> values, double fraction) {
  const auto position = static_cast<std::ptrdiff_t>(fraction * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + position, values.end());
  return values[static_cast<std::size_t>(position)];
}

void frank_wolfe_on_scaled_objectives(benchmark::State& state, const StepSizeStop& stop) {
  const auto m = static_cast<int>(state.range(0));
  const auto gramians = unrelated_gramians(m, 1);
  std::size_t next = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(frank_wolfe(gramians[next++ % gramians.size()].topLeftCorner(m, m), stop));
  }
  MinNormSolver solver;
  std::vector<double> ratios;
  for (const Eigen::MatrixXd& gramian : gramians) {
    const Eigen::MatrixXd objectives = gramian.topLeftCorner(m, m);
    const Eigen::VectorXd weights = frank_wolfe(objectives, stop);
    ratios.push_back(moblo::qp::half_square(objectives, weights) / solver.solve(objectives).objective);
  }
  state.counters["objective_ratio_median"] = quantile(ratios, 0.5);
  state.counters["objective_ratio_p90"] = quantile(ratios, 0.9);
}

void sizes(benchmark::internal::Benchmark* registered) {
  for (const int m : {2, 3, 11, 40, 128}) registered->Arg(m);
}

BENCHMARK(min_norm<Start::cold>)->Name("min_norm/cold")->Apply(sizes);
BENCHMARK(min_norm<Start::warm>)->Name("min_norm/warm")->Apply(sizes);
BENCHMARK(forum<Start::cold, Multiplier::paper>)->Name("forum_paper/cold")->Apply(sizes);
BENCHMARK(forum<Start::warm, Multiplier::paper>)->Name("forum_paper/warm")->Apply(sizes);
BENCHMARK(forum<Start::cold, Multiplier::exact>)->Name("forum_exact/cold")->Apply(sizes);
BENCHMARK(forum<Start::warm, Multiplier::exact>)->Name("forum_exact/warm")->Apply(sizes);
BENCHMARK_CAPTURE(frank_wolfe_on_scaled_objectives, loose, loose_stop)->Name("frank_wolfe/loose_stop")->Apply(sizes);
BENCHMARK_CAPTURE(frank_wolfe_on_scaled_objectives, tight, tight_stop)->Name("frank_wolfe/tight_stop")->Apply(sizes);

}  // namespace

BENCHMARK_MAIN();
