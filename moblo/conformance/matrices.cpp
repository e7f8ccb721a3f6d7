#include "moblo/conformance/matrices.hpp"

#include <Eigen/Dense>
#include <cmath>

namespace moblo::conformance {

Eigen::MatrixXd gaussian(Eigen::Index rows, Eigen::Index columns, Rng& rng) {
  return Eigen::MatrixXd::NullaryExpr(rows, columns, [&] { return rng.normal(); });
}

Eigen::MatrixXd rotation(Eigen::Index size, Rng& rng) {
  const Eigen::MatrixXd draw = gaussian(size, size, rng);
  return Eigen::HouseholderQR<Eigen::MatrixXd>(draw).householderQ();
}

Eigen::MatrixXd hessian_of_condition(Eigen::Index size, double condition, Rng& rng) {
  const Eigen::MatrixXd basis = rotation(size, rng);
  Eigen::VectorXd eigenvalues(size);
  for (Eigen::Index i = 0; i < size; ++i) {
    const double share = size == 1 ? 0 : static_cast<double>(i) / static_cast<double>(size - 1);
    eigenvalues(i) = std::pow(condition, -share);
  }
  return basis * eigenvalues.asDiagonal() * basis.transpose();
}

torch::Tensor to_tensor(const Eigen::MatrixXd& matrix, torch::TensorOptions type) {
  const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> rows = matrix;
  return torch::from_blob(const_cast<double*>(rows.data()), {rows.rows(), rows.cols()}, torch::kFloat64)
      .clone()
      .to(type);
}

torch::Tensor to_tensor(const Eigen::VectorXd& vector, torch::TensorOptions type) {
  return torch::from_blob(const_cast<double*>(vector.data()), {vector.size()}, torch::kFloat64).clone().to(type);
}

Eigen::VectorXd to_eigen(const torch::Tensor& tensor) {
  const auto dense = tensor.detach().to(torch::kFloat64).contiguous();
  return Eigen::Map<const Eigen::VectorXd>(dense.data_ptr<double>(), dense.numel());
}

}  // namespace moblo::conformance
