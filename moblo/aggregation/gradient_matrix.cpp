#include "moblo/aggregation/gradient_matrix.hpp"

#include <ATen/Parallel.h>

#include <algorithm>
#include <vector>

namespace moblo {
namespace {

constexpr std::int64_t block_columns = 8192;
constexpr int lanes = 8;  // independent partial sums, so that the compiler may vectorise without reassociating

template <class T>
double dot_block(const T* a, const T* b, std::int64_t count) {
  double sums[lanes] = {};
  const std::int64_t whole = count - count % lanes;
  for (std::int64_t i = 0; i < whole; i += lanes) {
    for (int lane = 0; lane < lanes; ++lane) {
      sums[lane] += static_cast<double>(a[i + lane]) * static_cast<double>(b[i + lane]);
    }
  }
  double total = 0;
  for (std::int64_t i = whole; i < count; ++i) total += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  for (const double sum : sums) total += sum;
  return total;
}

/// Partial sums of fixed blocks, added in a fixed order: the result does not depend on the number of threads.
template <class T>
Eigen::MatrixXd gramian_of(const torch::Tensor& values) {
  const std::int64_t rows = values.size(0), columns = values.size(1), stride = values.stride(0);
  const std::int64_t blocks = (columns + block_columns - 1) / block_columns;
  const T* data = values.data_ptr<T>();
  std::vector<double> partial(static_cast<std::size_t>(blocks * rows * rows));
  at::parallel_for(0, blocks, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t block = begin; block < end; ++block) {
      const std::int64_t first = block * block_columns, count = std::min(block_columns, columns - first);
      for (std::int64_t i = 0; i < rows; ++i) {
        for (std::int64_t j = 0; j <= i; ++j) {
          partial[static_cast<std::size_t>((block * rows + i) * rows + j)] =
              dot_block(data + i * stride + first, data + j * stride + first, count);
        }
      }
    }
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

}  // namespace

void GradientMatrix::reset(std::int64_t rows, std::int64_t upper_columns, std::int64_t lower_columns,
                           torch::TensorOptions options) {
  const std::int64_t columns = upper_columns + lower_columns;
  if (!storage_.defined() || storage_.numel() < rows * columns || storage_.dtype() != options.dtype()) {
    storage_ = torch::empty({rows * columns}, options.requires_grad(false));
  }
  values_ = storage_.narrow(0, 0, rows * columns).view({rows, columns});
  values_.zero_();
  upper_columns_ = upper_columns;
}

Eigen::MatrixXd GradientMatrix::gramian(std::int64_t first_columns) const {
  const auto part = values_.narrow(1, 0, first_columns);
  return part.scalar_type() == torch::kFloat64 ? gramian_of<double>(part) : gramian_of<float>(part);
}

torch::Tensor GradientMatrix::combine(const Eigen::VectorXd& coefficients, std::int64_t first,
                                      std::int64_t count) const {
  const auto weights =
      torch::from_blob(const_cast<double*>(coefficients.data()), {coefficients.size()}, torch::kFloat64);
  return torch::mv(values_.narrow(1, first, count).t(), weights.to(values_.scalar_type()));
}

}  // namespace moblo
