#include "lab/readers/image_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <sstream>
#include <unordered_map>
#include <utility>

#include "lab/data/csv.hpp"
#include "lab/data/problems.hpp"
#include "lab/readers/cells.hpp"
#include "moblo/base/error.hpp"

namespace moblo::lab::readers {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> visible_entries(const fs::path& folder) {
  auto entries = data::entries_of(folder);
  std::erase_if(entries, [](const fs::path& entry) { return entry.filename().string().starts_with('.'); });
  return entries;
}

ImageList list_folder(const fs::path& folder, ReadingNotes& notes) {
  ImageList list{folder.string(), {}, false};
  std::int64_t others = 0;
  for (const auto& of_class : visible_entries(folder)) {
    if (std::error_code ignored; !fs::is_directory(of_class, ignored)) {
      ++others;
      continue;
    }
    const std::string label = of_class.filename().string();
    for (const auto& file : visible_entries(of_class)) {
      if (named_as_image(file)) {
        list.images.push_back({file, label + "/" + file.filename().string(), label, false, 0});
      } else {
        ++others;
      }
    }
  }
  if (list.images.empty()) {
    throw Error(ErrorKind::data, list.file, "holds no sub-folder with .png, .jpg, .jpeg or .bmp files",
                "Make one sub-folder per class, named as the class, or give a list of images");
  }
  if (others > 0) {
    notes.push_back(fmt::format("{}: {} files that are not an image of a class were left out", list.file, others));
  }
  return list;
}

class ListReader {
 public:
  explicit ListReader(const fs::path& file)
      : folder_(file.parent_path()), list_{file.string(), {}, false}, problems_(list_.file) {}

  void add(std::int64_t row, std::string_view path, std::string_view label, const std::string_view* trusted,
           std::string_view checked = {}) {
    bool flag = false;
    if (path.empty()) return problems_.add(fmt::format("row {}: the path is missing", row));
    if (label.empty()) problems_.add(fmt::format("row {}: the label is missing", row));
    if (trusted && !parse_flag(*trusted, flag)) {
      problems_.add(fmt::format("row {}: {} is none of 1, 0, true, false, yes, no", row, data::in_quotes(*trusted)));
    }
    list_.marked = list_.marked || trusted || !checked.empty();
    ListedImage image{folder_ / path, std::string(path), std::string(label), flag, row};
    if (!checked.empty()) image.given = std::exchange(image.label, std::string(checked)), image.trusted = true;
    list_.images.push_back(std::move(image));
  }
  void fail(const std::string& problem) { problems_.add(problem); }

  ImageList finish() {
    std::unordered_map<std::string_view, std::int64_t> rows;
    for (const auto& image : list_.images) {
      const auto [earlier, fresh] = rows.emplace(image.id, image.row);
      if (!fresh)
        problems_.add(
            fmt::format("row {}: {} stands in row {} already", image.row, data::in_quotes(image.id), earlier->second));
    }
    problems_.refuse_if_any("Write 'path label' or 'path label trusted' lines, or a CSV with these columns");
    if (list_.images.empty()) throw Error(ErrorKind::data, list_.file, "lists no image", "Give 'path label' lines");
    return std::move(list_);
  }

 private:
  fs::path folder_;
  ImageList list_;
  data::Problems problems_;
};

std::size_t column_of(const std::vector<std::string>& header, const std::string& name) {
  return static_cast<std::size_t>(std::find(header.begin(), header.end(), name) - header.begin());
}

ImageList list_from_csv(const fs::path& file, const data::TextFile& content, const data::NoisySource& source) {
  data::CsvText records(content.text(), data::separator_of(content.text()));
  const auto header = data::read_header(records, file.string());
  const std::string label_name = source.label_column.empty() ? "label" : source.label_column;
  const std::string trusted_name = source.trusted_column.empty() ? "trusted" : source.trusted_column;
  const std::string checked_name = source.checked_column.empty() ? "checked_label" : source.checked_column;
  const std::size_t path = column_of(header, "path"), label = column_of(header, label_name),
                    trusted = column_of(header, trusted_name), checked = column_of(header, checked_name);
  if (label == header.size()) {
    throw Error(
        ErrorKind::data, file.string(),
        fmt::format("there is no column {}; the header has {}", data::in_quotes(label_name), data::some_of(header)),
        "Name the column: --label-column COLUMN");
  }
  ListReader reader(file);
  std::vector<std::string_view> cells;
  while (records.next(cells)) {
    if (!records.fault().empty()) {
      reader.fail(fmt::format("row {}, {}", records.row(), records.fault()));
    } else if (cells.size() == header.size()) {
      const std::string_view flag = trusted < cells.size() ? data::trimmed(cells[trusted]) : "";
      reader.add(records.row(), data::trimmed(cells[path]), data::trimmed(cells[label]),
                 trusted < cells.size() ? &flag : nullptr, checked < cells.size() ? data::trimmed(cells[checked]) : "");
    } else if (cells.size() > 1 || !data::trimmed(cells[0]).empty()) {
      reader.fail(fmt::format("row {}: {} cells, the header has {}", records.row(), cells.size(), header.size()));
    }
  }
  return reader.finish();
}

ImageList list_from_lines(const fs::path& file, const data::TextFile& content) {
  ListReader reader(file);
  std::istringstream lines{std::string(content.text())};
  std::string line;
  for (std::int64_t row = 1; std::getline(lines, line); ++row) {
    std::istringstream words(line);
    std::vector<std::string> parts;
    for (std::string word; words >> word;) parts.push_back(word);
    if (parts.empty()) continue;
    if (parts.size() > 3) {
      reader.fail(fmt::format("row {}: {} words; names with spaces need a CSV list", row, parts.size()));
      continue;
    }
    const bool marked = parts.size() == 3;
    parts.resize(3);
    const std::string_view flag = parts[2];
    reader.add(row, parts[0], parts[1], marked ? &flag : nullptr);
  }
  return reader.finish();
}

bool lists_ids(const fs::path& file, const ImageList& list) {
  std::error_code ignored;
  if (file.extension() != ".txt" || fs::is_directory(file, ignored)) return false;
  const data::TextFile content(file);
  const std::string_view text = data::trimmed(content.text());
  const std::string_view first = data::trimmed(text.substr(0, text.find('\n')));
  return first.find_first_of(" \t") == first.npos ||
         std::any_of(list.images.begin(), list.images.end(), [&](const auto& image) { return image.id == first; });
}

void mark_ids(ImageList& list, const fs::path& file) {
  std::unordered_map<std::string_view, ListedImage*> known;
  for (auto& image : list.images) known.emplace(image.id, &image);
  const data::TextFile content(file);
  std::istringstream lines{std::string(content.text())};
  data::Problems problems(file.string());
  std::string line;
  for (std::int64_t row = 1; std::getline(lines, line); ++row) {
    const std::string_view id = data::trimmed(line);
    if (id.empty()) continue;
    const auto found = known.find(id);
    if (found == known.end()) {
      problems.add(fmt::format("line {}: {} is not an image of {}", row, data::in_quotes(id), list.file));
    } else {
      found->second->trusted = true;
    }
  }
  problems.refuse_if_any(fmt::format("Write one id per line, e.g. {}", data::in_quotes(list.images[0].id)));
}

void add_trusted_images(ImageList& list, const ImageList& trusted, ReadingNotes& notes) {
  std::unordered_map<std::string, std::size_t> at_file;
  std::set<std::string> ids;
  std::error_code ignored;
  for (std::size_t i = 0; i < list.images.size(); ++i) {
    at_file.emplace(fs::weakly_canonical(list.images[i].file, ignored).string(), i);
    ids.insert(list.images[i].id);
  }
  std::int64_t replaced = 0;
  for (auto image : trusted.images) {
    image.trusted = !trusted.marked || image.trusted;
    image.row = 0;
    if (const auto found = at_file.find(fs::weakly_canonical(image.file, ignored).string()); found != at_file.end()) {
      const auto& before = list.images[found->second];
      image.id = before.id;
      if (image.given.empty()) image.given = before.trusted ? before.given : before.label;
      list.images[found->second] = image;
      ++replaced;
      continue;
    }
    if (!ids.insert(image.id).second) image.id = "trusted:" + image.id;
    list.images.push_back(std::move(image));
  }
  if (replaced > 0)
    notes.push_back(fmt::format("{} images of {} are labelled as {} says", replaced, list.file, trusted.file));
}

}  // namespace

bool named_as_image(const fs::path& file) {
  std::string end = file.extension().string();
  std::transform(end.begin(), end.end(), end.begin(), [](unsigned char c) { return std::tolower(c); });
  return end == ".png" || end == ".jpg" || end == ".jpeg" || end == ".bmp";
}

ImageList list_images(const fs::path& place, const data::NoisySource& source, ReadingNotes& notes) {
  std::error_code ignored;
  if (fs::is_directory(place, ignored)) return list_folder(place, notes);
  const data::TextFile content(place);
  data::CsvText records(content.text(), data::separator_of(content.text()));
  std::vector<std::string_view> cells;
  records.next(cells);
  const bool table = std::any_of(cells.begin(), cells.end(), [](auto cell) { return data::trimmed(cell) == "path"; });
  return table ? list_from_csv(place, content, source) : list_from_lines(place, content);
}

ImageList list_noisy_images(const data::NoisySource& source, ReadingNotes& notes) {
  ImageList list = list_images(source.data, source, notes);
  if (source.trusted.empty()) return list;
  if (lists_ids(source.trusted, list)) {
    mark_ids(list, source.trusted);
  } else {
    add_trusted_images(list, list_images(source.trusted, source, notes), notes);
  }
  return list;
}

}  // namespace moblo::lab::readers
