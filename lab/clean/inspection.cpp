#include "lab/clean/inspection.hpp"

#include <algorithm>
#include <set>

#include "lab/clean/pictures.hpp"

namespace moblo::lab::clean {
namespace {

torch::Tensor compared_rows(const CleanTask& task) {
  if (task.features.empty()) return task.noisy.inputs;
  const auto mean = torch::tensor(task.scaling.mean, torch::kFloat32);
  const auto scale = torch::tensor(task.scaling.scale, torch::kFloat32);
  const auto raw = torch::where(scale > 0, task.noisy.inputs / scale, torch::zeros_like(task.noisy.inputs)) + mean;
  return raw / raw.norm(2, 1, /*keepdim=*/true).clamp_min(1e-12);
}

std::set<std::size_t> shown_samples(const Inspection& found) {
  std::set<std::size_t> shown;
  const auto add = [&](const std::vector<std::size_t>& samples, std::size_t most) {
    shown.insert(samples.begin(), samples.begin() + static_cast<std::ptrdiff_t>(std::min(samples.size(), most)));
  };
  const auto& groups = found.duplicates.groups;
  for (std::size_t g = 0; g < std::min(groups.size(), groups_shown); ++g) add(groups[g].samples, members_shown);
  add(found.outliers.listed, outliers_shown);
  for (std::size_t o = 0; o < std::min(found.overlaps.size(), overlaps_shown); ++o) add(found.overlaps[o].between, 6);
  return shown;
}

void add_thumbnails(Inspection& found, const CleanTask& task) {
  const auto shown = shown_samples(found);
  const std::vector<std::size_t> samples(shown.begin(), shown.end());
  auto pictures = thumbnails(task, samples);
  for (std::size_t i = 0; i < pictures.size(); ++i) found.thumbnails.emplace_back(samples[i], std::move(pictures[i]));
}

}  // namespace

const Thumbnail* Inspection::thumbnail(std::size_t sample) const {
  const auto found =
      std::find_if(thumbnails.begin(), thumbnails.end(), [&](const auto& t) { return t.first == sample; });
  return found == thumbnails.end() ? nullptr : &found->second;
}

Inspection inspect(const CleanTask& task, const Judged& judged, std::uint64_t seed, int threads) {
  const torch::NoGradGuard no_grad;
  const auto rows = compared_rows(task);
  const auto around = surroundings(rows, seed, threads);
  DuplicateSearch search{.seed = seed, .threads = threads};
  if (!task.features.empty()) search.lookalikes = lookalikes_in(task.pictures, threads);
  Inspection found{find_duplicates(rows, task.noisy.labels, around, search),
                   find_outliers(around.radius, judged.predicted, task.classes.size()),
                   find_overlaps(judged.chances, task.noisy.labels),
                   {}};
  const auto groups = task.groups.empty() && !task.pictures.empty() ? folders_of(task.ids) : task.groups;
  if (!groups.empty()) found.groups = shares_by_group(judged.wrong, groups);
  add_thumbnails(found, task);
  return found;
}

}  // namespace moblo::lab::clean
