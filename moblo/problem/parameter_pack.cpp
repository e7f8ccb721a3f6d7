#include "moblo/problem/parameter_pack.hpp"

#include <fmt/format.h>
#include <torch/nn/module.h>

#include <algorithm>

#include "moblo/base/error.hpp"

namespace moblo::problem {
namespace {

[[noreturn]] void refuse(const std::string& name, const std::string& rule, const std::string& next) {
  throw Error(ErrorKind::problem, fmt::format("parameter '{}'", name), rule, next);
}

/// First and last byte of the elements.
std::pair<const std::byte*, const std::byte*> extent(const torch::Tensor& tensor) {
  const auto* first = static_cast<const std::byte*>(tensor.data_ptr());
  std::int64_t last = 0;
  for (std::int64_t i = 0; i < tensor.dim(); ++i) last += (tensor.size(i) - 1) * tensor.stride(i);
  return {first, first + (last + 1) * static_cast<std::int64_t>(tensor.element_size())};
}

bool overlap(const torch::Tensor& a, const torch::Tensor& b) {
  const auto [a_first, a_last] = extent(a);
  const auto [b_first, b_last] = extent(b);
  return a_first < b_last && b_first < a_last;
}

}  // namespace

void ParameterPack::refuse_bad_tensor(const std::string& name, const torch::Tensor& tensor) const {
  if (!tensor.defined()) refuse(name, "is an undefined tensor", "Initialise it before adding it");
  if (name.empty()) refuse(name, "has no name", "Name it; records and checkpoints tell parameters by their names");
  if (tensor.scalar_type() != torch::kFloat32 && tensor.scalar_type() != torch::kFloat64) {
    refuse(name,
           fmt::format("is of type {}; a floating-point type of 32 or 64 bits is needed",
                       c10::toString(tensor.scalar_type())),
           "Use kFloat32 or kFloat64");
  }
  if (tensor.layout() != torch::kStrided) refuse(name, "is a sparse tensor", "Use a dense one");
  if (!tensor.device().is_cpu()) {
    refuse(name, fmt::format("is on device {}", tensor.device().str()), "Use a tensor on the CPU");
  }
  if (tensor.is_inference()) refuse(name, "was made under InferenceMode", "Make it outside, or add a clone");
  if (!tensor.is_leaf()) refuse(name, "is the result of a computation", "Add tensor.detach().clone()");
  if (tensor.numel() == 0) refuse(name, "has no elements", "Leave it out");
  if (!empty() && tensor.scalar_type() != torch::typeMetaToScalarType(options().dtype())) {
    refuse(name, "has another type than the parameters before it", "Give all of one level the same dtype");
  }
  const bool taken = std::find(names_.begin(), names_.end(), name) != names_.end() ||
                     std::any_of(tables_.begin(), tables_.end(), [&](const Table& t) { return t.name == name; });
  if (taken) refuse(name, "was added before", "Choose another name");
  refuse_shared(name, tensor, false);
}

void ParameterPack::refuse_shared(const std::string& name, const torch::Tensor& tensor, bool other_level) const {
  const char* const where = other_level ? " in the other level: it would be in both levels" : "";
  const auto check = [&](const std::string& other, const torch::Tensor& its) {
    if (its.is_same(tensor)) {
      refuse(name, fmt::format("is the tensor that was added as '{}'{}", other, where), "Add it once");
    }
    if (overlap(its, tensor)) {
      refuse(name, fmt::format("overlaps '{}' in memory{}", other, where),
             "Add the whole tensor once, or clones of its parts");
    }
  };
  for (std::size_t i = 0; i < leaves_.size(); ++i) check(names_[i], leaves_[i]);
  for (const auto& table : tables_) check(table.name, table.values);
}

void ParameterPack::refuse_shared_with(const ParameterPack& other) const {
  for (std::size_t i = 0; i < leaves_.size(); ++i) other.refuse_shared(names_[i], leaves_[i], true);
  for (const auto& table : tables_) other.refuse_shared(table.name, table.values, true);
}

void ParameterPack::refuse_when_packed(const std::string& name) const {
  if (values_.defined()) refuse(name, "comes after the pack was first used", "Add all parameters in the constructor");
}

void ParameterPack::add(const std::string& name, torch::Tensor tensor) {
  refuse_when_packed(name);
  refuse_bad_tensor(name, tensor);
  tensor.set_requires_grad(true);
  names_.push_back(name);
  shapes_.push_back(tensor.sizes().vec());
  type_ = tensor.scalar_type();
  leaves_.push_back(std::move(tensor));
}

void ParameterPack::add(const std::string& prefix, torch::nn::Module& module) {
  refuse_when_packed(prefix);
  if (std::find(modules_.begin(), modules_.end(), &module) != modules_.end()) {
    refuse(prefix, "is a module that was added before", "Add it once");
  }
  modules_.push_back(&module);
  const std::string stem = prefix.empty() ? "" : prefix + ".";
  for (auto& item : module.named_parameters()) {
    const bool tied =
        std::any_of(leaves_.begin(), leaves_.end(), [&](const auto& l) { return l.is_same(item.value()); });
    if (tied) continue;
    if (item.value().requires_grad()) {
      add(stem + item.key(), item.value());
    } else {
      add_frozen(stem + item.key(), item.value());
    }
  }
  for (auto& item : module.named_buffers()) add_buffer(stem + item.key(), item.value());
}

void ParameterPack::add_buffer(const std::string& name, torch::Tensor buffer) {
  add_frozen(name, buffer);
  written_buffers_.push_back(std::move(buffer));
}

void ParameterPack::add_frozen(const std::string& name, torch::Tensor tensor) {
  refuse_when_packed(name);
  if (!tensor.defined()) refuse(name, "is an undefined tensor", "Initialise it before adding it");
  buffer_names_.push_back(name);
  buffers_.push_back(std::move(tensor));
}

void ParameterPack::add_rows(const std::string& name, torch::Tensor table) {
  refuse_when_packed(name);
  refuse_bad_tensor(name, table);
  if (table.dim() == 0) refuse(name, "is a scalar; one row per sample is needed", "Give it a first dimension");
  table.set_requires_grad(false);
  tables_.push_back({name, std::move(table)});
}

torch::TensorOptions ParameterPack::options() const {
  if (!leaves_.empty()) return leaves_.front().options().requires_grad(false);
  if (!tables_.empty()) return tables_.front().values.options().requires_grad(false);
  return torch::TensorOptions();
}

void ParameterPack::refuse_changed(std::size_t i) const {
  const auto& leaf = leaves_[i];
  if (leaf.scalar_type() != type_ || !leaf.device().is_cpu()) {
    refuse(names_[i],
           fmt::format("is of type {} now; it had another floating-point type or device when it was added",
                       c10::toString(leaf.scalar_type())),
           "Load values of the same kind");
  }
  if (!leaf.requires_grad()) refuse(names_[i], "does not require a gradient any more", "Leave requires_grad on");
}

void ParameterPack::take_over() {
  for (std::size_t i = 0; i < leaves_.size(); ++i) refuse_changed(i);
  if (!values_.defined()) return;
  torch::NoGradGuard no_grad;
  std::int64_t at = 0;
  for (std::size_t i = 0; i < leaves_.size(); ++i) {
    auto& leaf = leaves_[i];
    if (leaf.sizes() != c10::IntArrayRef(shapes_[i])) {
      refuse(names_[i], "has another shape than when it was first used", "Load values of that shape");
    }
    const auto first = std::exchange(at, at + leaf.numel());
    // Asked in every step: no view is made where nothing has changed.
    const auto* home = static_cast<const std::byte*>(values_.data_ptr()) + first * leaf.element_size();
    if (leaf.data_ptr() == home) continue;
    const auto place = values_.narrow(0, first, leaf.numel()).view(shapes_[i]);
    place.copy_(leaf);
    leaf.set_data(place);
  }
}

const torch::Tensor& ParameterPack::values() {
  if (!values_.defined()) {
    torch::NoGradGuard no_grad;
    std::int64_t total = 0;
    for (std::size_t i = 0; i < leaves_.size(); ++i) {
      total += leaves_[i].numel();
      shapes_[i] = leaves_[i].sizes().vec();  // until now it might be given others
    }
    auto buffer = torch::empty({total}, options());
    auto views = pieces(buffer);
    for (std::size_t i = 0; i < leaves_.size(); ++i) views[i].copy_(leaves_[i]);
    bind(buffer);
  }
  return values_;
}

void ParameterPack::bind(const torch::Tensor& buffer) {
  auto views = pieces(buffer);
  for (std::size_t i = 0; i < leaves_.size(); ++i) leaves_[i].set_data(views[i]);
  values_ = buffer;
}

std::vector<torch::Tensor>& ParameterPack::leaves() {
  values();
  return leaves_;
}

std::vector<torch::Tensor> ParameterPack::pieces(const torch::Tensor& flat) const {
  std::vector<torch::Tensor> views;
  views.reserve(leaves_.size());
  std::int64_t at = 0;
  for (const auto& shape : shapes_) {
    const std::int64_t size = c10::multiply_integers(shape);
    views.push_back(flat.narrow(0, at, size).view(shape));
    at += size;
  }
  return views;
}

std::int64_t ParameterPack::dense_size() {
  return values().numel();
}

std::int64_t ParameterPack::size() {
  std::int64_t total = dense_size();
  for (const auto& table : tables_) total += table.values.numel();
  return total;
}

torch::Tensor ParameterPack::rows(const std::string& name, const torch::Tensor& indices) {
  const auto found = std::find_if(tables_.begin(), tables_.end(), [&](const Table& t) { return t.name == name; });
  if (found == tables_.end()) refuse(name, "was not added with add_rows", "Add it, or read it as an ordinary tensor");
  const char* const next = "Give rows() the indices of a batch";
  if (!indices.defined()) refuse(name, "is read with undefined indices", next);
  if (!indices.device().is_cpu()) refuse(name, "is read with indices on another device", next);
  if (indices.scalar_type() != torch::kInt64) refuse(name, "is read with indices that are not of type int64", next);
  if (indices.dim() != 1) refuse(name, "is read with indices that have not one dimension", next);
  const auto count = found->values.size(0);
  if (indices.numel() > 0 && (indices.min().item().toLong() < 0 || indices.max().item().toLong() >= count)) {
    refuse(name, fmt::format("is read at an index outside of 0 .. {}", count - 1), next);
  }
  const auto table = static_cast<std::size_t>(found - tables_.begin());
  const bool settled = slicing_ == Slicing::settled || slicing_ == Slicing::borrowed;
  if (settled && !slices_paused_) return settled_rows(table, indices);
  if (slicing_ == Slicing::gathering && !slices_paused_) noted_[table].push_back(indices);
  if (slicing_ != Slicing::open || slices_paused_) return found->values.index_select(0, indices);
  auto& slice = slice_of(table, indices);
  return slice.positions.defined() ? slice.leaf.index_select(0, slice.positions) : slice.leaf;
}

ParameterPack::Slice& ParameterPack::slice_of(std::size_t table, const torch::Tensor& indices) {
  for (auto& slice : slices_) {
    if (slice.table != table) continue;
    if (slice.indices.is_same(indices) || torch::equal(slice.indices, indices)) return slice;
    refuse(tables_[table].name, "was read at two different sets of rows within one step",
           "Use the same batch in every loss that depends on it");
  }
  Slice slice{table, indices, indices, {}, {}};
  auto [coordinates, positions, counts] = at::_unique2(indices, /*sorted=*/true, /*return_inverse=*/true, false);
  if (coordinates.numel() != indices.numel()) {
    slice.coordinates = coordinates;
    slice.positions = positions;
  }
  slice.leaf = tables_[table].values.index_select(0, slice.coordinates).set_requires_grad(true);
  slices_.push_back(std::move(slice));
  return slices_.back();
}

torch::Tensor ParameterPack::settled_rows(std::size_t table, const torch::Tensor& indices) const {
  for (const auto& slice : slices_) {
    if (slice.table != table) continue;
    if (torch::equal(slice.coordinates, indices)) return slice.leaf;
    const auto positions = torch::searchsorted(slice.coordinates, indices);
    const auto found = slice.coordinates.index_select(0, positions.clamp_max(slice.coordinates.numel() - 1));
    if (!torch::equal(found, indices)) break;
    return slice.leaf.index_select(0, positions);
  }
  refuse_other_rows(table);
}

void ParameterPack::refuse_other_rows(std::size_t table) const {
  if (slicing_ == Slicing::borrowed) {
    refuse(tables_[table].name, "was read at rows that lower_loss does not read on the first lower batch of the step",
           "Take inner_batches = \"one\", and upper batches of the same tasks as the lower ones");
  }
  refuse(tables_[table].name, "was read by an upper loss at rows that the lower loop did not read",
         "Read the same rows in lower_loss, or add the tensor with add instead of add_rows");
}

void ParameterPack::open_slices() {
  close_slices();
  slicing_ = Slicing::open;
}

void ParameterPack::gather_slices() {
  close_slices();
  slicing_ = Slicing::gathering;
  noted_.resize(tables_.size());
}

void ParameterPack::settle_slices() {
  for (std::size_t table = 0; table < noted_.size(); ++table) {
    if (noted_[table].empty()) continue;
    const auto coordinates = std::get<0>(at::_unique(torch::cat(noted_[table]), /*sorted=*/true));
    const auto leaf = tables_[table].values.index_select(0, coordinates).set_requires_grad(true);
    slices_.push_back({table, {}, coordinates, {}, leaf});
  }
  noted_.clear();
  slicing_ = Slicing::settled;
}

void ParameterPack::borrow_rows() {
  settle_slices();
  home_ = values();
  for (const auto& slice : slices_) {
    names_.push_back(tables_[slice.table].name);
    shapes_.push_back(slice.leaf.sizes().vec());
    leaves_.push_back(slice.leaf);
  }
  std::vector<torch::Tensor> parts;
  for (const auto& leaf : leaves_) parts.push_back(leaf.detach().reshape({-1}));
  bind(torch::cat(parts));
  slicing_ = Slicing::borrowed;
}

void ParameterPack::return_rows() {
  if (slicing_ != Slicing::borrowed) return;
  const torch::NoGradGuard no_grad;
  home_.copy_(values_.narrow(0, 0, home_.numel()));
  for (const auto& slice : slices_) tables_[slice.table].values.index_copy_(0, slice.coordinates, slice.leaf);
  const auto own = leaves_.size() - slices_.size();
  names_.resize(own);
  shapes_.resize(own);
  leaves_.resize(own);
  bind(std::exchange(home_, {}));
  close_slices();
}

void ParameterPack::close_slices() {
  slices_.clear();
  noted_.clear();
  slicing_ = Slicing::closed;
}

BuffersKept::BuffersKept(ParameterPack& pack) : pack_(pack) {
  for (const auto& buffer : pack_.written_buffers()) saved_.push_back(buffer.detach().clone());
}

BuffersKept::~BuffersKept() {
  torch::NoGradGuard no_grad;
  for (std::size_t i = 0; i < saved_.size(); ++i) pack_.written_buffers()[i].copy_(saved_[i]);
}

}  // namespace moblo::problem
