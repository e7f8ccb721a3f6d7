#include "lab/nets/molecules.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "moblo/base/error.hpp"

namespace moblo::lab::nets {
namespace {

constexpr std::int64_t bond_types = 4;

void refuse(const std::string& given, const std::string& rule) {
  throw Error(ErrorKind::data, given, rule,
              "Give num_atoms [M], nodes [M, A, features], positions [M, A, 3], bonds [M, A, A]");
}

void require_shape(const std::string& name, const torch::Tensor& tensor, std::vector<std::int64_t> shape) {
  if (tensor.defined() && tensor.sizes() == at::IntArrayRef(shape)) return;
  const auto given = tensor.defined() ? tensor.sizes().vec() : std::vector<std::int64_t>{};
  refuse(fmt::format("{} of molecules with the shape [{}]", name, fmt::join(given, ", ")),
         fmt::format("must have the shape [{}]", fmt::join(shape, ", ")));
}

/// Names the first molecule that breaks a rule.
void require(const torch::Tensor& holds, const std::string& name, const std::string& rule) {
  const auto bad = holds.flatten(1).all(1).logical_not().nonzero();
  if (bad.size(0) == 0) return;
  refuse(fmt::format("{} of molecule {} (counted from 0)", name, bad[0][0].item().toLong()), rule);
}

/// [M, A] which atoms are there.
torch::Tensor presence(const torch::Tensor& num_atoms, std::int64_t atoms) {
  return torch::arange(atoms).unsqueeze(0) < num_atoms.unsqueeze(1);
}

}  // namespace

torch::Tensor pack(const MoleculeArrays& molecules) {
  if (!molecules.nodes.defined() || molecules.nodes.dim() != 3)
    refuse("nodes of molecules", "must have three dimensions");
  const auto count = molecules.nodes.size(0), atoms = molecules.nodes.size(1);
  require_shape("num_atoms", molecules.num_atoms, {count});
  require_shape("positions", molecules.positions, {count, atoms, 3});
  require_shape("bonds", molecules.bonds, {count, atoms, atoms});
  const auto num_atoms = molecules.num_atoms.to(torch::kInt64);
  require(torch::logical_and(num_atoms >= 1, num_atoms <= atoms).unsqueeze(1), "num_atoms",
          fmt::format("must lie in 1..{}", atoms));
  require(torch::logical_and(molecules.bonds >= 0, molecules.bonds <= bond_types), "bonds",
          fmt::format("must lie in 0..{}", bond_types));
  const auto present = presence(num_atoms, atoms).unsqueeze(2);
  const auto packed = torch::cat({torch::ones({count, atoms, 1}), molecules.nodes.to(torch::kFloat32),
                                  molecules.positions.to(torch::kFloat32), molecules.bonds.to(torch::kFloat32)},
                                 2)
                          .masked_fill_(present.logical_not(), 0);
  require(packed.isfinite(), "values", "must be finite");
  return packed;
}

GraphBatch unpack(const torch::Tensor& packed) {
  const auto molecules = packed.size(0), atoms = packed.size(1), features = packed.size(2) - atoms - 4;
  const auto present = packed.select(2, 0) > 0;
  const auto positions = packed.narrow(2, 1 + features, 3), bonds = packed.narrow(2, 4 + features, atoms);
  const auto distances = (positions.unsqueeze(1) - positions.unsqueeze(2)).square().sum(3).sqrt();
  const auto differ = torch::eye(atoms, packed.options()).neg_().add_(1).expand_as(distances);
  auto pairs = torch::empty({molecules, atoms, atoms, bond_types + 2}, packed.options());
  for (std::int64_t type = 1; type <= bond_types; ++type) pairs.select(3, type - 1).copy_(bonds == type);
  pairs.select(3, bond_types).copy_(distances);
  pairs.select(3, bond_types + 1).copy_(differ);
  pairs.mul_(differ.unsqueeze(3));

  GraphBatch batch;
  batch.slots = present.flatten().nonzero().squeeze(1);
  batch.nodes = packed.narrow(2, 1, features).flatten(0, 1).index_select(0, batch.slots);
  const auto both = torch::logical_and(present.unsqueeze(1), present.unsqueeze(2)).flatten().nonzero().squeeze(1);
  batch.pairs = pairs.flatten(0, 2).index_select(0, both);
  const auto sizes = present.sum(1).contiguous();
  batch.sizes.assign(sizes.data_ptr<std::int64_t>(), sizes.data_ptr<std::int64_t>() + molecules);
  return batch;
}

}  // namespace moblo::lab::nets
