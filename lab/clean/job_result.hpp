#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lab/clean/noise_model.hpp"
#include "lab/nets/dense_classifier.hpp"
#include "moblo/records/tensor_file.hpp"

namespace moblo::lab::clean {

/// What a job has found out, in a form that a file can hold: the same bits come out as went in. Whatever is taken out
/// under a name that nothing was put in by, or in another size, is an Error(checkpoint).
using JobResult = std::vector<records::StoredTensor>;

void put_network(JobResult& to, const std::string& name, const nets::DenseClassifier& network);
nets::DenseClassifier network_in(const JobResult& from, const std::string& name);

void put_numbers(JobResult& to, const std::string& name, const std::vector<double>& numbers);
std::vector<double> numbers_in(const JobResult& from, const std::string& name, std::size_t count);

/// Of the samples in fold k only; different folds may be taken out at the same time.
void put_fold(JobResult& to, const std::string& name, const ClassChances& chances,
              const std::vector<std::int64_t>& fold, std::int64_t k);
void take_fold(const JobResult& from, const std::string& name, const std::vector<std::int64_t>& fold, std::int64_t k,
               ClassChances& into);

}  // namespace moblo::lab::clean
