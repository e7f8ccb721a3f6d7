#pragma once

#include <memory>

#include "lab/nets/molecules.hpp"
#include "lab/nets/task_network.hpp"
#include "moblo/base/rng.hpp"

namespace moblo::lab::nets {

/// Message passing on complete graphs (Gilmer et al. 2017): Linear ReLU; `passes` times the same edge-conditioned
/// convolution (mean), ReLU and GRU; Set2Set; Linear ReLU; one linear head per task.
struct MpnnOptions {
  std::int64_t tasks = 11;
  std::int64_t node_features = 11;
  std::int64_t hidden = 64;
  std::int64_t edge_hidden = 128;
  std::int64_t passes = 3;
  std::int64_t readout_steps = 3;
};

/// Inputs: rows of pack().
std::unique_ptr<TaskNetwork> make_mpnn(const MpnnOptions& options, Rng& rng);

}  // namespace moblo::lab::nets
