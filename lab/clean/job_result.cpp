#include "lab/clean/job_result.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "moblo/base/error.hpp"
#include "moblo/problem/stored_tensors.hpp"

namespace moblo::lab::clean {
namespace {

const records::StoredTensor* tensor_called(const JobResult& result, const std::string& name) {
  const auto found =
      std::find_if(result.begin(), result.end(), [&](const auto& tensor) { return tensor.name == name; });
  return found == result.end() ? nullptr : &*found;
}

[[noreturn]] void refuse_misfit(const std::string& name) {
  throw Error(ErrorKind::checkpoint, fmt::format("the result '{}' of a job", name), "is missing or has another size",
              "Remove clean_state to start over");
}

}  // namespace

void put_network(JobResult& to, const std::string& name, const nets::DenseClassifier& network) {
  for (const auto& parameter : network.parameters()) {
    to.push_back(problem::to_stored(fmt::format("{}.{}", name, to.size()), parameter));
  }
}

nets::DenseClassifier network_in(const JobResult& from, const std::string& name) {
  std::vector<torch::Tensor> parameters;
  for (const auto& tensor : from) {
    if (tensor.name.starts_with(name + ".")) parameters.push_back(problem::from_stored(tensor));
  }
  if (parameters.empty()) refuse_misfit(name);
  return nets::DenseClassifier(parameters);
}

void put_numbers(JobResult& to, const std::string& name, const std::vector<double>& numbers) {
  to.push_back(problem::to_stored(name, torch::tensor(numbers, torch::kFloat64)));
}

std::vector<double> numbers_in(const JobResult& from, const std::string& name, std::size_t count) {
  std::vector<double> numbers(count);
  const auto* tensor = tensor_called(from, name);
  if (!tensor || tensor->bytes.size() != count * sizeof(double)) refuse_misfit(name);
  if (count > 0) std::memcpy(numbers.data(), tensor->bytes.data(), tensor->bytes.size());
  return numbers;
}

void put_fold(JobResult& to, const std::string& name, const ClassChances& chances,
              const std::vector<std::int64_t>& fold, std::int64_t k) {
  std::vector<double> rows;
  for (std::size_t j = 0; j < fold.size(); ++j) {
    if (fold[j] == k) rows.insert(rows.end(), chances.row(j), chances.row(j) + chances.classes);
  }
  put_numbers(to, name, rows);
}

void take_fold(const JobResult& from, const std::string& name, const std::vector<std::int64_t>& fold, std::int64_t k,
               ClassChances& into) {
  const auto samples = static_cast<std::size_t>(std::count(fold.begin(), fold.end(), k));
  const auto rows = numbers_in(from, name, samples * into.classes);
  auto row = rows.begin();
  for (std::size_t j = 0; j < fold.size(); ++j) {
    if (fold[j] != k) continue;
    std::copy_n(row, into.classes, into.row(j));
    row += static_cast<std::ptrdiff_t>(into.classes);
  }
}

}  // namespace moblo::lab::clean
