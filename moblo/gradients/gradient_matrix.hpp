#pragma once

#include <torch/types.h>

#include <Eigen/Core>

namespace moblo::gradients {

/// Rows are gradients over (alpha, omega): columns [0, upper_columns) belong to alpha, the rest to omega. The storage
/// is kept between iterations; autograd accumulates straight into views of it.
class GradientMatrix {
 public:
  GradientMatrix() = default;
  /// Rows that somebody else made, over omega alone; shares their memory. Two dimensions, float or double.
  static GradientMatrix of(const torch::Tensor& rows);

  /// Shapes the matrix and fills it with zeros. Allocates only when it grows.
  void reset(std::int64_t rows, std::int64_t upper_columns, std::int64_t lower_columns, torch::TensorOptions options);

  std::int64_t rows() const { return values_.size(0); }
  std::int64_t columns() const { return values_.size(1); }
  std::int64_t upper_columns() const { return upper_columns_; }

  torch::Tensor row(std::int64_t i) const { return values_.select(0, i); }
  torch::Tensor upper_part(std::int64_t i) const { return row(i).narrow(0, 0, upper_columns_); }
  torch::Tensor lower_part(std::int64_t i) const {
    return row(i).narrow(0, upper_columns_, columns() - upper_columns_);
  }

  /// All inner products of the rows, accumulated in double whatever the rows' type: the QP lives on their differences.
  Eigen::MatrixXd gramian() const { return gramian(columns()); }
  /// The same of the first columns alone.
  Eigen::MatrixXd gramian(std::int64_t first_columns) const;

  /// sum_i coefficients_i row_i. In memory that is kept: the next combination overwrites it.
  torch::Tensor combine(const Eigen::VectorXd& coefficients) { return combine(coefficients, 0, columns()); }
  /// `count` columns of it from `first` on.
  torch::Tensor combine(const Eigen::VectorXd& coefficients, std::int64_t first, std::int64_t count);
  /// All columns, as the last combinations left them.
  torch::Tensor combined() const { return combined_.narrow(0, 0, columns()); }

 private:
  torch::Tensor storage_, values_, combined_;
  std::int64_t upper_columns_ = 0;
};

}  // namespace moblo::gradients
