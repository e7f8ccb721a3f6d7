#pragma once

#include <string>
#include <vector>

#include "lab/clean/clean_options.hpp"
#include "lab/clean/clean_task.hpp"
#include "lab/clean/findings.hpp"

namespace moblo::lab::clean {

Labels most_probable(const ClassChances& chances);
/// The true class as far as it is known: the given label where it is rather right than wrong, the most probable other
/// one otherwise.
Labels best_guesses(const ClassChances& posterior, const Labels& given);
/// -log p(given label): what a single model's confidence ranks by.
std::vector<double> unlikeliness(const ClassChances& chances, const Labels& given);
/// Share of the samples whose most probable class is their label.
double accuracy_of(const ClassChances& chances, const Labels& right);

/// `suspicion` is larger for labels that are more probably wrong; `test` is null where there is no model or no test.
WayFigures way(const std::string& name, const std::string& learns_from, const std::vector<double>& suspicion,
               const ClassChances* test, const CleanTask& task);

/// What follows from the probabilities of being wrong: the order, the flagged list with its promise, and how true they
/// are where the truth is known.
void describe(DatasetFindings& found, const CleanTask& task, const std::vector<HeldOutPair>& pairs,
              const CleanOptions& options);

}  // namespace moblo::lab::clean
