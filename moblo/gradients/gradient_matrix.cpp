#include "moblo/gradients/gradient_matrix.hpp"

#include <ATen/Parallel.h>

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <vector>

namespace moblo::gradients {
namespace {

constexpr std::int64_t block_columns = 32768;  // one thread's at a time; has sums of its own
constexpr std::int64_t strip_columns = 2048;   // of some rows: they stay in the nearest caches
constexpr std::int64_t lanes = 8;  // partial sums of one product, whatever the machine: the same bits on all
constexpr int tile = 4;            // rows whose products with as many others are summed at a time

using Doubles = double __attribute__((vector_size(lanes * sizeof(double))));

template <class T>
[[gnu::always_inline]] inline void load(const T* from, Doubles& to) {
  T __attribute__((vector_size(lanes * sizeof(T)))) values;
  std::memcpy(&values, from, sizeof(values));
  to = __builtin_convertvector(values, Doubles);
}

template <class T>
[[gnu::always_inline]] inline double finished(const Doubles& sums, const T* a, const T* b, std::int64_t from,
                                              std::int64_t count) {
  double total = 0;
  for (std::int64_t i = from; i < count; ++i) total += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  for (std::int64_t lane = 0; lane < lanes; ++lane) total += sums[lane];
  return total;
}

/// out[x * row + y] += <a_x, b_y> for A rows from a on and B from b on; where they are the same rows, for y <= x.
template <class T, int A, int B, bool Same>
[[gnu::always_inline]] inline void multiply_tile(const T* a, const T* b, std::int64_t stride, std::int64_t count,
                                                 double* out, std::int64_t row) {
  Doubles sums[A][B] = {};
  const std::int64_t whole = count - count % lanes;
  for (std::int64_t i = 0; i < whole; i += lanes) {
    Doubles right[B];
    for (int y = 0; y < B; ++y) load(b + y * stride + i, right[y]);
    for (int x = 0; x < A; ++x) {
      Doubles left;
      if constexpr (!Same) load(a + x * stride + i, left);
      for (int y = 0; y < (Same ? x + 1 : B); ++y) sums[x][y] += (Same ? right[x] : left) * right[y];
    }
  }
  for (int x = 0; x < A; ++x) {
    for (int y = 0; y < (Same ? x + 1 : B); ++y) {
      out[x * row + y] += finished(sums[x][y], a + x * stride, b + y * stride, whole, count);
    }
  }
}

/// work(size) with the size as a constant, 1 to `tile`.
template <class Work>
[[gnu::always_inline]] inline void with_constant(std::int64_t size, Work work) {
  switch (size) {
    case 1:
      return work(std::integral_constant<int, 1>());
    case 2:
      return work(std::integral_constant<int, 2>());
    case 3:
      return work(std::integral_constant<int, 3>());
    default:
      return work(std::integral_constant<int, tile>());
  }
}

/// Adds the lower triangle of all products of the rows.
template <class T>
[[gnu::always_inline]] inline void multiply_strip(const T* data, std::int64_t rows, std::int64_t stride,
                                                  std::int64_t count, double* out) {
  for (std::int64_t first = 0; first < rows; first += tile) {
    const T* a = data + first * stride;
    double* to = out + first * rows;
    with_constant(
        rows - first, [&](auto size) __attribute__((always_inline)) {
          constexpr int left = decltype(size)::value;
          for (std::int64_t other = 0; other < first; other += tile) {
            multiply_tile<T, left, tile, false>(a, data + other * stride, stride, count, to + other, rows);
          }
          multiply_tile<T, left, left, true>(a, a, stride, count, to + first, rows);
        });
  }
}

template <class T>
[[gnu::always_inline]] inline void multiply_rows(const T* data, std::int64_t rows, std::int64_t stride,
                                                 std::int64_t count, double* out) {
  for (std::int64_t first = 0; first < count; first += strip_columns) {
    multiply_strip(data + first, rows, stride, std::min(strip_columns, count - first), out);
  }
}

#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__)
#define MOBLO_FOR_EACH_PROCESSOR [[gnu::target_clones("avx512f", "avx2", "default")]]
#else
#define MOBLO_FOR_EACH_PROCESSOR
#endif

MOBLO_FOR_EACH_PROCESSOR void products_of(const float* data, std::int64_t rows, std::int64_t stride, std::int64_t count,
                                          double* out) {
  multiply_rows(data, rows, stride, count, out);
}

MOBLO_FOR_EACH_PROCESSOR void products_of(const double* data, std::int64_t rows, std::int64_t stride,
                                          std::int64_t count, double* out) {
  multiply_rows(data, rows, stride, count, out);
}

/// out = sum_i weights_i row_i, some columns at a time, whose sums stay in registers.
template <class T>
[[gnu::always_inline]] inline void add_up_rows(const T* data, std::int64_t rows, std::int64_t stride,
                                               std::int64_t count, const T* weights, T* out) {
  typedef T Values __attribute__((vector_size(256)));
  constexpr std::int64_t together = sizeof(Values) / sizeof(T);
  const std::int64_t whole = count - count % together;
  for (std::int64_t i = 0; i < whole; i += together) {
    Values sums = {};
    for (std::int64_t row = 0; row < rows; ++row) {
      Values values;
      std::memcpy(&values, data + row * stride + i, sizeof(values));
      sums += weights[row] * values;
    }
    std::memcpy(out + i, &sums, sizeof(sums));
  }
  for (std::int64_t i = whole; i < count; ++i) {
    out[i] = 0;
    for (std::int64_t row = 0; row < rows; ++row) out[i] += weights[row] * data[row * stride + i];
  }
}

MOBLO_FOR_EACH_PROCESSOR void sum_of(const float* data, std::int64_t rows, std::int64_t stride, std::int64_t count,
                                     const float* weights, float* out) {
  add_up_rows(data, rows, stride, count, weights, out);
}

MOBLO_FOR_EACH_PROCESSOR void sum_of(const double* data, std::int64_t rows, std::int64_t stride, std::int64_t count,
                                     const double* weights, double* out) {
  add_up_rows(data, rows, stride, count, weights, out);
}

/// work(first column, columns) of each block, on all threads.
template <class Work>
void for_each_block(std::int64_t columns, const Work& work) {
  at::parallel_for(0, (columns + block_columns - 1) / block_columns, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t block = begin; block < end; ++block) {
      const std::int64_t first = block * block_columns;
      work(first, std::min(block_columns, columns - first));
    }
  });
}

template <class T>
void combine_into(const torch::Tensor& out, const torch::Tensor& values, const Eigen::VectorXd& coefficients) {
  const Eigen::Matrix<T, Eigen::Dynamic, 1> weights = coefficients.cast<T>();
  for_each_block(values.size(1), [&](std::int64_t first, std::int64_t count) {
    sum_of(values.data_ptr<T>() + first, values.size(0), values.stride(0), count, weights.data(),
           out.data_ptr<T>() + first);
  });
}

/// Partial sums of fixed blocks, added in a fixed order: the result does not depend on the number of threads.
template <class T>
Eigen::MatrixXd gramian_of(const torch::Tensor& values) {
  const std::int64_t rows = values.size(0), columns = values.size(1), stride = values.stride(0);
  const std::int64_t blocks = (columns + block_columns - 1) / block_columns;
  const T* data = values.data_ptr<T>();
  std::vector<double> partial(static_cast<std::size_t>(blocks * rows * rows));
  for_each_block(columns, [&](std::int64_t first, std::int64_t count) {
    products_of(data + first, rows, stride, count, partial.data() + first / block_columns * rows * rows);
  });
  Eigen::MatrixXd gramian = Eigen::MatrixXd::Zero(rows, rows);
  for (std::int64_t block = 0; block < blocks; ++block) {
    for (std::int64_t i = 0; i < rows; ++i) {
      for (std::int64_t j = 0; j <= i; ++j) {
        gramian(i, j) += partial[static_cast<std::size_t>((block * rows + i) * rows + j)];
      }
    }
  }
  gramian.triangularView<Eigen::StrictlyUpper>() = gramian.transpose();
  return gramian;
}

/// Makes `kept` hold at least `count` values; allocates only when it grows.
void keep(torch::Tensor& kept, std::int64_t count, const torch::TensorOptions& options) {
  if (kept.defined() && kept.numel() >= count && kept.dtype() == options.dtype()) return;
  kept = torch::empty({count}, options.requires_grad(false));
}

}  // namespace

GradientMatrix GradientMatrix::of(const torch::Tensor& rows) {
  GradientMatrix matrix;
  matrix.values_ = rows.detach().contiguous();
  return matrix;
}

void GradientMatrix::reset(std::int64_t rows, std::int64_t upper_columns, std::int64_t lower_columns,
                           torch::TensorOptions options) {
  const std::int64_t columns = upper_columns + lower_columns;
  keep(storage_, rows * columns, options);
  values_ = storage_.narrow(0, 0, rows * columns).view({rows, columns});
  values_.zero_();
  upper_columns_ = upper_columns;
}

Eigen::MatrixXd GradientMatrix::gramian(std::int64_t first_columns) const {
  const auto part = values_.narrow(1, 0, first_columns);
  return part.scalar_type() == torch::kFloat64 ? gramian_of<double>(part) : gramian_of<float>(part);
}

torch::Tensor GradientMatrix::combine(const Eigen::VectorXd& coefficients, std::int64_t first, std::int64_t count) {
  keep(combined_, columns(), values_.options());
  const auto part = combined_.narrow(0, first, count), values = values_.narrow(1, first, count);
  if (values.scalar_type() == torch::kFloat64) {
    combine_into<double>(part, values, coefficients);
  } else {
    combine_into<float>(part, values, coefficients);
  }
  return part;
}

}  // namespace moblo::gradients
