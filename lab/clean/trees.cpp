#include "lab/clean/trees.hpp"

#include "moblo/base/error.hpp"
#include "moblo/problem/stored_tensors.hpp"

#ifdef MOBLO_XGBOOST
#include <fmt/format.h>
#include <xgboost/c_api.h>

#include <algorithm>
#include <cmath>

#include "moblo/base/rng.hpp"
#endif

namespace moblo::lab::clean {

#ifdef MOBLO_XGBOOST

namespace {

constexpr std::int64_t rows_at_a_time = std::int64_t{1} << 16;
constexpr float least_curvature = 1e-6F;

void check(int outcome) {
  if (outcome == 0) return;
  throw Error(ErrorKind::numeric, "boosted trees", XGBGetLastError(), "Try without them: --judges");
}

/// A matrix as XGBoost holds it; it copies the numbers.
class Matrix {
 public:
  explicit Matrix(const torch::Tensor& inputs) {
    const auto dense = inputs.to(torch::kFloat32).contiguous();
    check(XGDMatrixCreateFromMat_omp(dense.data_ptr<float>(), static_cast<bst_ulong>(dense.size(0)),
                                     static_cast<bst_ulong>(dense.size(1)), std::nanf(""), &handle_, 1));
  }
  ~Matrix() { XGDMatrixFree(handle_); }
  Matrix(const Matrix&) = delete;
  Matrix& operator=(const Matrix&) = delete;
  DMatrixHandle handle() const { return handle_; }

 private:
  DMatrixHandle handle_ = nullptr;
};

class Booster {
 public:
  explicit Booster(const Matrix* matrix) {
    const DMatrixHandle handle = matrix ? matrix->handle() : nullptr;
    check(XGBoosterCreate(&handle, matrix ? 1 : 0, &handle_));
    set("verbosity", "0");
    set("nthread", "1");
  }
  ~Booster() { XGBoosterFree(handle_); }
  Booster(const Booster&) = delete;
  Booster& operator=(const Booster&) = delete;

  void set(const char* name, const std::string& value) { check(XGBoosterSetParam(handle_, name, value.c_str())); }

  /// Rows x scores; valid until the next call.
  const float* scores(const Matrix& matrix, bool training) {
    const auto how = fmt::format(
        R"({{"type": 1, "training": {}, "iteration_begin": 0, "iteration_end": 0, "strict_shape": true}})", training);
    const bst_ulong* shape = nullptr;
    bst_ulong dimensions = 0;
    const float* scores = nullptr;
    check(XGBoosterPredictFromDMatrix(handle_, matrix.handle(), how.c_str(), &shape, &dimensions, &scores));
    return scores;
  }

  void boost(const Matrix& matrix, std::vector<float>& gradient, std::vector<float>& curvature) {
    check(XGBoosterBoostOneIter(handle_, matrix.handle(), gradient.data(), curvature.data(), gradient.size()));
  }

  std::vector<std::uint8_t> bytes() const {
    bst_ulong size = 0;
    const char* first = nullptr;
    check(XGBoosterSaveModelToBuffer(handle_, R"({"format": "ubj"})", &size, &first));
    return {first, first + size};
  }
  void load(const std::vector<std::uint8_t>& bytes) {
    check(XGBoosterLoadModelFromBuffer(handle_, bytes.data(), bytes.size()));
  }

 private:
  BoosterHandle handle_ = nullptr;
};

std::size_t scores_of(std::size_t classes) {
  return classes == 2 ? 1 : classes;
}

/// Softmax over the scores of a row; of two classes the first has score 0.
void to_chances(const float* scores, std::size_t classes, double* chances) {
  const bool two = classes == 2;
  double largest = two ? 0 : scores[0];
  for (std::size_t c = 0; c < scores_of(classes); ++c) largest = std::max(largest, static_cast<double>(scores[c]));
  double sum = 0;
  for (std::size_t c = 0; c < classes; ++c) {
    const double score = two ? (c == 0 ? 0.0 : scores[0]) : scores[c];
    sum += chances[c] = std::exp(score - largest);
  }
  for (std::size_t c = 0; c < classes; ++c) chances[c] /= sum;
}

void set_gradients(const float* scores, const Lesson& lesson, std::vector<float>& gradient,
                   std::vector<float>& curvature) {
  const auto classes = static_cast<std::size_t>(lesson.likelihood.size(1));
  const auto rows = static_cast<std::size_t>(lesson.likelihood.size(0)), count = scores_of(classes);
  const auto* likelihood = lesson.likelihood.data_ptr<float>();
  const auto* weights = lesson.weights.data_ptr<float>();
  const double newton = classes == 2 ? 1 : 2;  // a score of many moves the others as well
  std::vector<double> p(classes);
  for (std::size_t j = 0; j < rows; ++j) {
    to_chances(scores + j * count, classes, p.data());
    double sum = 0;
    for (std::size_t c = 0; c < classes; ++c) sum += p[c] * likelihood[j * classes + c];
    for (std::size_t s = 0; s < count; ++s) {
      const std::size_t c = classes == 2 ? 1 : s;
      const double posterior = sum > 0 ? p[c] * likelihood[j * classes + c] / sum : p[c];
      gradient[j * count + s] = static_cast<float>(weights[j] * (p[c] - posterior));
      curvature[j * count + s] = std::max(static_cast<float>(newton * weights[j] * p[c] * (1 - p[c])), least_curvature);
    }
  }
}

void configure(Booster& booster, const TreeOptions& options, std::size_t classes, std::uint64_t seed) {
  booster.set("objective", classes == 2 ? "binary:logistic" : "multi:softprob");
  if (classes > 2) booster.set("num_class", std::to_string(classes));
  booster.set("base_score", "0.5");
  booster.set("disable_default_eval_metric", "1");
  booster.set("tree_method", "hist");
  booster.set("max_depth", std::to_string(options.depth));
  booster.set("eta", fmt::format("{}", options.step_size));
  booster.set("subsample", fmt::format("{}", options.rows));
  booster.set("colsample_bytree", fmt::format("{}", options.columns));
  booster.set("min_child_weight", fmt::format("{}", options.smallest_leaf));
  booster.set("seed", std::to_string(seed >> 33));  // an int there
  booster.set("seed_per_iteration", "1");
}

}  // namespace

std::string trees_version() {
  int major = 0, minor = 0, patch = 0;
  XGBoostVersion(&major, &minor, &patch);
  return fmt::format("{}.{}.{}", major, minor, patch);
}

TreeModel fit_trees(const Lesson& lesson, const TreeOptions& options, std::uint64_t seed, Monitor& monitor) {
  const Lesson dense{lesson.inputs, lesson.likelihood.to(torch::kFloat32).contiguous(),
                     lesson.weights.to(torch::kFloat32).contiguous()};
  const auto classes = static_cast<std::size_t>(dense.likelihood.size(1));
  const Matrix matrix(dense.inputs);
  Booster booster(&matrix);
  configure(booster, options, classes, derive_seed(seed, "trees"));
  const auto entries = static_cast<std::size_t>(dense.likelihood.size(0)) * scores_of(classes);
  std::vector<float> gradient(entries), curvature(entries);
  for (std::int64_t round = 0; round < options.rounds; ++round) {
    set_gradients(booster.scores(matrix, true), dense, gradient, curvature);
    booster.boost(matrix, gradient, curvature);
    monitor.step();
  }
  return {classes, dense.inputs.size(1), booster.bytes()};
}

ClassChances tree_chances(const TreeModel& model, const torch::Tensor& inputs) {
  Booster booster(nullptr);
  booster.load(model.bytes);
  const std::int64_t rows = inputs.size(0);
  ClassChances chances{model.classes, std::vector<double>(static_cast<std::size_t>(rows) * model.classes)};
  for (std::int64_t first = 0; first < rows; first += rows_at_a_time) {
    const auto count = std::min(rows_at_a_time, rows - first);
    const Matrix matrix(inputs.narrow(0, first, count));
    const float* scores = booster.scores(matrix, false);
    for (std::int64_t j = 0; j < count; ++j) {
      to_chances(scores + static_cast<std::size_t>(j) * scores_of(model.classes), model.classes,
                 chances.row(static_cast<std::size_t>(first + j)));
    }
  }
  return chances;
}

#else

namespace {

[[noreturn]] void refuse_absent() {
  throw Error(ErrorKind::config, "boosted trees", "are not part of this program, which was built without XGBoost",
              "Install libxgboost-dev and build it again, or choose other --judges");
}

}  // namespace

std::string trees_version() {
  return "";
}

TreeModel fit_trees(const Lesson&, const TreeOptions&, std::uint64_t, Monitor&) {
  refuse_absent();
}

ClassChances tree_chances(const TreeModel&, const torch::Tensor&) {
  refuse_absent();
}

#endif

void put_trees(JobResult& to, const std::string& name, const TreeModel& model) {
  const auto bytes = torch::from_blob(const_cast<std::uint8_t*>(model.bytes.data()),
                                      {static_cast<std::int64_t>(model.bytes.size())}, torch::kUInt8);
  to.push_back(problem::to_stored(name + ".trees", bytes));
  put_numbers(to, name + ".size", {static_cast<double>(model.classes), static_cast<double>(model.width)});
}

TreeModel trees_in(const JobResult& from, const std::string& name) {
  const auto size = numbers_in(from, name + ".size", 2);
  TreeModel model{static_cast<std::size_t>(size[0]), static_cast<std::int64_t>(size[1]), {}};
  for (const auto& tensor : from) {
    if (tensor.name != name + ".trees") continue;
    const auto* first = reinterpret_cast<const std::uint8_t*>(tensor.bytes.data());
    model.bytes.assign(first, first + tensor.bytes.size());
    return model;
  }
  throw Error(ErrorKind::checkpoint, name, "holds no trees", "Begin again");
}

}  // namespace moblo::lab::clean
