#include "moblo/training/optimiser.hpp"

#include <cmath>
#include <utility>

namespace moblo::training {
namespace {

void keep(torch::Tensor& copy, const torch::Tensor& of) {
  if (!of.defined() || of.numel() == 0) return;
  if (copy.defined()) {
    copy.copy_(of);
  } else {
    copy = of.clone();
  }
}

}  // namespace

void Optimiser::make_moments(const torch::Tensor& like) {
  if (options_.kind != OptimiserKind::sgd && !first_.defined()) first_ = torch::zeros_like(like);
  const bool adaptive = options_.kind == OptimiserKind::adam || options_.kind == OptimiserKind::adamw;
  if (adaptive && !second_.defined()) second_ = torch::zeros_like(like);
}

/// The change of `values`; `first` and `second` are moved on.
torch::Tensor Optimiser::step(const torch::Tensor& values, const torch::Tensor& direction, double rate,
                              torch::Tensor& first, torch::Tensor& second) const {
  const double mu = options_.step_size * rate;
  const bool decoupled = options_.kind == OptimiserKind::adamw;
  const torch::Tensor descent =
      options_.weight_decay > 0 && !decoupled ? torch::sub(direction, values, options_.weight_decay) : direction;
  switch (options_.kind) {
    case OptimiserKind::sgd:
      return descent * mu;
    case OptimiserKind::momentum:
      first.mul_(options_.momentum).add_(descent);
      return first * mu;
    case OptimiserKind::adam:
    case OptimiserKind::adamw: {
      const auto t = static_cast<double>(count_);
      first.mul_(options_.beta1).add_(descent, 1 - options_.beta1);
      second.mul_(options_.beta2).addcmul_(descent, descent, 1 - options_.beta2);
      const double first_bias = 1 - std::pow(options_.beta1, t), second_bias = 1 - std::pow(options_.beta2, t);
      const auto scale = second.sqrt().div_(std::sqrt(second_bias)).add_(options_.epsilon);
      auto change = torch::div(first, scale).mul_(mu / first_bias);
      if (decoupled && options_.weight_decay > 0) change.sub_(values, mu * options_.weight_decay);
      return change;
    }
  }
  return descent;
}

void Optimiser::update(torch::Tensor values, const torch::Tensor& direction, double rate) {
  ++count_;
  make_moments(values);
  if (options_.kind == OptimiserKind::sgd && options_.weight_decay == 0) {
    values.add_(direction, options_.step_size * rate);
  } else {
    values.add_(step(values, direction, rate, first_, second_));
  }
}

void Optimiser::update_rows(torch::Tensor table, const torch::Tensor& rows, const torch::Tensor& direction,
                            double rate) {
  ++count_;
  make_moments(table);
  auto first = first_.defined() ? first_.index_select(0, rows) : torch::Tensor();
  auto second = second_.defined() ? second_.index_select(0, rows) : torch::Tensor();
  touched_rows_ = rows;
  old_first_ = first.defined() ? first.clone() : first;
  old_second_ = second.defined() ? second.clone() : second;
  const auto values = table.index_select(0, rows);
  table.index_copy_(0, rows, values + step(values, direction, rate, first, second));
  if (first.defined()) first_.index_copy_(0, rows, first);
  if (second.defined()) second_.index_copy_(0, rows, second);
}

void Optimiser::evaluated(std::int64_t k, bool better) {
  if (options_.schedule.kind != ScheduleKind::plateau || k <= plateau_.last_k) return;
  plateau_.last_k = k;
  plateau_.stale = better ? 0 : plateau_.stale + 1;
  if (plateau_.stale <= options_.schedule.patience) return;
  plateau_.stale = 0;
  ++plateau_.drops;
}

void Optimiser::save(Snapshot& to) const {
  to.values[name_ + ".count"] = count_;
  to.values[name_ + ".plateau"] = {plateau_.drops, plateau_.stale, plateau_.last_k};
  if (first_.defined()) to.tensors[name_ + ".first"] = first_.clone();
  if (second_.defined()) to.tensors[name_ + ".second"] = second_.clone();
}

void Optimiser::restore(const Snapshot& from, const torch::Tensor& like) {
  count_ = from.values.at(name_ + ".count").get<std::int64_t>();
  const auto& plateau = from.values.at(name_ + ".plateau");
  plateau_ = {plateau.at(0), plateau.at(1), plateau.at(2)};
  const auto moment = [&](const std::string& name) {
    const bool saved = from.tensors.contains(name) && like.numel() > 0;
    return saved ? problem::tensor_like(from, name, like).clone() : torch::Tensor();
  };
  first_ = moment(name_ + ".first");
  second_ = moment(name_ + ".second");
}

void Optimiser::remember() {
  old_count_ = count_;
  if (touched_rows_.defined()) {
    touched_rows_ = torch::Tensor();  // a table: update_rows keeps the few rows it changes
    return;
  }
  keep(old_first_, first_);
  keep(old_second_, second_);
}

void Optimiser::roll_back() {
  count_ = old_count_;
  const auto put_back = [&](torch::Tensor& moment, const torch::Tensor& old) {
    if (!moment.defined() || !old.defined()) return;
    if (touched_rows_.defined()) {
      moment.index_copy_(0, touched_rows_, old);
    } else {
      moment.copy_(old);
    }
  };
  put_back(first_, old_first_);
  put_back(second_, old_second_);
}

Optimisers::Level::Level(const OptimiserOptions& options, const std::string& name, const std::string& prefix,
                         ParameterPack& pack)
    : dense(options, name) {
  for (const auto& table : pack.tables()) {
    const bool taken = prefix + table.name == name && pack.dense_size() > 0;  // a table called alpha
    tables.emplace_back(options, prefix + (taken ? "rows." : "") + table.name);
  }
}

Optimisers::Optimisers(const OptimiserPair& options, BilevelProblem& problem, std::int64_t iterations)
    : problem_(problem),
      iterations_(iterations),
      alpha_(options.alpha, "optimiser.alpha", "optimiser.", problem.upper()),
      omega_(options.omega, "optimiser.omega", "optimiser.omega.", problem.lower()) {}

void Optimisers::begin(std::int64_t k) {
  k_ = k;
  remembered_ = false;
}

void Optimisers::evaluated(std::int64_t k, bool better) {
  for (auto* optimiser : all()) optimiser->evaluated(k, better);
}

std::vector<Optimiser*> Optimisers::all() {
  std::vector<Optimiser*> all;
  for (auto* level : {&alpha_, &omega_}) {
    all.push_back(&level->dense);
    for (auto& table : level->tables) all.push_back(&table);
  }
  return all;
}

/// At the first update of a step, not at its beginning: z_k is worth going back to only once it has been evaluated.
void Optimisers::remember_once() {
  if (std::exchange(remembered_, true)) return;
  touched_.clear();
  keep(old_alpha_, problem_.upper().values());
  keep(old_omega_, problem_.lower().values().narrow(0, 0, problem_.lower().own_size()));
  for (auto* optimiser : all()) optimiser->remember();
}

void Optimisers::remember_rows(const torch::Tensor& table, const torch::Tensor& rows) {
  touched_.push_back({table, rows, table.index_select(0, rows)});
}

/// The direction, or one of length `clip` along it.
torch::Tensor Optimiser::clipped(const torch::Tensor& direction) const {
  if (options_.clip == 0) return direction;
  const double length = direction.norm().item().toDouble();
  return length > options_.clip ? direction * (options_.clip / length) : direction;
}

void Optimisers::update(ParameterPack& pack, Level& level, const torch::Tensor& whole) {
  torch::NoGradGuard no_grad;
  remember_once();
  const auto direction = level.dense.clipped(whole);
  const double rate = level.dense.rate(k_, iterations_);
  std::int64_t at = pack.own_size();
  if (at > 0) level.dense.update(pack.values().narrow(0, 0, at), direction.narrow(0, 0, at), rate);
  for (const auto& slice : pack.slices()) {
    auto& table = pack.tables()[slice.table].values;
    const auto part = direction.narrow(0, at, slice.leaf.numel()).view(slice.leaf.sizes());
    remember_rows(table, slice.coordinates);
    level.tables[slice.table].update_rows(table, slice.coordinates, part, rate);
    // The values of borrowed rows are those of the leaf until the step is over.
    if (pack.rows_borrowed()) slice.leaf.detach().copy_(table.index_select(0, slice.coordinates));
    at += slice.leaf.numel();
  }
}

void Optimisers::update_upper(const torch::Tensor& direction) {
  update(problem_.upper(), alpha_, direction);
}

void Optimisers::update_lower(const torch::Tensor& direction) {
  update(problem_.lower(), omega_, direction);
}

void Optimisers::replace_lower(const torch::Tensor& values) {
  torch::NoGradGuard no_grad;
  remember_once();
  for (const auto& slice : problem_.lower().slices()) {
    remember_rows(problem_.lower().tables()[slice.table].values, slice.coordinates);
  }
  problem_.lower().values().copy_(values);
}

void Optimisers::roll_back() {
  torch::NoGradGuard no_grad;
  if (old_alpha_.defined()) problem_.upper().values().copy_(old_alpha_);
  if (old_omega_.defined()) problem_.lower().values().copy_(old_omega_);
  for (auto touched = touched_.rbegin(); touched != touched_.rend(); ++touched) {
    touched->table.index_copy_(0, touched->rows, touched->old_values);
  }
  touched_.clear();
  for (auto* optimiser : all()) optimiser->roll_back();
}

void Optimisers::undo_begun() {
  if (std::exchange(remembered_, false)) roll_back();
}

void Optimisers::save(Snapshot& to) {
  for (auto* optimiser : all()) optimiser->save(to);
}

void Optimisers::restore(const Snapshot& from) {
  const auto restore_level = [&](Level& level, ParameterPack& pack) {
    level.dense.restore(from, pack.values());
    for (std::size_t i = 0; i < level.tables.size(); ++i) level.tables[i].restore(from, pack.tables()[i].values);
  };
  restore_level(alpha_, problem_.upper());
  restore_level(omega_, problem_.lower());
}

}  // namespace moblo::training
