#include "cli/watch_pages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>

#include "lab/report/number_text.hpp"
#include "lab/report/page.hpp"
#include "lab/report/run_files.hpp"
#include "lab/report/web_files.hpp"
#include "moblo/records/json_fields.hpp"

namespace moblo::cli {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr std::size_t bytes_at_a_time = 1 << 20, most_open = 200, most_cached_bytes = 64 << 20;
constexpr std::chrono::milliseconds between_looks = 500ms, stays_open = 60s;
/// While a long run is read for the first time it changes every few milliseconds; nobody needs a page of each state.
constexpr auto between_answers = 100ms;

WatchBody body_of(std::string text) {
  return std::make_shared<const std::string>(std::move(text));
}

std::string seen_json(const lab::report::LiveRun& run) {
  const auto seen = run.seen();
  return fmt::format(R"("version":{},"restarts":{},"stride":{},"records":{},"ended":{})", run.version(), seen.restarts,
                     seen.stride, seen.records, run.ended());
}

std::string json_text(const std::string& text) {
  return records::dump_json(Json(text));
}

std::string list_page_html(const std::string& list) {
  lab::report::Page page;
  page.title = "Runs";
  page.body = fmt::format(
      "<div class=\"search\"><input id=\"filter\" type=\"search\" placeholder=\"filter, e.g. forum running\" "
      "aria-label=\"Filter\"><span class=\"soft\" id=\"count\" role=\"status\"></span></div><div "
      "id=\"runs\">{}</div>\n",
      list);
  page.own_script = web::runs_js;
  return lab::report::page_html(page);
}

std::string broken_page_html(const std::string& name, const std::string& reason) {
  lab::report::Page page;
  page.title = name;
  page.sections = {{"/", "All runs"}};
  page.own_script = "setTimeout(() => location.reload(), 5000);";
  page.body = fmt::format("<p class=\"why\">This run cannot be read. {}</p>\n", lab::report::html_escaped(reason));
  return lab::report::page_html(page);
}

}  // namespace

struct Watch::OpenRun {
  OpenRun(std::string run_name, std::filesystem::path run_folder, std::filesystem::path run_root)
      : name(std::move(run_name)), folder(std::move(run_folder)), root(std::move(run_root)) {}

  /// Of what was not read yet; a run that could not be read is tried again from its start.
  void read_on() {
    tried = true;
    try {
      if (!run) run.emplace(name, folder, root);
      reading = run->read_on(bytes_at_a_time);
      broken.clear();
    } catch (...) {
      give_up();
    }
  }

  void give_up() {
    broken = lab::report::words_of_failure(folder);
    run.reset();
    reading = false;
  }

  std::string page_html(const std::string& library) const {
    const auto view = run->view();
    auto page = lab::report::run_page(view, view.manifest.title.empty() ? name : view.manifest.title, library);
    page.sections.insert(page.sections.begin(), {"/", "All runs"});
    page.own_script = web::live_js;
    page.live = fmt::format("{{\"name\":{},\"figures\":{},{}}}", json_text(name), view.figures.size(), seen_json(*run));
    return lab::report::page_html(page);
  }

  std::string news_json(const lab::report::LiveRun::Seen& seen) const {
    return fmt::format("{{{},\"reading\":{},\"head\":{},\"figures\":{}}}", seen_json(*run), reading,
                       json_text(lab::report::run_head_html(run->view())),
                       lab::report::figures_json(run->figures_after(seen)));
  }

  /// What `make` returns, made once per state of the run; empty where it could not be made, and `broken` says why.
  template <class Make>
  WatchBody made(WatchCache& cache, const std::string& key, const Make& make) {
    try {
      if (auto known = cache.find(key, run->version(), reading ? between_answers : 0ms)) return known;
      auto body = body_of(make());
      cache.keep(key, run->version(), body);
      return body;
    } catch (...) {
      give_up();
      return nullptr;
    }
  }

  const std::string name;
  const std::filesystem::path folder, root;
  Clock::time_point asked_for;  ///< under the lock of all
  std::mutex lock;              ///< of what follows
  bool tried = false;
  std::optional<lab::report::LiveRun> run;
  std::string broken;
  bool reading = true;
};

Watch::Watch(const std::filesystem::path& root)
    : library_(lab::report::chart_library()), cache_(most_cached_bytes), folder_(root) {
  refresh_list();
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
  bool more = false;
  auto next_look = Clock::now() + between_looks;
  std::unique_lock guard(lock_);
  while (!ending_) {
    wake_.wait_until(guard, more ? Clock::now() + 1ms : next_look, [this] { return ending_; });
    if (ending_) return;
    guard.unlock();
    try {
      if (Clock::now() >= next_look) {
        refresh_list();
        next_look = Clock::now() + between_looks;
      }
      more = read_open_runs();
    } catch (...) {  // no memory: what was known stays, the next look may do better
      more = false;
      next_look = Clock::now() + between_looks;
    }
    guard.lock();
  }
}

void Watch::refresh_list() {
  folder_.refresh();
  const auto known = list();
  if (known && known->version == folder_.version() && known->root == folder_.resolved_root()) return;
  auto now = std::make_shared<RunList>();
  const auto html = lab::report::run_list_html(folder_.runs());
  now->version = folder_.version();
  now->page = body_of(list_page_html(html));
  now->json = body_of(fmt::format("{{\"version\":{},\"html\":{}}}", now->version, json_text(html)));
  now->folders = folder_.folders();
  now->root = folder_.resolved_root();
  const std::lock_guard guard(lock_);
  list_ = std::move(now);
}

bool Watch::read_open_runs() {
  std::unique_lock guard(lock_);
  open_.remove_if([](const auto& one) { return Clock::now() - one->asked_for > stays_open; });
  const auto runs = open_;
  guard.unlock();
  bool more = false;
  for (const auto& open_run : runs) {
    const std::lock_guard of_run(open_run->lock);
    open_run->read_on();
    more = more || open_run->reading;
  }
  return more;
}

std::shared_ptr<const Watch::RunList> Watch::list() {
  const std::lock_guard guard(lock_);
  return list_;
}

std::shared_ptr<Watch::OpenRun> Watch::open(const std::string& name) {
  const std::lock_guard guard(lock_);
  const auto listed = list_->folders.find(name);
  if (listed == list_->folders.end()) return nullptr;
  const auto known = std::find_if(open_.begin(), open_.end(), [&](const auto& one) {
    return one->name == name && one->folder == listed->second && one->root == list_->root;
  });
  if (known != open_.end()) {
    open_.splice(open_.begin(), open_, known);
  } else {
    open_.push_front(std::make_shared<OpenRun>(name, listed->second, list_->root));
  }
  if (open_.size() > most_open) open_.pop_back();
  open_.front()->asked_for = Clock::now();
  return open_.front();
}

WatchBody Watch::list_page() {
  return list()->page;
}

WatchBody Watch::list_json(std::uint64_t known_version) {
  const auto now = list();
  return now->version == known_version ? body_of(fmt::format("{{\"version\":{}}}", known_version)) : now->json;
}

WatchBody Watch::run_page(const std::string& name) {
  const auto open_run = open(name);
  if (!open_run) return nullptr;
  const std::lock_guard guard(open_run->lock);
  if (!open_run->tried) open_run->read_on();
  WatchBody body;
  if (open_run->run) body = open_run->made(cache_, "page/" + name, [&] { return open_run->page_html(library_); });
  return body ? body : body_of(broken_page_html(name, open_run->broken));
}

WatchBody Watch::run_json(const std::string& name, std::uint64_t known_version,
                          const lab::report::LiveRun::Seen& seen) {
  const auto open_run = open(name);
  if (!open_run) return nullptr;
  const std::lock_guard guard(open_run->lock);
  if (!open_run->tried) open_run->read_on();
  WatchBody body;
  if (open_run->run) {
    if (open_run->run->version() == known_version) {
      return body_of(fmt::format("{{\"version\":{},\"reading\":{}}}", known_version, open_run->reading));
    }
    const auto key = fmt::format("json/{}/{}/{}/{}", seen.restarts, seen.stride, seen.records, name);
    body = open_run->made(cache_, key, [&] { return open_run->news_json(seen); });
  }
  return body ? body : body_of(fmt::format("{{\"version\":0,\"broken\":{}}}", json_text(open_run->broken)));
}

}  // namespace moblo::cli
