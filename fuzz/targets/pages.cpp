#include "fuzz/target.hpp"
#include "lab/report/arena_page.hpp"
#include "lab/report/front_page.hpp"
#include "moblo/base/json.hpp"

namespace moblo::fuzz {
namespace {

/// Nothing of a record gets into a page as a tag: only the page's own scripts and none of the record's.
std::size_t count_of(std::string_view text, std::string_view word) {
  std::size_t count = 0;
  for (auto at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) ++count;
  return count;
}

void check_page(std::string_view page) {
  must(page.starts_with("<!DOCTYPE html>"), "a page begins as one");
  must(count_of(page, "<script") == count_of(page, "</script>"), "no record opens or ends a script");
  must(page.find("<fuzz") == page.npos, "no record has tags");
}

}  // namespace
}  // namespace moblo::fuzz

// Pages and tables of a front and of an arena, made of any record that is accepted.
MOBLO_FUZZ_TARGET(pages) {
  using namespace moblo;
  const Json json = base::parse_json(fuzz::text_of(input));
  if (json.is_discarded()) return;
  fuzz::accepts([&] { fuzz::check_page(lab::report::front_html(records::front_record(json), "/nowhere", "")); });
  fuzz::accepts([&] {
    const auto arena = lab::report::arena_record(json);
    fuzz::check_page(lab::report::arena_html(arena, ""));
    lab::report::arena_markdown(arena);
  });
}
