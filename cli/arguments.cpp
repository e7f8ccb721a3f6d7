#include "cli/arguments.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>
#include <iostream>

#include "moblo/base/error.hpp"
#include "moblo/base/text.hpp"

namespace moblo::cli {
namespace {

/// CLI11 itself would read -1, and whatever is too large, as the largest seed there is.
std::string refuse_unless_seed(const std::string& text) {
  std::uint64_t seed = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), seed);
  const bool whole = failure == std::errc() && end == text.data() + text.size();
  return whole ? "" : fmt::format("'{}' is not a seed, a whole number from 0 to 2^64 - 1 is needed", text);
}

std::string refuse_unless_tolerance(const std::string& text) {
  double value = 0;
  const bool number = CLI::detail::lexical_cast(text, value);
  return number && value > 0 && std::isfinite(value)
             ? ""
             : fmt::format("'{}' is not a tolerance, a finite number above 0 is needed", text);
}

std::string refuse_unless_share(const std::string& text) {
  double value = 0;
  const bool number = CLI::detail::lexical_cast(text, value);
  return number && value > 0 && value < 1 ? ""
                                          : fmt::format("'{}' is not a share: give a number between 0 and 1", text);
}

void add_run(CLI::App& app, RunArguments& to) {
  auto* verb = app.add_subcommand("run", "Run an experiment file, or go on with a run");
  auto* file = verb->add_option("file", to.file, "experiment file (.toml)");
  verb->add_option("--set", to.sets, "override an option, e.g. --set forum.rho=0.3 (repeatable)")->take_all();
  auto* seed = verb->add_option("--seed", to.seed, "seed of data, start and batches")->check(refuse_unless_seed);
  auto* seeds = verb->add_option("--seeds", to.seeds, "several seeds, e.g. 0..2 or 0,3,5")->excludes(seed);
  auto* out = verb->add_option("--out", to.out, "run folder (default: runs/NAME)");
  auto* resume =
      verb->add_option("--resume", to.resume, "go on with this run folder, or with the runs of an experiment's");
  for (auto* other : {file, out, seed, seeds}) resume->excludes(other);
  verb->add_flag("--accept-damage", to.accept_damage, "go on though the records were changed or lost since")
      ->needs(resume);
  verb->add_flag("--dry-run", to.dry_run,
                 "tell the plan, and time and memory by a few throw-away steps; writes no run folder");
  verb->add_flag("--quiet", to.quiet, "no progress");
  verb->add_flag("--json", to.json, "one JSON object at the end, on standard output");
}

void add_reproduce(CLI::App& app, ReproduceArguments& to) {
  auto* verb = app.add_subcommand("reproduce", "Repeat a table or figure of the paper; resumes where it was stopped");
  verb->add_option("name", to.name, "e.g. figure-3; `moblo list experiments` shows all")->required();
  verb->add_option("--set", to.sets, "override an option in every case (repeatable)")->take_all();
  verb->add_option("--seeds", to.seeds, "other seeds than the experiment's, e.g. 0..4 or 0,3");
  verb->add_option("--jobs", to.jobs, "cells at a time, one process each (default: one per core)")
      ->check(CLI::Range(1, 1024));
  verb->add_option("--out", to.out, "folder (default: runs/NAME)");
  verb->add_option("--protocol", to.protocol, "a preset of the experiment, e.g. paper: its full size");
  verb->add_flag("--quick", to.quick, "a smaller version of the same");
  verb->add_flag("--fresh", to.fresh, "do all of it again");
  verb->add_flag("--quiet", to.quiet, "no progress");
  verb->add_flag("--json", to.json, "one JSON object at the end, on standard output");
}

void add_front(CLI::App& app, FrontArguments& to) {
  auto* verb = app.add_subcommand("front", "Run an experiment file once per preference: all trade-offs, judged");
  auto* file = verb->add_option("file", to.file, "experiment file (.toml) whose method has the option `preference`");
  auto* points = verb->add_option("--points", to.points, "how many (default: front.points of the file, or 20)")
                     ->check(CLI::Range(1, 10000));
  auto* refine = verb->add_flag("--refine", to.refine, "half of the points where the front has its widest gaps");
  auto* set =
      verb->add_option("--set", to.sets, "override an option, e.g. --set front.roots=1 (repeatable)")->take_all();
  auto* seed = verb->add_option("--seed", to.seed, "seed of data, start and batches")->check(refuse_unless_seed);
  auto* out = verb->add_option("--out", to.out, "folder (default: runs/NAME-front); one that was begun goes on");
  auto* resume = verb->add_option("--resume", to.resume, "go on with the front in this folder");
  for (auto* other : {file, points, refine, set, seed, out}) resume->excludes(other);
  verb->add_option("--jobs", to.jobs, "points at a time, one process each (default: one per core)")
      ->check(CLI::Range(1, 1024));
  verb->add_flag("--quiet", to.quiet, "no progress");
  verb->add_flag("--json", to.json, "front.json at the end, on standard output");
}

void add_arena(CLI::App& app, ArenaArguments& to) {
  auto* verb = app.add_subcommand("arena", "Compare methods on problems: the same search of step sizes and gradients");
  auto* file = verb->add_option("file", to.file, "arena file (.toml; default: the arena that comes with the program)");
  auto* quick = verb->add_flag("--quick", to.quick, "a smaller version of the same");
  auto* set =
      verb->add_option("--set", to.sets, "override an option, e.g. --set candidates=8 (repeatable)")->take_all();
  auto* out = verb->add_option("--out", to.out, "folder (default: runs/NAME); one that was begun goes on");
  auto* resume = verb->add_option("--resume", to.resume, "go on with the arena in this folder");
  for (auto* other : {file, quick, set, out}) resume->excludes(other);
  verb->add_option("--jobs", to.jobs, "runs at a time, one process each (default: one per core)")
      ->check(CLI::Range(1, 1024));
  verb->add_flag("--quiet", to.quiet, "no progress");
  verb->add_flag("--json", to.json, "arena.json at the end, on standard output");
}

void add_refit(CLI::App& app, RefitArguments& to) {
  auto* verb = app.add_subcommand("refit", "Solve a run's lower level again: what its alpha is worth by itself");
  verb->add_option("run", to.run, "a run folder")->required();
  verb->add_option("--steps", to.steps, "lower steps (default: as many as the run's own refit made, or 1000)")
      ->check(CLI::PositiveNumber);
  verb->add_option("--from", to.from, "fresh: from omega_0; current: from the run's omega")
      ->check(CLI::IsMember({"fresh", "current"}));
  verb->add_flag("--json", to.json, "one JSON object, on standard output");
}

void add_check(CLI::App& app, CheckArguments& to) {
  auto* verb = app.add_subcommand("check-gradients", "Compare a problem's gradients with finite differences");
  verb->add_option("problem", to.problem, "`moblo list problems` shows all")->required();
  verb->add_option("--set", to.sets, "problem option, e.g. --set quadratic.n=10 (repeatable)")->take_all();
  verb->add_option("--seed", to.seed, "seed of data and start")->check(refuse_unless_seed);
  verb->add_option("--tolerance", to.tolerance, "largest relative error")->check(refuse_unless_tolerance);
}

void add_clean(CLI::App& app, CleanArguments& to) {
  auto* verb = app.add_subcommand("clean", "Find wrong labels in data of your own; a few checked ones help much");
  auto* resume = verb->add_option("--resume", to.resume, "go on with the unfinished `clean` in this folder");
  for (const auto& option : lab::data::noisy_options()) {
    verb->add_option(option.flag, to.sources.*option.texts, option.help)->type_name(option.value)->take_all();
  }
  verb->add_flag("--paper", to.paper, "the paper's two datasets with half of their labels wrong");
  verb->add_option("--data", to.data, "with --paper: directory that holds one folder per dataset");
  verb->add_option("--inject", to.inject,
                   "rehearsal: move this share of the labels to another class, tell what is found")
      ->check(refuse_unless_share);
  verb->add_option("--precision", to.precision, "share of the flagged labels that should be wrong (default 0.9)")
      ->check(refuse_unless_share);
  verb->add_option("--precision-bound", to.precision_bound,
                   "flag as many as the lower end of the precision's 90 % interval allows to be at least this")
      ->check(refuse_unless_share);
  verb->add_option("--judges", to.judges,
                   "who gives evidence: linear, plain, trusted, robust, wide, bilevel, given (default: usual)")
      ->delimiter(',')
      ->take_all();
  verb->add_option("--review", to.review, "write review.csv: so many samples whose checking would teach most")
      ->check(CLI::Range(0, 1000000));
  verb->add_option("--seed", to.seed, "seed of every draw")->check(refuse_unless_seed);
  verb->add_option("--out", to.out, "folder for what is found (default: runs/clean)");
  verb->add_flag("--quick", to.quick, "a first look in a fraction of the time");
  // Everything above decides what is found, and where; an unfinished `clean` knows it. Option::excludes would fill the
  // help with it.
  verb->callback([resume, known = verb->get_options()] {
    for (const auto* other : known) {
      if (other != resume && resume->count() > 0 && other->count() > 0) {
        throw CLI::ExcludesError(resume->get_name(), other->get_name());
      }
    }
  });
  verb->add_option("--threads", to.threads, "0 = all cores; the results do not depend on it")
      ->check(CLI::Range(0, 1024));
  verb->add_flag("--quiet", to.quiet, "no progress");
  verb->add_flag("--json", to.json, "one JSON object at the end, on standard output");
}

void add_predict(CLI::App& app, PredictArguments& to) {
  auto* verb = app.add_subcommand("predict", "Apply the model of a `clean` to further rows, which need no label");
  verb->add_option("model", to.model, "the folder of a `moblo clean`, or its model.json")->required();
  verb->add_option("file", to.file, "samples as the model's: a table with the same columns, npz or npy, images")
      ->required();
  verb->add_option("--out", to.out, "CSV: id, predicted_label, p_CLASS for each class (default: standard output)");
  verb->add_option("--dataset", to.dataset, "which of the models, where the `clean` was of several datasets");
  verb->add_option("--id-column", to.id_column, "CSV: the column of ids (id, or the row numbers)");
  verb->add_option("--format", to.format, "auto, csv, npz or images")
      ->check(CLI::IsMember({"auto", "csv", "npz", "images"}));
  verb->add_flag("--quiet", to.quiet, "say nothing beside the predictions");
}

void add_aggregate(CLI::App& app, AggregateArguments& to) {
  auto* verb = app.add_subcommand("aggregate", "Turn the gradients of several tasks, the rows of a matrix, into one");
  verb->add_option("matrices", to.matrices, "one gradient per row: .npy, .csv or .json; several are steps in a row");
  verb->add_option("--gramian", to.gramians, "the inner products of the gradients instead of a matrix (repeatable)")
      ->type_name("FILE")
      ->take_all()
      ->allow_extra_args(false);
  verb->add_option("--method", to.method, "a weighting; --list shows all");
  verb->add_option("--set", to.sets, "override an option of it, e.g. --set radius=0.4 (repeatable)")
      ->take_all()
      ->allow_extra_args(false);
  verb->add_option("--losses", to.losses,
                   "of the tasks, e.g. 0.3,1.2,5; only some weightings look at them. Once, or once per step")
      ->take_all()
      ->allow_extra_args(false);
  verb->add_option("--losses-after", to.losses_after, "those on the same batch after the step; once per step")
      ->take_all()
      ->allow_extra_args(false);
  verb->add_flag("--list", to.list, "the weightings there are; with --method, its options");
  verb->add_flag("--json", to.json,
                 "one JSON object, all digits, on standard output; a list of them for several steps");
}

void add_data(CLI::App& app, DataArguments& to) {
  auto* verb = app.add_subcommand("data", "Get, check and find datasets");
  verb->add_option("action", to.action, "get | verify | where")->required();
  verb->add_option("name", to.name, "`moblo list datasets` shows all (default: every one)");
  verb->add_option("--data", to.data, "directory with one folder per dataset (default: MOBLO_DATA, or the cache)");
  verb->add_option("--from", to.from, "get: copy it from this folder of yours");
}

void add_list(CLI::App& app, ListArguments& to) {
  auto* verb =
      app.add_subcommand("list", "What there is: methods, problems, datasets, experiments; with a name, its options");
  verb->add_option("what", to.what, "methods | problems | datasets | experiments | training | front")->required();
  verb->add_option("name", to.name, "one of them");
}

void add_report(CLI::App& app, ReportArguments& to) {
  auto* verb = app.add_subcommand("report", "What runs did: a summary here, or a page, tables, CSV");
  verb->add_option("folders", to.folders, "run folders, or a folder of them")->required();
  auto* html = verb->add_flag("--html", to.html, "one page with charts (default file: report.html in the folder)");
  auto* markdown = verb->add_flag("--markdown", to.markdown, "Markdown tables");
  auto* latex = verb->add_flag("--latex", to.latex, "LaTeX tables in booktabs form");
  auto* csv = verb->add_flag("--csv", to.csv, "one row per run, every digit");
  verb->add_option("--out", to.out, "write to this file instead of standard output");
  html->excludes(markdown)->excludes(latex)->excludes(csv);
  markdown->excludes(latex)->excludes(csv);
  latex->excludes(csv);
}

void add_verify(CLI::App& app, VerifyArguments& to) {
  auto* verb = app.add_subcommand("verify", "Check every file of run folders against what was written");
  verb->add_option("folders", to.folders, "run folders, or folders above some")->required();
  verb->add_flag("--json", to.json, "one JSON object, on standard output");
}

void add_watch(CLI::App& app, WatchArguments& to) {
  auto* verb = app.add_subcommand("watch", "A live page of the runs under a folder");
  verb->add_option("folder", to.folder, "a run folder, or one above some")->required();
  verb->add_option("--port", to.port, "0 = any that is free (default 8420)")->check(CLI::Range(0, 65535));
  verb->add_option("--host", to.host, "address to listen on (default 127.0.0.1: this machine alone)");
  verb->add_option("--token", to.token, "ask for it; auto draws one. Needed where other machines can reach --host")
      ->envname("MOBLO_WATCH_TOKEN");
}

void add_completion(CLI::App& app, CompletionArguments& to) {
  auto* verb = app.add_subcommand("completion", "What a shell needs to complete moblo's commands and options");
  verb->add_option("shell", to.shell, "whose script to print: bash | zsh | fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
}

void add_review(CLI::App& app, ReviewArguments& to) {
  auto* verb = app.add_subcommand("review", "Look at samples of a `clean` on a local page, and say what they are");
  verb->add_option("folder", to.folder, "the folder of a `moblo clean`: its review.csv, or flagged.csv")->required();
  verb->add_option("--port", to.port, "default: any that is free")->check(CLI::Range(0, 65535));
}

[[noreturn]] void refuse(const CLI::App& app, const CLI::ParseError& error, int argc, char** argv) {
  std::vector<std::string> verbs;
  for (const auto* verb : app.get_subcommands({})) verbs.push_back(verb->get_name());
  const std::string first = argc > 1 ? argv[1] : "";
  const bool unknown_verb =
      !first.empty() && first[0] != '-' && std::find(verbs.begin(), verbs.end(), first) == verbs.end();
  if (unknown_verb) {
    throw Error(ErrorKind::usage, fmt::format("moblo {}", first), "there is no such command",
                base::suggestion(first, verbs));
  }
  std::string what = error.what();
  if (const auto end = what.find_last_not_of(" .\n"); end != std::string::npos) what.resize(end + 1);
  throw Error(ErrorKind::usage, "the command line", what,
              fmt::format("`moblo {}--help` shows what it takes", first.empty() || first[0] == '-' ? "" : first + " "));
}

}  // namespace

void describe_command_line(CLI::App& app, Arguments& to) {
  app.description("moblo: gradient-based multi-objective bi-level optimisation");
  app.name("moblo");
  app.require_subcommand(0, 1);
  app.add_flag("--version", to.version, "print the version; with --verbose also the libraries and the machine");
  app.add_flag("--verbose", to.verbose, "say more");
  add_run(app, to.run);
  add_reproduce(app, to.reproduce);
  add_front(app, to.front);
  add_arena(app, to.arena);
  add_refit(app, to.refit);
  add_check(app, to.check);
  add_clean(app, to.clean);
  add_predict(app, to.predict);
  add_aggregate(app, to.aggregate);
  add_data(app, to.data);
  add_list(app, to.list);
  add_report(app, to.report);
  add_verify(app, to.verify);
  add_watch(app, to.watch);
  add_review(app, to.review);
  add_completion(app, to.completion);
  app.footer(
      "First steps:\n  moblo reproduce figure-3\n  moblo run experiments/synthetic.toml --set forum.rho=0.5\n"
      "  moblo list methods forum");
}

std::optional<Arguments> parse_arguments(int argc, char** argv) {
  Arguments to;
  CLI::App app;
  describe_command_line(app, to);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help) {
    app.exit(help);
    return std::nullopt;
  } catch (const CLI::ParseError& error) {
    refuse(app, error, argc, argv);
  }
  for (const auto* verb : app.get_subcommands()) to.verb = verb->get_name();
  if (to.verb.empty() && !to.version) {
    std::cout << app.help();
    return std::nullopt;
  }
  return to;
}

}  // namespace moblo::cli
