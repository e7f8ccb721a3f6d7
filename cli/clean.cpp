#include "lab/clean/clean.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "cli/clean_place.hpp"
#include "cli/console.hpp"
#include "cli/interrupt.hpp"
#include "cli/progress_line.hpp"
#include "cli/verbs.hpp"
#include "lab/clean/clean_files.hpp"
#include "lab/clean/clean_state.hpp"
#include "lab/clean/features.hpp"
#include "lab/clean/model_file.hpp"
#include "lab/clean/review_file.hpp"
#include "lab/experiments/runner.hpp"
#include "lab/readers/column_kinds.hpp"
#include "lab/readers/noisy_reader.hpp"
#include "moblo/base/clock.hpp"
#include "moblo/base/error.hpp"
#include "moblo/base/text.hpp"
#include "moblo/records/line_file.hpp"
#include "moblo/records/tensor_file.hpp"

namespace moblo::cli {
namespace {

namespace fs = std::filesystem;

/// The stage, the share of the steps and the time left.
class CleanProgress {
 public:
  explicit CleanProgress(bool quiet) : line_(quiet) {}

  void operator()(const std::string& stage, std::int64_t done, std::int64_t all) {
    if (!line_.is_due()) return;
    const double share = static_cast<double>(done) / static_cast<double>(all);
    line_.show(fmt::format("{:3.0f} %  {}, {} left", 100 * share, stage,
                           base::human_seconds(watch_.seconds() * (1 / share - 1))));
  }
  void end() const { line_.clear(); }

 private:
  ProgressLine line_;
  base::Stopwatch watch_;
};

/// A dataset's name becomes part of names in model.safetensors.
void refuse_unreadable_name(const std::string& name) {
  try {
    Json(name).dump();
  } catch (const Json::exception&) {
    throw Error(ErrorKind::usage, fmt::format("the dataset {}", name), "its name is not UTF-8 text",
                "Give it another one: --noisy NAME=FILE");
  }
}

std::vector<lab::clean::CleanTask> paper_tasks(const CleanPlace& place) {
  const auto& arguments = place.arguments;
  if (arguments.inject || !arguments.sources.noisy.empty()) {
    throw Error(ErrorKind::usage, arguments.inject ? "--inject with --paper" : "--noisy with --paper",
                "the paper's data are complete, and half of their labels are wrong already", "Leave one of them out");
  }
  const auto directory = arguments.data.empty() ? fs::path() : place.where / arguments.data;
  return lab::clean::paper_clean_tasks(arguments.seed, directory.string());
}

void start_paths_at(const fs::path& where, std::vector<lab::data::NoisySource>& sources) {
  for (auto& source : sources) {
    for (auto* path : {&source.data, &source.labels, &source.trusted, &source.trusted_labels, &source.checked,
                       &source.probabilities}) {
      if (!path->empty()) *path = where / *path;
    }
  }
}

lab::clean::FeatureMaking feature_making(const CleanPlace& place, CleanProgress& progress) {
  return {.threads = clean_options(place.arguments).threads,
          .stop = &stop_on_interrupt(),
          .listener = [&progress](std::int64_t done, std::int64_t all) { progress("features of images", done, all); }};
}

std::vector<lab::clean::CleanTask> own_tasks(const CleanPlace& place) {
  const auto& arguments = place.arguments;
  auto sources = lab::data::parse_noisy_sources(arguments.sources);
  auto tests = lab::data::parse_test_sources(arguments.sources, sources);
  start_paths_at(place.where, sources);
  start_paths_at(place.where, tests);
  std::vector<lab::clean::CleanTask> tasks;
  lab::readers::ReadingNotes notes;
  CleanProgress progress(arguments.quiet);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    refuse_unreadable_name(sources[i].name);
    lab::readers::ReadingNotes of_this;
    lab::clean::NetworkFeatures features(sources[i].features, place.where, feature_making(place, progress));
    const auto data = lab::readers::read_noisy_dataset(sources[i], &of_this, &features);
    tasks.push_back(lab::clean::make_clean_task(data));
    if (!tests[i].data.empty())
      lab::clean::add_test_set(tasks.back(), lab::readers::read_test_set(tests[i], data, &of_this, &features));
    if (arguments.inject) lab::clean::inject_wrong_labels(tasks.back(), *arguments.inject, arguments.seed);
    for (const auto& line : lab::readers::summary_lines(data.columns, 24)) notes.push_back(line);
    for (const auto& note : of_this) notes.push_back(fmt::format("{}: {}", data.name, note));
  }
  progress.end();
  if (!arguments.quiet) {
    for (const auto& note : notes) say(note + "\n");
  }
  return tasks;
}

/// Of a process that was killed while it wrote.
void remove_half_written(const fs::path& folder) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    const auto name = entry.path().filename().string();
    for (const auto* output : lab::clean::clean_outputs) {
      if (name.starts_with(fmt::format("{}.", output)) && name.ends_with(".tmp")) fs::remove(entry.path(), ignored);
    }
  }
}

/// What `moblo review` may show.
void write_review(const CleanPlace& place, const std::vector<lab::clean::CleanTask>& tasks,
                  const lab::clean::Cleaned& cleaned) {
  std::vector<lab::data::NoisySource> sources;
  if (!place.arguments.paper) sources = lab::data::parse_noisy_sources(place.arguments.sources);
  start_paths_at(place.where, sources);
  std::vector<lab::clean::ReviewPart> parts;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    parts.push_back({&tasks[i], &cleaned.findings[i], sources.empty() ? nullptr : &sources[i]});
  }
  records::write_document(place.folder() / lab::clean::review_json_file,
                          lab::clean::review_json(parts, typed_command(place)));
}

/// clean.json comes last: where it is, everything is.
Json write_everything(const fs::path& folder, const std::vector<lab::clean::CleanTask>& tasks,
                      const lab::clean::Cleaned& cleaned, const lab::clean::CleanOptions& options,
                      const Json& about_it) {
  remove_half_written(folder);
  const auto& found = cleaned.findings;
  auto document = lab::clean::findings_json(found, about_it);
  records::write_text_atomically(folder / lab::clean::samples_file,
                                 lab::clean::samples_csv(found, /*flagged_only=*/false));
  records::write_text_atomically(folder / lab::clean::flagged_file,
                                 lab::clean::samples_csv(found, /*flagged_only=*/true));
  lab::clean::write_model(folder, tasks, cleaned.models);
  if (options.review > 0)
    records::write_text_atomically(folder / lab::clean::review_file, lab::clean::review_csv(found));
  records::write_text_atomically(folder / lab::clean::clean_page_file, lab::clean::clean_page(found, about_it));
  records::write_text_atomically(folder / lab::clean::clean_json_file,
                                 document.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
  return document;
}

/// Widths are counted in bytes there.
std::vector<std::vector<std::string>> in_ascii(std::vector<std::vector<std::string>> rows) {
  for (auto& row : rows) {
    for (auto& cell : row) cell = cell == "\u2013" ? "-" : cell;
  }
  return rows;
}

void tell(const std::vector<lab::clean::DatasetFindings>& all, const fs::path& folder) {
  for (const auto& found : all) {
    fmt::print("{}", table(in_ascii(lab::clean::comparison_rows(found))));
    for (const auto& promise : lab::clean::promises(found)) fmt::print("{}\n", promise);
    if (!found.review.empty()) {
      fmt::print("{} samples to look at: {}\n", found.review.size(), (folder / lab::clean::review_file).string());
    }
    fmt::print("\n");
  }
  fmt::print("Samples: {}\nReport: {}\n", (folder / lab::clean::samples_file).string(),
             (folder / lab::clean::clean_page_file).string());
}

void tell_in_json(Json document, const fs::path& folder) {
  document["status"] = "completed";
  document["folder"] = folder.string();
  print_json(document);
}

int tell_finished(const CleanPlace& place) {
  lab::clean::remove_clean_state(place.folder());
  say(fmt::format("{} is finished already\n", place.folder().string()));
  if (!place.arguments.json) return 0;
  records::read_document(place.folder() / lab::clean::clean_json_file,
                         [&](const Json& document) { tell_in_json(document, place.folder()); });
  return 0;
}

int tell_interrupted(const CleanPlace& place) {
  say(fmt::format("moblo: interrupted; what is done is kept. To go on: moblo clean --resume {}\n",
                  shell_quoted(place.folder().string())));
  if (place.arguments.json) print_json({{"status", "interrupted"}, {"folder", place.folder().string()}});
  return exit_interrupted;
}

/// Of a `clean` that begins, or goes on.
lab::clean::CleanState entered_state(const CleanPlace& place) {
  lab::clean::CleanState state(place.folder(), place.asked);
  for (const auto& warning : state.warnings()) say(fmt::format("moblo: warning: {}\n", warning));
  if (place.begun && !place.arguments.quiet) {
    say(fmt::format("Going on in {}, where {} jobs are done.\n", place.folder().string(), state.found()));
  }
  return state;
}

}  // namespace

int clean(const CleanArguments& given) try {
  const auto& stop = stop_on_interrupt();
  auto place = enter_clean_place(given);
  if (place.finished) return tell_finished(place);
  const auto& arguments = place.arguments;
  const auto tasks = arguments.paper ? paper_tasks(place) : own_tasks(place);
  settle_data(place, lab::clean::digest_of(tasks));
  auto state = entered_state(place);
  lab::experiments::set_threads(1);  // the jobs are what runs side by side
  CleanProgress progress(arguments.quiet);
  lab::clean::Monitor monitor(std::ref(progress), &stop);
  const base::Stopwatch watch;
  try {
    const auto options = clean_options(arguments);
    const auto cleaned = moblo::lab::clean::clean(tasks, options, monitor, state);
    progress.end();
    write_review(place, tasks, cleaned);
    auto document = write_everything(place.folder(), tasks, cleaned, options, about_clean(arguments));
    lab::clean::remove_clean_state(place.folder());
    document["seconds"] = watch.seconds();
    if (arguments.json) {
      tell_in_json(document, place.folder());
      return 0;
    }
    tell(cleaned.findings, place.folder());
    fmt::print("Took {}.\n", base::human_seconds(watch.seconds()));
    return 0;
  } catch (const Error&) {
    progress.end();
    throw;
  } catch (const lab::clean::Interrupted&) {
    progress.end();
    return tell_interrupted(place);
  }
} catch (const lab::clean::Interrupted&) {  // while features were made
  say("moblo: interrupted; the features made so far are kept. To go on: the same command\n");
  if (given.json) print_json({{"status", "interrupted"}});
  return exit_interrupted;
}

}  // namespace moblo::cli
