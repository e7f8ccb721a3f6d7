#pragma once

#include <torch/types.h>

#include <string>
#include <utility>
#include <vector>

#include "moblo/base/export.hpp"

namespace torch::nn {
class Module;
}

namespace moblo::problem {

/// The variables of one level: named leaf tensors that are views into one contiguous buffer. Binding the pack to
/// another buffer evaluates the same modules at another point, with no copy of a model and no `cat`.
///
/// Tensors that hold one row per sample (hyper-cleaning's weights) are added with `add_rows`: a loss reads the rows of
/// its batch through `rows`, and only those get gradient columns, so that a step costs the same for any number of
/// samples. Where one step needs gradients by the rows of several batches (a hypergradient), the rows are gathered
/// first and the slice settled over their union.
///
/// In the lower level a row belongs to a task with variables of its own: the rows of a step's tasks are borrowed from
/// their tables for the length of the step and are parameters like any other meanwhile.
class MOBLO_API ParameterPack {
 public:
  /// Any floating-point leaf tensor. The caller's handle stays valid and sees every later value.
  void add(const std::string& name, torch::Tensor tensor);
  /// Parameters of a module; its buffers (running statistics) are saved around every inner solve. Parameters that do
  /// not require a gradient are frozen.
  void add(const std::string& prefix, torch::nn::Module& module);
  /// The same of a module holder (torch::nn::Linear, torch::nn::Sequential, ...).
  template <class Holder>
  requires requires(const Holder& holder) { holder.ptr()->parameters(); }
  void add(const std::string& prefix, const Holder& holder) {
    add(prefix, static_cast<torch::nn::Module&>(*holder.ptr()));
  }
  /// A tensor that no gradient moves, but that losses may write to (running statistics): saved around every inner solve
  /// and in checkpoints.
  void add_buffer(const std::string& name, torch::Tensor buffer);
  /// One that losses only read (a frozen parameter): saved in checkpoints.
  void add_frozen(const std::string& name, torch::Tensor tensor);
  /// A tensor whose first dimension counts samples.
  void add_rows(const std::string& name, torch::Tensor table);

  /// The rows of `indices`. While a slice is open they are a leaf with gradient columns of its own.
  torch::Tensor rows(const std::string& name, const torch::Tensor& indices);

  // -- what follows is for methods, not for the losses ----------------------------------------------------------

  /// Values that were loaded or set since (torch::load, set_data) come into the buffer. Throws Error(problem) where
  /// they have another shape, type or device, or where a module was given other parameters.
  void take_over();
  /// Throws Error(problem) that names a tensor of this pack which shares memory with one of the other.
  void refuse_shared_with(const ParameterPack& other) const;

  /// All dense values, one dimension. Moves the tensors into the buffer on first use.
  const torch::Tensor& values();
  /// Points every leaf into `buffer`, which must have the shape of values().
  void bind(const torch::Tensor& buffer);
  std::vector<torch::Tensor>& leaves();
  /// Pieces of a one-dimensional tensor over the dense coordinates, one per leaf, each of its leaf's shape.
  std::vector<torch::Tensor> pieces(const torch::Tensor& flat) const;

  /// Of values(), borrowed rows included.
  std::int64_t dense_size();
  /// Dense and per-row coordinates together.
  std::int64_t size();
  bool empty() const { return leaves_.empty() && tables_.empty(); }
  bool has_rows() const { return !tables_.empty(); }
  torch::TensorOptions options() const;
  const std::vector<std::string>& names() const { return names_; }
  /// All that no gradient moves, and the part of it that losses may write to.
  std::vector<torch::Tensor>& buffers() { return buffers_; }
  std::vector<torch::Tensor>& written_buffers() { return written_buffers_; }
  const std::vector<std::string>& buffer_names() const { return buffer_names_; }

  struct Table {
    std::string name;
    torch::Tensor values;
  };
  std::vector<Table>& tables() { return tables_; }

  /// The coordinates of one table that the current step touches.
  struct Slice {
    std::size_t table = 0;
    torch::Tensor indices;      ///< as the loss gave them; undefined in a settled slice
    torch::Tensor coordinates;  ///< without repetition
    torch::Tensor positions;    ///< of each index in `coordinates`; undefined where they coincide
    torch::Tensor leaf;         ///< values at `coordinates`, with gradient
  };

  void open_slices();
  /// From here on rows() gives plain copies and notes which rows were read, until settle_slices().
  void gather_slices();
  /// One slice per table over all rows that were noted; rows() reads any of them, in whatever batches.
  void settle_slices();
  void close_slices();
  /// The rows that were noted since gather_slices() become leaves behind the dense ones, part of values(), until
  /// return_rows() writes them back into their tables.
  void borrow_rows();
  void return_rows();
  bool rows_borrowed() const { return home_.defined(); }
  /// Coordinates of values() that no borrowed row has.
  std::int64_t own_size() { return home_.defined() ? home_.numel() : dense_size(); }
  /// While paused, rows() gathers plain copies and the open slices stay as they are. Returns what it was before.
  bool pause_slices(bool paused) { return std::exchange(slices_paused_, paused); }
  const std::vector<Slice>& slices() const { return slices_; }

 private:
  void refuse_bad_tensor(const std::string& name, const torch::Tensor& tensor) const;
  void refuse_when_packed(const std::string& name) const;
  Slice& slice_of(std::size_t table, const torch::Tensor& indices);
  torch::Tensor settled_rows(std::size_t table, const torch::Tensor& indices) const;
  [[noreturn]] void refuse_other_rows(std::size_t table) const;

  /// Of the pack before it is packed: afterwards its tensors are apart.
  void refuse_shared(const std::string& name, const torch::Tensor& tensor, bool other_level) const;
  void refuse_changed(std::size_t leaf) const;

  std::vector<std::string> names_, buffer_names_;
  std::vector<torch::Tensor> leaves_, buffers_, written_buffers_;
  std::vector<Table> tables_;
  std::vector<std::vector<std::int64_t>> shapes_;  // of the leaves, as they were added
  torch::ScalarType type_ = torch::kFloat32;
  std::vector<const void*> modules_;  // identities, never followed
  torch::Tensor values_;
  torch::Tensor home_;  // values() without the rows, while some are borrowed
  enum class Slicing { closed, open, gathering, settled, borrowed };
  Slicing slicing_ = Slicing::closed;
  bool slices_paused_ = false;
  std::vector<Slice> slices_;
  std::vector<std::vector<torch::Tensor>> noted_;  // while gathering: the index sets that were read, a table
};

/// Evaluates a pack's losses at other values for as long as it lives.
class MOBLO_API BoundElsewhere {
 public:
  BoundElsewhere(ParameterPack& pack, const torch::Tensor& buffer) : pack_(pack), home_(pack.values()) {
    pack_.bind(buffer);
  }
  ~BoundElsewhere() { pack_.bind(home_); }
  BoundElsewhere(const BoundElsewhere&) = delete;
  BoundElsewhere& operator=(const BoundElsewhere&) = delete;

 private:
  ParameterPack& pack_;
  torch::Tensor home_;
};

/// Restores module buffers (running statistics) when it goes: an inner solve must leave no trace in the model.
class MOBLO_API BuffersKept {
 public:
  explicit BuffersKept(ParameterPack& pack);
  ~BuffersKept();
  BuffersKept(const BuffersKept&) = delete;
  BuffersKept& operator=(const BuffersKept&) = delete;

 private:
  ParameterPack& pack_;
  std::vector<torch::Tensor> saved_;
};

/// Opens the slices of a pack for one step.
class MOBLO_API SlicesOpen {
 public:
  explicit SlicesOpen(ParameterPack& pack) : pack_(pack) { pack_.open_slices(); }
  ~SlicesOpen() { pack_.close_slices(); }
  SlicesOpen(const SlicesOpen&) = delete;
  SlicesOpen& operator=(const SlicesOpen&) = delete;

 private:
  ParameterPack& pack_;
};

/// For the lower loop, whose batches need alpha's values but no gradients by them.
class MOBLO_API SlicesPaused {
 public:
  explicit SlicesPaused(ParameterPack& pack) : pack_(pack), before_(pack.pause_slices(true)) {}
  ~SlicesPaused() { pack_.pause_slices(before_); }
  SlicesPaused(const SlicesPaused&) = delete;
  SlicesPaused& operator=(const SlicesPaused&) = delete;

 private:
  ParameterPack& pack_;
  bool before_;
};

}  // namespace moblo::problem

namespace moblo {

using problem::ParameterPack;

}  // namespace moblo
