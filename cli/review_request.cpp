#include "cli/review_request.hpp"

#include <fmt/format.h>

#include "lab/report/page.hpp"
#include "lab/report/web_files.hpp"
#include "moblo/base/error.hpp"
#include "moblo/records/json_fields.hpp"

namespace moblo::cli {
namespace {

WatchAnswer in_json(const Json& document) {
  return {200, std::make_shared<const std::string>(records::dump_json(document)), "application/json"};
}

std::string page_text() {
  lab::report::Page page;
  page.title = "Labels to be looked at";
  page.body =
      "<noscript><p class=\"why\">This page needs JavaScript.</p></noscript>\n"
      "<div id=\"review\" class=\"review\" hidden></div>\n";
  page.own_script = web::review_js;
  return lab::report::page_html(page);
}

std::size_t sample_of(const WatchTarget& target) {
  const auto text = target.text("sample");
  return text == std::to_string(target.number("sample")) ? target.number("sample") : SIZE_MAX;
}

WatchAnswer show(const ReviewSession& session, const WatchTarget& target) {
  if (target.path == "/") {
    return {200, std::make_shared<const std::string>(page_text()), "text/html; charset=utf-8"};
  }
  if (target.path == "/api/samples") return in_json(session.description());
  if (target.path == "/api/picture") {
    const auto picture = session.picture(sample_of(target));
    return picture ? in_json({{"picture", *picture}}) : in_words(404, "This sample has no picture.\n");
  }
  if (target.path == "/favicon.ico") return in_words(204, "");
  return in_words(404, "There is no such page.\n");
}

WatchAnswer change(ReviewSession& session, const WatchTarget& target) {
  if (target.path != "/api/verdict") return in_words(404, "There is no such page.\n");
  const auto label = target.query.contains("label") ? std::optional(target.text("label")) : std::nullopt;
  if (!session.judge(sample_of(target), label)) return in_words(400, "There is no such sample, or no such class.\n");
  return in_json({{"judged", session.judged()}});
}

WatchAnswer answer_reviewer(ReviewSession& session, const WatchAccess& access, const WatchRequest& request) {
  WatchEntry entry{};
  if (const auto refusal = refusal_of(access, request, {"moblo review", /*may_change=*/true}, entry)) return *refusal;
  const auto target = parse_target(request.target);
  auto out = request.method == "POST" ? change(session, target) : show(session, target);
  if (entry == WatchEntry::by_address) out.headers.emplace_back("Set-Cookie", cookie_text(access));
  return out;
}

}  // namespace

WatchAnswer answer_review(ReviewSession& session, const WatchAccess& access, const WatchRequest& request) {
  try {
    return answer_reviewer(session, access, request);
  } catch (const Error& error) {
    return in_words(500, std::string(error.what()) + "\n");  // verdicts.csv could not be written
  } catch (...) {
    return in_words(500, "This could not be answered.\n");
  }
}

}  // namespace moblo::cli
