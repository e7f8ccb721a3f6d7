#include "tests/misuse/misuse.hpp"

#include <cxxabi.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <typeinfo>

#include "moblo/base/error.hpp"

namespace moblo::misuse {

Outcome completed(bool right, const std::string& facts) {
  return {.completed = true, .right = right, .text = facts};
}

std::vector<Case>& cases() {
  static std::vector<Case> all;
  return all;
}

bool add_case(std::string name, Expected expected, std::function<Outcome()> body) {
  cases().push_back({std::move(name), std::move(expected), std::move(body)});
  return true;
}

TwoTargets::TwoTargets(Packs packs, torch::Dtype type)
    : a(torch::full({2}, 2.0, type)),
      w(torch::full({2}, 2.0, type)),
      first(torch::tensor({1.0, 0.0}, type)),
      second(torch::tensor({0.0, 1.0}, type)) {
  if (packs == bare) return;
  upper_.add("a", a);
  lower_.add("w", w);
}

std::vector<torch::Tensor> TwoTargets::upper_losses(const Batch&) {
  auto losses = upper_function ? upper_function() : both();
  ++upper_calls;
  return losses;
}

torch::Tensor TwoTargets::lower_loss(const Batch&) {
  auto loss = lower_function ? lower_function() : gap();
  ++lower_calls;
  return loss;
}

std::optional<double> TwoTargets::distance_to_solution_set() {
  if (!a.defined() || !w.defined() || a.sizes() != first.sizes() || w.sizes() != first.sizes()) return std::nullopt;
  const auto u = first.to(torch::kFloat64), side = second.to(torch::kFloat64) - u;
  const auto x = a.detach().to(torch::kFloat64), y = w.detach().to(torch::kFloat64);
  const auto along = (torch::dot((x + y) / 2 - u, side) / torch::dot(side, side)).clamp(0, 1);
  const auto nearest = u + along * side;
  return ((x - nearest).square().sum() + (y - nearest).square().sum()).sqrt().item().toDouble();
}

TrainingOptions enough(std::int64_t iterations) {
  TrainingOptions options{.iterations = iterations};
  for (auto* level : {&options.optimiser.alpha, &options.optimiser.omega}) {
    level->step_size = 0.3;
    level->schedule = {.kind = ScheduleKind::power, .power = 0.3};
  }
  return options;
}

TrainingOptions standing() {
  TrainingOptions options{.iterations = 1};
  options.optimiser.alpha.step_size = options.optimiser.omega.step_size = 1e-12;
  return options;
}

ForumOptions forum_options() {
  return {.inner_steps = 20, .inner_step_size = 0.3, .rho = 0.5};
}

std::string text_of(const torch::Tensor& values) {
  if (!values.defined()) return "undefined";
  const auto flat = values.detach().to(torch::kFloat64).reshape({-1});
  std::string text;
  for (std::int64_t i = 0; i < std::min<std::int64_t>(flat.numel(), 6); ++i) {
    text += fmt::format("{}{:.4g}", i ? ", " : "", flat[i].item().toDouble());
  }
  return "(" + text + (flat.numel() > 6 ? ", ..)" : ")");
}

Outcome judged(const Summary& summary, bool right, const std::string& facts) {
  if (summary.status == RunStatus::completed) return completed(right, facts);
  return {.text = fmt::format("{}: {}", name(summary.status), summary.message)};
}

Outcome trained(TwoTargets& problem, Method& method, const TrainingOptions& options, const RunControl& control) {
  const auto summary = train(problem, method, options, control);
  const auto distance = problem.distance_to_solution_set();
  const auto facts = fmt::format("a = {}, w = {}, distance to the solutions {}", text_of(problem.a), text_of(problem.w),
                                 distance ? fmt::format("{:.2g}", *distance) : "unknown");
  return judged(summary, distance && *distance <= problem.tolerance, facts);
}

Outcome trained(TwoTargets& problem) {
  Forum forum(forum_options());
  return trained(problem, forum);
}

namespace {

/// Of the exception that is being handled, of whatever type.
std::string type_of_exception() {
  const auto* type = abi::__cxa_current_exception_type();
  const std::unique_ptr<char, void (*)(void*)> text(abi::__cxa_demangle(type->name(), nullptr, nullptr, nullptr),
                                                    std::free);
  return text ? text.get() : type->name();
}

/// The first words of a line are the class of the outcome; tools/misuse reads them.
std::string line_of(const Case& one) {
  try {
    const auto outcome = one.body();
    if (!outcome.completed) return "status " + outcome.text;
    return fmt::format("completed: {}, {}", outcome.right ? "right" : "wrong", outcome.text);
  } catch (const Error& error) {
    return fmt::format("refused: {}", error.what());
  } catch (const c10::Error& error) {
    return fmt::format("escaped: {}: {}", type_of_exception(), error.what_without_backtrace());
  } catch (const std::exception& error) {
    return fmt::format("escaped: {}: {}", type_of_exception(), error.what());
  } catch (...) {
    return fmt::format("escaped: {}", type_of_exception());
  }
}

std::string one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\n' || c == '\t'; }, ' ');
  return text;
}

/// Number, name, then each way in which it may end with the words that belong to it.
void print_list() {
  for (std::size_t i = 0; i < cases().size(); ++i) {
    std::cout << i + 1 << '\t' << cases()[i].name;
    for (const auto& [outcome, words] : cases()[i].expected.ways) {
      std::cout << '\t' << outcome;
      for (const auto& word : words) std::cout << '|' << word;
    }
    std::cout << '\n';
  }
}

/// In a process of its own, with limits: a misuse may crash, hang or take all memory. Forking is safe and saves loading
/// torch once per case, for this process computes nothing.
std::string line_of_child(const Case& one) {
  constexpr int seconds = 30;
  constexpr rlim_t bytes = rlim_t{6} << 30;
  int ends[2];
  if (pipe(ends) != 0) return "crash: no pipe";
  const pid_t child = fork();
  if (child == 0) {
    const rlimit memory{bytes, bytes}, core{0, 0};
#ifdef __SANITIZE_ADDRESS__  // its shadow memory alone is terabytes of addresses
    (void)memory;
#else
    setrlimit(RLIMIT_AS, &memory);
#endif
    setrlimit(RLIMIT_CORE, &core);
    close(ends[0]);
    const auto line = one_line(line_of(one)) + "\n";
    const auto written = write(ends[1], line.data(), line.size());
    _exit(written == static_cast<ssize_t>(line.size()) ? 0 : 3);
  }
  close(ends[1]);
  std::string line;
  bool late = false;
  for (std::array<char, 4096> buffer{};;) {
    pollfd ready{ends[0], POLLIN, 0};
    late = poll(&ready, 1, seconds * 1000) == 0;
    const auto count = late ? 0 : read(ends[0], buffer.data(), buffer.size());
    if (count <= 0) break;
    line.append(buffer.data(), static_cast<std::size_t>(count));
  }
  close(ends[0]);
  if (late) kill(child, SIGKILL);
  int status = 0;
  waitpid(child, &status, 0);
  if (late) return fmt::format("hang: no end within {} s", seconds);
  if (WIFSIGNALED(status)) return fmt::format("crash: signal {}", WTERMSIG(status));
  if (line.empty()) return fmt::format("crash: exit code {}", WEXITSTATUS(status));
  return line.substr(0, line.find('\n'));
}

int run(const std::vector<std::string>& arguments) {
  torch::set_num_threads(1);
  if (arguments.size() == 1 && arguments[0] == "--list") {
    print_list();
    return 0;
  }
  if (arguments.size() == 1 && arguments[0] == "--all") {
    for (std::size_t i = 0; i < cases().size(); ++i)
      std::cout << i + 1 << '\t' << line_of_child(cases()[i]) << std::endl;
    return 0;
  }
  const auto number = arguments.size() == 1 ? std::strtoul(arguments[0].c_str(), nullptr, 10) : 0;
  if (number < 1 || number > cases().size()) {
    std::cerr << "usage: misuse --list | --all | N, with N from 1 to " << cases().size() << '\n';
    return 2;
  }
  std::cout << one_line(line_of(cases()[number - 1])) << std::endl;
  return 0;
}

}  // namespace
}  // namespace moblo::misuse

int main(int argc, char** argv) {
  return moblo::misuse::run({argv + 1, argv + argc});
}
