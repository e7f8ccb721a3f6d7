#include "lab/clean/review_file.hpp"

#include <algorithm>
#include <set>

#include "lab/clean/pictures.hpp"
#include "lab/readers/rows_by_id.hpp"
#include "lab/report/png.hpp"

namespace moblo::lab::clean {
namespace {

constexpr std::size_t most_flagged = 2000, most_suspicious = 200, most_columns = 60;

std::vector<std::size_t> samples_of(const ReviewPart& part) {
  std::set<std::size_t> samples;
  for (const auto& item : part.found->review) samples.insert(item.sample);
  const auto& order = part.found->order;
  const auto count = std::max(most_suspicious, std::min(most_flagged, part.found->flagged.length));
  for (std::size_t r = 0; r < std::min(order.size(), count); ++r) samples.insert(order[r]);
  return {samples.begin(), samples.end()};
}

std::string address_of(const Thumbnail& image) {
  return "data:image/png;base64," +
         report::base64(report::png(image.height, image.width, image.channels, image.pixels));
}

Json pictures_json(const ReviewPart& part, const std::vector<std::size_t>& samples) {
  const auto& task = *part.task;
  Json shown = Json::object();
  if (!task.pictures.empty()) {
    for (const auto j : samples) {
      shown[task.ids[j]] = {{"picture", std::filesystem::absolute(task.pictures[j]).lexically_normal().string()}};
    }
    return shown;
  }
  const auto images = thumbnails(task, samples);
  for (std::size_t i = 0; i < images.size(); ++i) shown[task.ids[samples[i]]] = {{"picture", address_of(images[i])}};
  return shown;
}

void add_rows(const ReviewPart& part, const std::vector<std::size_t>& samples, Json& columns, Json& shown) {
  if (!part.source) return;
  std::set<std::string> ids;
  for (const auto j : samples) ids.insert(part.task->ids[j]);
  auto rows = readers::rows_by_id(*part.source, ids);
  const auto count = std::min(most_columns, rows.columns.size());
  rows.columns.resize(count);
  columns = rows.columns;
  for (auto& [id, cells] : rows.cells) {
    cells.resize(count);
    shown[id] = {{"values", cells}};
  }
}

}  // namespace

Json review_json(const std::vector<ReviewPart>& parts, const std::string& command) {
  Json datasets = Json::array();
  for (const auto& part : parts) {
    const auto samples = samples_of(part);
    Json columns = Json::array(), shown = pictures_json(part, samples);
    if (!has_pictures(*part.task)) add_rows(part, samples, columns, shown);
    datasets.push_back(
        {{"name", part.task->name}, {"classes", part.task->classes}, {"columns", columns}, {"samples", shown}});
  }
  return {{"format", 1}, {"command", command}, {"datasets", datasets}};
}

}  // namespace moblo::lab::clean
