#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "cli/watch_server.hpp"
#include "lab/report/page.hpp"
#include "lab/report/web_files.hpp"
#include "moblo/base/error.hpp"
#include "moblo/records/json_fields.hpp"

namespace moblo::cli {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t bytes_at_a_time = 1 << 20, most_open = 16;
constexpr auto between_looks = 500ms;

std::string seen_json(const lab::report::LiveRun& run) {
  const auto seen = run.seen();
  return fmt::format(R"("version":{},"restarts":{},"stride":{},"records":{},"ended":{})", run.version(), seen.restarts,
                     seen.stride, seen.records, run.ended());
}

std::string quoted(const std::string& text) {
  return records::dump_json(Json(text));
}

}  // namespace

Watch::Watch(std::filesystem::path root)
    : root_(std::move(root)), library_(lab::report::chart_library()), folder_(root_) {
  folder_.refresh();
  looker_ = std::thread([this] { look_around(); });
}

Watch::~Watch() {
  {
    const std::lock_guard guard(lock_);
    ending_ = true;
  }
  wake_.notify_all();
  looker_.join();
}

void Watch::look_around() {
  std::unique_lock guard(lock_);
  bool more = false;
  while (!ending_) {
    wake_.wait_for(guard, more ? 1ms : between_looks, [this] { return ending_; });
    if (ending_) return;
    if (!more) folder_.refresh();
    const auto runs = open_;
    guard.unlock();
    more = false;
    for (const auto& open : runs) {
      const std::lock_guard of_run(open->lock);
      try {
        open->reading = open->run.read_on(bytes_at_a_time);
      } catch (const Error&) {
        open->reading = false;  // the folder has gone, or is being written again
      }
      more = more || open->reading;
    }
    guard.lock();
  }
}

std::shared_ptr<Watch::OpenRun> Watch::open(const std::string& name) {
  const std::lock_guard guard(lock_);
  const auto known = std::find_if(open_.begin(), open_.end(), [&](const auto& one) { return one->name == name; });
  if (known != open_.end()) {
    open_.splice(open_.begin(), open_, known);
    return open_.front();
  }
  const auto folder = folder_.folder_of(name);
  if (folder.empty()) return nullptr;
  open_.push_front(std::make_shared<OpenRun>(name, folder));
  if (open_.size() > most_open) open_.pop_back();
  open_.front()->run.read_on(bytes_at_a_time);
  return open_.front();
}

std::string Watch::list_page() {
  lab::report::Page page;
  page.title = "Runs";
  page.body =
      "<div class=\"search\"><input id=\"filter\" type=\"search\" placeholder=\"filter, e.g. forum running\" "
      "aria-label=\"Filter\"><span class=\"soft\" id=\"count\" role=\"status\"></span></div><div id=\"runs\">";
  {
    const std::lock_guard guard(lock_);
    page.body += lab::report::run_list_html(folder_.runs());
  }
  page.body += "</div>\n";
  page.own_script = web::runs_js;
  return lab::report::page_html(page);
}

std::string Watch::list_json(std::uint64_t known_version) {
  const std::lock_guard guard(lock_);
  const auto version = folder_.version();
  if (version == known_version) return fmt::format("{{\"version\":{}}}", version);
  return fmt::format("{{\"version\":{},\"html\":{}}}", version, quoted(lab::report::run_list_html(folder_.runs())));
}

std::string Watch::run_page_html(const std::string& name) {
  const auto open_run = open(name);
  if (!open_run) return "";
  const std::lock_guard guard(open_run->lock);
  const auto view = open_run->run.view();
  auto page = lab::report::run_page(view, view.manifest.title.empty() ? name : view.manifest.title, library_);
  page.sections.insert(page.sections.begin(), {"/", "All runs"});
  page.own_script = web::live_js;
  page.live =
      fmt::format("{{\"name\":{},\"figures\":{},{}}}", quoted(name), view.figures.size(), seen_json(open_run->run));
  return lab::report::page_html(page);
}

std::string Watch::run_json(const std::string& name, std::uint64_t known_version,
                            const lab::report::LiveRun::Seen& seen) {
  const auto open_run = open(name);
  if (!open_run) return "";
  const std::lock_guard guard(open_run->lock);
  const auto& run = open_run->run;
  const auto reading = open_run->reading;
  if (run.version() == known_version) return fmt::format("{{\"version\":{},\"reading\":{}}}", known_version, reading);
  return fmt::format("{{{},\"reading\":{},\"head\":{},\"figures\":{}}}", seen_json(run), reading,
                     quoted(lab::report::run_head_html(run.view())),
                     lab::report::figures_json(run.figures_after(seen)));
}

}  // namespace moblo::cli
