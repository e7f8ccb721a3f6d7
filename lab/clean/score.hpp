#pragma once

#include <string>
#include <vector>

#include "lab/clean/clean_options.hpp"
#include "lab/clean/clean_task.hpp"
#include "lab/clean/findings.hpp"
#include "lab/nets/dense_classifier.hpp"

namespace moblo::lab::clean {

Labels most_probable(const ClassChances& chances);
/// -log p(given label): what a single model's confidence ranks by.
std::vector<double> unlikeliness(const ClassChances& chances, const Labels& given);

/// `suspicion` is larger for labels that are more probably wrong; `network` is null for a way that gives none.
WayFigures way(const std::string& name, const std::string& learns_from, const std::vector<double>& suspicion,
               const nets::DenseClassifier* network, const CleanTask& task);

/// What follows from the probabilities of being wrong: the order, the flagged list, and how true they are where the
/// truth is known.
void describe(DatasetFindings& found, const CleanTask& task, const CleanOptions& options);

}  // namespace moblo::lab::clean
