#include "lab/clean/clean.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "cli/console.hpp"
#include "cli/interrupt.hpp"
#include "cli/progress_line.hpp"
#include "cli/verbs.hpp"
#include "lab/clean/clean_files.hpp"
#include "lab/clean/model_file.hpp"
#include "lab/experiments/runner.hpp"
#include "lab/readers/noisy_reader.hpp"
#include "moblo/base/clock.hpp"
#include "moblo/base/error.hpp"
#include "moblo/base/runtime.hpp"
#include "moblo/base/text.hpp"
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

lab::clean::CleanOptions options_for(const CleanArguments& arguments) {
  auto options = arguments.quick ? lab::clean::CleanOptions::quick() : lab::clean::CleanOptions{};
  options.seed = arguments.seed;
  options.threads = arguments.threads > 0 ? arguments.threads : base::probe_cpu().cores;
  options.precision = arguments.precision;
  return options;
}

std::vector<lab::clean::CleanTask> paper_tasks(const CleanArguments& arguments) {
  if (arguments.inject || !arguments.sources.noisy.empty()) {
    throw Error(ErrorKind::usage, arguments.inject ? "--inject with --paper" : "--noisy with --paper",
                "the paper's data are complete, and half of their labels are wrong already", "Leave one of them out");
  }
  return lab::clean::paper_clean_tasks(arguments.seed, arguments.data);
}

std::vector<lab::clean::CleanTask> own_tasks(const CleanArguments& arguments) {
  const auto sources = lab::data::parse_noisy_sources(arguments.sources);
  const auto tests = lab::data::parse_test_sources(arguments.sources, sources);
  std::vector<lab::clean::CleanTask> tasks;
  lab::readers::ReadingNotes notes;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    lab::readers::ReadingNotes of_this;
    const auto data = lab::readers::read_noisy_dataset(sources[i], &of_this);
    tasks.push_back(lab::clean::make_clean_task(data, arguments.seed));
    if (!tests[i].data.empty())
      lab::clean::add_test_set(tasks.back(), lab::readers::read_test_set(tests[i], sources[i], data, &of_this));
    if (arguments.inject) lab::clean::inject_wrong_labels(tasks.back(), *arguments.inject, arguments.seed);
    for (const auto& note : of_this) notes.push_back(fmt::format("{}: {}", data.name, note));
  }
  if (!arguments.quiet) {
    for (const auto& note : notes) say(note + "\n");
  }
  return tasks;
}

/// runs/clean, or the next number that is free.
fs::path free_folder() {
  fs::path folder = fs::path("runs") / "clean";
  for (int i = 2; fs::exists(folder); ++i) folder = fs::path("runs") / fmt::format("clean-{}", i);
  return folder;
}

/// Before hours of work, not after.
fs::path made_folder(const CleanArguments& arguments) {
  const fs::path folder = arguments.out.empty() ? free_folder() : fs::path(arguments.out);
  std::error_code failure;
  fs::create_directories(folder, failure);
  if (failure) {
    throw Error(ErrorKind::io, fmt::format("--out {}", folder.string()),
                fmt::format("cannot be made: {}", failure.message()), "Choose another --out");
  }
  return folder;
}

Json about(const CleanArguments& arguments, const lab::clean::CleanOptions& options) {
  return {{"seed", options.seed},
          {"precision", options.precision},
          {"quick", arguments.quick},
          {"injected", arguments.inject ? Json(*arguments.inject) : Json(nullptr)},
          {"folds", options.folds},
          {"steps", options.steps},
          {"bilevel_iterations", options.bilevel_iterations},
          {"version", version()}};
}

Json write_everything(const fs::path& folder, const std::vector<lab::clean::CleanTask>& tasks,
                      const lab::clean::Cleaned& cleaned, const Json& about_it) {
  const auto& found = cleaned.findings;
  auto document = lab::clean::findings_json(found, about_it);
  records::write_text_atomically(folder / lab::clean::sample_weights_file,
                                 lab::clean::samples_csv(found, /*flagged_only=*/false));
  records::write_text_atomically(folder / lab::clean::flagged_file,
                                 lab::clean::samples_csv(found, /*flagged_only=*/true));
  lab::clean::write_model(folder, tasks, cleaned.networks);
  records::write_text_atomically(folder / lab::clean::clean_json_file,
                                 document.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
  records::write_text_atomically(folder / lab::clean::clean_page_file, lab::clean::clean_page(found, about_it));
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
    fmt::print("About {:.1f} % of {} labels are wrong; {} flagged, {:.1f} % of them wrong{}.\n\n",
               100 * found.noise.wrong_share, found.ids.size(), found.flagged.length, 100 * found.flagged.promised,
               found.flagged.precision
                   ? fmt::format(" (truly {:.1f} %, {:.1f} % of all wrong ones)", 100 * *found.flagged.precision,
                                 100 * found.flagged.recall.value_or(0))
                   : "");
  }
  fmt::print("Samples: {}\nReport: {}\n", (folder / lab::clean::sample_weights_file).string(),
             (folder / lab::clean::clean_page_file).string());
}

}  // namespace

int clean(const CleanArguments& arguments) {
  const auto& stop = stop_on_interrupt();
  const auto options = options_for(arguments);
  const auto tasks = arguments.paper ? paper_tasks(arguments) : own_tasks(arguments);
  const auto folder = made_folder(arguments);
  lab::experiments::set_threads(1);  // the jobs are what runs side by side
  CleanProgress progress(arguments.quiet);
  lab::clean::Monitor monitor(std::ref(progress), &stop);
  const base::Stopwatch watch;
  try {
    const auto cleaned = moblo::lab::clean::clean(tasks, options, monitor);
    progress.end();
    auto document = write_everything(folder, tasks, cleaned, about(arguments, options));
    if (arguments.json) {
      document["status"] = "completed";
      document["seconds"] = watch.seconds();
      document["folder"] = folder.string();
      print_json(document);
      return 0;
    }
    tell(cleaned.findings, folder);
    fmt::print("Took {}.\n", base::human_seconds(watch.seconds()));
    return 0;
  } catch (const Error&) {
    progress.end();
    throw;
  } catch (const lab::clean::Interrupted&) {
    progress.end();
    say("moblo: interrupted, nothing was written\n");
    return exit_interrupted;
  }
}

}  // namespace moblo::cli
