#pragma once

#include <memory>
#include <vector>

#include "lab/nets/task_network.hpp"
#include "moblo/base/rng.hpp"

namespace moblo::lab::nets {

/// What follows the pooled features: Linear (N(0, 0.005^2), bias 0.1), batch norm, ReLU, dropout; linear heads.
struct FeatureHeadOptions {
  std::vector<std::int64_t> classes{31, 31, 31};  ///< of each task
  std::int64_t inputs = 512;
  std::int64_t hidden = 512;
  double dropout = 0.5;
};

/// On features that were computed before: [rows, inputs].
std::unique_ptr<TaskNetwork> make_feature_head(const FeatureHeadOptions& options, Rng& rng);

/// On images [rows, 3, 224, 224] (any size does), with a ResNet-18 in the trunk, under the name `backbone`.
std::unique_ptr<TaskNetwork> make_resnet18_office(const FeatureHeadOptions& options, Rng& rng);

}  // namespace moblo::lab::nets
