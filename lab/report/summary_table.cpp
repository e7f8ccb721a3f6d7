#include "lab/report/summary_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lab/report/number_text.hpp"
#include "moblo/base/text.hpp"

namespace moblo::lab::report {
namespace {

double recorded_seconds(const records::RunRecord& run) {
  double total = 0;
  for (const auto& [phase, seconds] : run.timing_sum.seconds) total += seconds;
  return total;
}

std::optional<double> latest(const records::RunRecord& run, const std::string& name) {
  if (const auto value = quantity(run, name, std::nullopt)) return value;
  return run.steps.empty() ? std::nullopt : quantity(run.steps.back(), name);
}

std::vector<double> latest_losses(const records::RunRecord& run) {
  std::vector<double> losses;
  while (const auto loss = latest(run, fmt::format("losses[{}]", losses.size()))) losses.push_back(*loss);
  return losses;
}

/// Where runs of problems with different names stand below each other, each value says what it is.
std::string losses_text(const std::vector<double>& losses, const ObjectiveNames* names) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < losses.size(); ++i) {
    texts.push_back(names ? fmt::format("{} {}", (*names)[i], number_text(losses[i])) : number_text(losses[i]));
  }
  return texts.empty() ? "–" : base::join(texts);
}

bool names_agree(const std::vector<RunRow>& rows) {
  return std::all_of(rows.begin(), rows.end(),
                     [&](const RunRow& row) { return row.objectives == rows.front().objectives; });
}

/// "final losses (accuracy loss, size)", or without the brackets where the problem names nothing.
std::string losses_header(const std::vector<RunRow>& rows) {
  if (rows.empty() || !names_agree(rows) || rows.front().objectives.given().empty()) return "final losses";
  return fmt::format("final losses ({})", base::join(rows.front().objectives.given()));
}

}  // namespace

RunRow run_row(const std::string& name, const records::RunRecord& run) {
  RunRow row;
  row.name = name;
  row.iterations = run.steps.empty() ? 0 : run.steps.back().k + 1;
  row.seconds = run.summary ? run.summary->seconds : recorded_seconds(run);
  if (run.summary) {
    row.status = run.summary->status;
    row.message = run.summary->message;
    row.iterations = run.summary->iterations;
    if (run.summary->refit) row.refit = run.summary->refit->alone.losses;
  }
  row.losses = latest_losses(run);
  row.objectives = ObjectiveNames(run.manifest);
  row.q = latest(run, "q");
  row.kkt = latest(run, "kkt");
  row.distance = latest(run, "distance");
  return row;
}

std::vector<RunRow> run_rows(const Report& report) {
  std::vector<RunRow> rows;
  for (const auto& [name, run] : report.runs) rows.push_back(run_row(name, run));
  return rows;
}

Table run_table(const std::vector<RunRow>& rows) {
  Table table;
  table.header = {"run", "status", "iterations", "seconds", losses_header(rows), "q", "K", "distance"};
  table.numeric = {false, false, true, true, true, true, true, true};
  const bool refitted = std::any_of(rows.begin(), rows.end(), [](const RunRow& row) { return !row.refit.empty(); });
  if (refitted) {
    table.header.push_back("losses, lower level solved again");
    table.numeric.push_back(true);
  }
  const bool agree = names_agree(rows);
  for (const auto& row : rows) {
    const auto* names = agree ? nullptr : &row.objectives;
    table.rows.push_back({row.name, std::string(base::name(row.status)), std::to_string(row.iterations),
                          number_text(row.seconds), losses_text(row.losses, names), number_text(row.q),
                          number_text(row.kkt), number_text(row.distance)});
    if (refitted) table.rows.back().push_back(row.refit.empty() ? "–" : losses_text(row.refit, names));
  }
  return table;
}

Table verdict_table(const std::vector<Verdict>& verdicts) {
  Table table;
  table.header = {"verdict", "case", "quantity", "value", "expected", "source"};
  table.numeric = {false, false, false, true, false, false};
  for (const auto& verdict : verdicts) {
    table.rows.push_back({outcome(verdict), verdict.case_name, verdict.what,
                          verdict.known ? number_text(verdict.value) : "–", verdict.rule, verdict.source});
  }
  return table;
}

std::string verdict_summary(const std::vector<Verdict>& verdicts) {
  const auto count = [&verdicts](const std::string& word) {
    return std::count_if(verdicts.begin(), verdicts.end(), [&word](const Verdict& v) { return outcome(v) == word; });
  };
  auto text = fmt::format("{} of {} expectations met", count("met"), verdicts.size());
  for (const auto* word : {"missed", "not run", "incomplete", "no value"}) {
    if (count(word) > 0) text += fmt::format(", {} {}", count(word), word);
  }
  return text;
}

}  // namespace moblo::lab::report
