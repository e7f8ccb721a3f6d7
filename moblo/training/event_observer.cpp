#include "moblo/training/event_observer.hpp"

#include <fmt/format.h>

#include "moblo/base/error.hpp"
#include "moblo/records/sample_outcomes.hpp"

namespace moblo::training {
namespace {

constexpr double seconds_between_event_flushes = 1;

void add_list(records::Scalars& to, const char* name, const std::vector<double>& values) {
  for (std::size_t i = 0; i < values.size(); ++i) to.emplace_back(fmt::format("{}{}", name, i + 1), values[i]);
}

/// Width, height and the kind of colour stand at the same place in every PNG.
std::int64_t png_number(const std::string& png, std::size_t at, std::size_t bytes) {
  std::int64_t value = 0;
  for (std::size_t i = at; i < at + bytes; ++i) value = value << 8 | static_cast<unsigned char>(png[i]);
  return value;
}

void add_png(records::EventFile& file, std::int64_t step, const std::string& tag, const std::string& png) {
  if (png.size() < 26) return;
  const bool grey = png_number(png, 25, 1) == 0;
  file.add_image(step, tag, png_number(png, 20, 4), png_number(png, 16, 4), grey ? 1 : 3, png);
}

}  // namespace

records::Scalars scalars_of(const StepRecord& record, const StepTiming& timing) {
  records::Scalars out;
  add_list(out, "losses/F", record.losses);
  out.emplace_back("losses/lower", record.lower_loss);
  out.emplace_back("stationarity/q", record.q);
  out.emplace_back("stationarity/K", record.kkt);
  if (record.distance) out.emplace_back("stationarity/distance", *record.distance);
  add_list(out, "weights/lambda", record.weights);
  out.emplace_back("weights/nu", record.nu);
  add_list(out, "gradients/norm", record.gradient_norms);
  add_list(out, "gradients/cosine", record.conflict_cosines);
  for (const auto& [phase, seconds] : timing.seconds) out.emplace_back("seconds/" + phase, seconds);
  out.emplace_back("memory/peak_MiB", static_cast<double>(timing.peak_bytes) / (1 << 20));
  return out;
}

template <class Write>
void EventObserver::attempt(const Write& write) {
  if (!file_) return;
  try {
    write(*file_);
  } catch (const Error&) {
    file_.reset();
  }
}

void EventObserver::started(const gradients::ProblemShape&, std::int64_t first_k, std::int64_t) {
  try {
    file_.emplace(folder_, first_k);
  } catch (const Error&) {
    file_.reset();
  }
}

void EventObserver::stepped(const StepRecord& record, const StepTiming& timing) {
  attempt([&](records::EventFile& file) {
    file.add(record.k, scalars_of(record, timing));
    if (since_flush_.seconds() < seconds_between_event_flushes) return;
    file.flush();
    since_flush_ = {};
  });
}

void EventObserver::evaluated(const Evaluation& evaluation) {
  records::Scalars scalars;
  for (const auto& [name, value] : evaluation.metrics) scalars.emplace_back("metrics/" + name, value);
  attempt([&](records::EventFile& file) { file.add(evaluation.k, scalars); });
}

void EventObserver::ended(const Summary& summary) {
  attempt([&](records::EventFile& file) {
    for (const auto& outcomes : records::read_sample_outcomes(folder_)) {
      for (std::size_t i = 0; i < outcomes.pictures.size(); ++i) {
        add_png(file, summary.iterations, fmt::format("suspects/{}/{}", outcomes.dataset, i + 1),
                outcomes.pictures[i].png);
      }
    }
    file.flush();
  });
}

}  // namespace moblo::training
