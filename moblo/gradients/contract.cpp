#include "moblo/gradients/contract.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <optional>
#include <stdexcept>
#include <string>

#include "moblo/base/error.hpp"
#include "moblo/gradients/losses.hpp"
#include "moblo/gradients/lower_rows.hpp"
#include "moblo/gradients/random_state.hpp"
#include "moblo/gradients/targets.hpp"
#include "moblo/gradients/tensor_memory.hpp"

namespace moblo::gradients {
namespace {

[[noreturn]] void refuse(const std::string& given, const std::string& rule, const std::string& next) {
  throw Error(ErrorKind::problem, given, rule, next);
}

void check_loss(const torch::Tensor& loss, const std::string& name) {
  refuse_bad_loss(loss, name);
  if (!std::isfinite(loss.item().toDouble())) {
    throw Error(ErrorKind::numeric, fmt::format("{} = {} at the starting point", name, loss.item().toDouble()),
                "must be finite", "Start elsewhere, or check the data for NaN");
  }
}

/// What a user's loss throws, with the name of the loss; the exception itself is nested in the Error. torch's own text
/// is kept, without its stack.
template <class Evaluate>
auto evaluate(const std::string& name, Evaluate loss) {
  const auto cannot = [&](const std::string& reason) {
    std::throw_with_nested(Error(ErrorKind::problem, name, fmt::format("cannot be evaluated: {}", reason),
                                 "Check the loss, and the shapes and types of parameters and data"));
  };
  try {
    return loss();
  } catch (const Error&) {
    throw;
  } catch (const c10::Error& error) {
    cannot(error.what_without_backtrace());
  } catch (const std::exception& error) {
    cannot(error.what());
  } catch (...) {
    cannot("it threw something that is not a std::exception");
  }
  throw std::logic_error("unreachable");  // cannot() throws, which the compiler does not see
}

/// Raises `bytes` to the most that the tensors of `make` hold.
template <class Make>
auto counted(std::int64_t& bytes, Make make) {
  const TensorMemory memory;
  auto made = make();
  bytes = std::max(bytes, memory.most_bytes());
  return made;
}

void check_finite(ParameterPack& pack, const char* level) {
  const auto pieces = pack.pieces(pack.values());
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (pieces[i].isfinite().all().item().toBool()) continue;
    refuse(fmt::format("{} parameter '{}'", level, pack.names()[i]), "holds values that are not finite",
           "Start elsewhere");
  }
}

void check_packs(BilevelProblem& problem) {
  auto& upper = problem.upper();
  auto& lower = problem.lower();
  if (lower.empty()) refuse("the lower level", "has no parameters", "Add tensors or modules to lower_");
  if (upper.empty()) refuse("the upper level", "has no parameters", "Add tensors or modules to upper_");
  upper.take_over();
  lower.take_over();
  if (upper.options().dtype() != lower.options().dtype()) {
    refuse("upper and lower parameters", "are of two floating-point types", "Give both levels the same dtype");
  }
  upper.refuse_shared_with(lower);
  check_finite(upper, "upper");
  check_finite(lower, "lower");
}

void check_streams(BilevelProblem& problem) {
  for (auto* stream : {&problem.upper_batches(), &problem.lower_batches()}) {
    if (stream->epoch_length() < 1) {
      refuse(fmt::format("a stream of batches with epoch_length() = {}", stream->epoch_length()), "needs at least 1",
             "Say how many batches make an epoch");
    }
    if (stream->position() < 0) {
      refuse(fmt::format("a stream of batches at position {}", stream->position()), "must not be negative",
             "seek() to 0 or beyond");
    }
  }
}

/// Which leaves and open slices some loss has a gradient by.
class Readers {
 public:
  explicit Readers(BilevelProblem& problem) : problem_(problem) {}

  /// Returns how many of upper and lower leaves `loss` depends on.
  std::pair<std::size_t, std::size_t> add(const torch::Tensor& loss) {
    if (!loss.requires_grad()) return {};
    return {read(loss, problem_.upper(), upper_), read(loss, problem_.lower(), lower_)};
  }

  std::vector<std::string> unread_upper() const { return unread(problem_.upper(), upper_); }
  std::vector<std::string> unread_lower() const { return unread(problem_.lower(), lower_); }

 private:
  static std::size_t read(const torch::Tensor& loss, ParameterPack& pack, std::vector<bool>& seen) {
    const auto leaves = leaves_of(pack);
    if (leaves.empty()) return 0;
    seen.resize(pack.leaves().size());
    const auto gradients = torch::autograd::grad({loss}, leaves, {}, /*retain_graph=*/true, false,
                                                 /*allow_unused=*/true);
    std::size_t count = 0;
    for (std::size_t i = 0; i < gradients.size(); ++i) {
      if (!gradients[i].defined()) continue;
      ++count;
      if (i < seen.size()) seen[i] = true;
    }
    return count;
  }

  static std::vector<std::string> unread(ParameterPack& pack, const std::vector<bool>& seen) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < pack.names().size(); ++i) {
      if (i >= seen.size() || !seen[i]) names.push_back(pack.names()[i]);
    }
    return names;
  }

  BilevelProblem& problem_;
  std::vector<bool> upper_, lower_;
};

/// Each loss is evaluated once; the bytes are those of its tensors, before it is asked what it reads.
std::int64_t check_upper(BilevelProblem& problem, const Batch& batch, Readers& readers, std::int64_t& bytes) {
  const auto losses =
      counted(bytes, [&] { return evaluate("upper_losses", [&] { return problem.upper_losses(batch); }); });
  if (losses.empty()) refuse("upper_losses", "gave no objective", "Return at least one loss");
  for (std::size_t i = 0; i < losses.size(); ++i) {
    const auto name = fmt::format("F_{}", i + 1);
    check_loss(losses[i], name);
    const auto [upper, lower] = evaluate(name, [&] { return readers.add(losses[i]); });
    if (upper + lower == 0) {
      refuse(name, "has no gradient: it depends on no parameter of either level",
             "Compute it from the tensors or modules that were added, without detach(), data() or NoGradGuard");
    }
  }
  return static_cast<std::int64_t>(losses.size());
}

void check_lower(BilevelProblem& problem, const Batch& batch, Readers& readers, std::int64_t& bytes) {
  const auto loss = counted(bytes, [&] {
    auto value = evaluate("lower_loss", [&] { return problem.lower_loss(batch); });
    check_loss(value, "f");
    evaluate("f", [&] {
      if (!value.requires_grad()) return;
      torch::autograd::grad({value}, problem.lower().leaves(), {}, /*retain_graph=*/true, false, /*allow_unused=*/true);
    });
    return value;
  });
  if (evaluate("f", [&] { return readers.add(loss); }).second == 0) {
    refuse("lower_loss", "does not depend on any lower parameter",
           "Compute it from the tensors or modules that were added to lower_, without detach() or data()");
  }
}

void check_objective_names(const std::vector<std::string>& names, std::int64_t objectives) {
  if (names.empty() || static_cast<std::int64_t>(names.size()) == objectives) return;
  refuse(fmt::format("objective_names gave {} names", names.size()), fmt::format("there are {} objectives", objectives),
         "Name each of them, or none");
}

/// A model may have layers that nothing needs; a table of rows that is read otherwise than by rows() has no gradient.
void check_tables(ParameterPack& pack, const std::string& level) {
  for (std::size_t i = 0; i < pack.tables().size(); ++i) {
    const auto reads = [&](const auto& slice) { return slice.table == i; };
    if (std::any_of(pack.slices().begin(), pack.slices().end(), reads)) continue;
    refuse(fmt::format("{} parameter '{}'", level, pack.tables()[i].name), "is read by no loss through rows()",
           fmt::format("Read it as {}_.rows(name, indices), or add it with add instead of add_rows", level));
  }
}

void check_readers(const Readers& readers, bool learned_start, ProblemShape& shape) {
  const auto warn = [&](const char* level, const std::vector<std::string>& names) {
    for (const auto& name : names) {
      shape.warnings.push_back(fmt::format(
          "{} parameter '{}' is read by no loss and will not move; was the variable reassigned after it was added?",
          level, name));
    }
  };
  if (!learned_start) warn("upper", readers.unread_upper());
  warn("lower", readers.unread_lower());
}

}  // namespace

std::vector<std::string> names_of_objectives(const BilevelProblem& problem, std::int64_t objectives) {
  auto names = problem.objective_names();
  check_objective_names(names, objectives);
  for (std::int64_t i = 1; names.size() < static_cast<std::size_t>(objectives); ++i)
    names.push_back(fmt::format("F{}", i));
  return names;
}

ProblemShape check_contract(BilevelProblem& problem, bool learned_start) {
  const torch::AutoGradMode with_gradients(true);
  check_packs(problem);
  check_streams(problem);
  const auto upper_position = problem.upper_batches().position();
  const auto lower_position = problem.lower_batches().position();
  const auto random_state = torch_random_state();
  const problem::BuffersKept upper_kept(problem.upper()), lower_kept(problem.lower());
  const problem::SlicesOpen slices(problem.upper());

  problem.upper().values();  // torch complains of tensors that are freed under the count but older than it
  problem.lower().values();
  std::optional<LowerRowsBorrowed> rows;
  evaluate("lower_loss", [&] { rows.emplace(problem); });
  const auto [upper_batch, lower_batch] = evaluate("the first batch", [&] {
    return std::pair{problem.upper_batches().next(), problem.lower_batches().next()};
  });
  ProblemShape shape;
  Readers readers(problem);
  check_lower(problem, lower_batch, readers, shape.pass_bytes);
  shape.m = check_upper(problem, upper_batch, readers, shape.pass_bytes);
  check_tables(problem.upper(), "upper");
  check_tables(problem.lower(), "lower");
  check_readers(readers, learned_start, shape);
  shape.p_of_step = problem.lower().dense_size();
  rows.reset();

  shape.draws_random = !torch::equal(random_state, torch_random_state());
  if (shape.draws_random) set_torch_random_state(random_state);
  problem.upper_batches().seek(upper_position);
  problem.lower_batches().seek(lower_position);
  shape.n = problem.upper().size();
  shape.p = problem.lower().size();
  shape.objectives = names_of_objectives(problem, shape.m);
  return shape;
}

}  // namespace moblo::gradients
