#include "moblo/methods/tracker.hpp"

#include <fmt/format.h>

namespace moblo::methods {
namespace {

std::string dense_name(std::size_t objective) {
  return fmt::format("tracked_{}", objective + 1);
}

std::string table_name(std::size_t objective, std::size_t table) {
  return fmt::format("tracked_{}_table_{}", objective + 1, table + 1);
}

/// Calls visit(table, coordinates, columns of the row) for each open slice.
template <class Visit>
void visit_slices(ParameterPack& upper, const torch::Tensor& row, Visit visit) {
  std::int64_t at = upper.dense_size();
  for (const auto& slice : upper.slices()) {
    visit(slice.table, slice.coordinates, row.narrow(0, at, slice.leaf.numel()).view(slice.leaf.sizes()));
    at += slice.leaf.numel();
  }
}

}  // namespace

void GradientTracker::start(ParameterPack& upper, std::int64_t objectives) {
  dense_.clear();
  tables_.clear();
  overwritten_.clear();
  for (std::int64_t i = 0; i < objectives; ++i) {
    dense_.push_back(torch::zeros_like(upper.values()));
    auto& tables = tables_.emplace_back();
    for (const auto& table : upper.tables()) tables.push_back(torch::zeros_like(table.values));
  }
}

void GradientTracker::track(gradients::GradientMatrix& matrix, ParameterPack& upper, double beta) const {
  const auto move_on = [beta](torch::Tensor h, const torch::Tensor& y) { h.mul_(beta).add_(y, 1 - beta); };
  for (std::size_t i = 0; i < dense_.size(); ++i) {
    const auto row = matrix.row(static_cast<std::int64_t>(i));
    move_on(row.narrow(0, 0, upper.dense_size()), dense_[i]);
    visit_slices(upper, row, [&](std::size_t table, const torch::Tensor& rows, const torch::Tensor& columns) {
      move_on(columns, tables_[i][table].index_select(0, rows));
    });
  }
}

void GradientTracker::store(const gradients::GradientMatrix& matrix, ParameterPack& upper) {
  overwritten_.clear();
  for (std::size_t i = 0; i < dense_.size(); ++i) {
    const auto row = matrix.row(static_cast<std::int64_t>(i));
    dense_[i] = row.narrow(0, 0, upper.dense_size()).clone();
    visit_slices(upper, row, [&](std::size_t table, const torch::Tensor& rows, const torch::Tensor& columns) {
      overwritten_.push_back({i, table, rows, tables_[i][table].index_select(0, rows)});
      tables_[i][table].index_copy_(0, rows, columns);
    });
  }
}

void GradientTracker::save_dense(Snapshot& to) const {
  for (std::size_t i = 0; i < dense_.size(); ++i) to.tensors[dense_name(i)] = dense_[i];
}

void GradientTracker::undo_store(const Snapshot& before) {
  if (dense_.empty() || dense_[0].is_same(before.tensors.at(dense_name(0)))) return;  // store() replaces it
  for (std::size_t i = 0; i < dense_.size(); ++i) dense_[i] = before.tensors.at(dense_name(i));
  for (const auto& old : overwritten_) tables_[old.objective][old.table].index_copy_(0, old.rows, old.values);
  overwritten_.clear();
}

void GradientTracker::save(Snapshot& to) const {
  save_dense(to);
  for (std::size_t i = 0; i < tables_.size(); ++i) {
    for (std::size_t j = 0; j < tables_[i].size(); ++j) to.tensors[table_name(i, j)] = tables_[i][j].clone();
  }
}

void GradientTracker::restore(const Snapshot& from) {
  overwritten_.clear();
  for (std::size_t i = 0; i < dense_.size(); ++i) {
    dense_[i] = problem::tensor_like(from, dense_name(i), dense_[i]);
    for (std::size_t j = 0; j < tables_[i].size(); ++j) {
      tables_[i][j] = problem::tensor_like(from, table_name(i, j), tables_[i][j]).clone();
    }
  }
}

}  // namespace moblo::methods
