#include <algorithm>
#include <cmath>

#include "lab/readers/table_encoding.hpp"
#include "moblo/base/options.hpp"
#include "moblo/records/json_fields.hpp"

namespace moblo::lab::readers {

Json TableEncoding::to_json() const {
  Json columns = Json::array();
  for (const auto& code : columns_) {
    Json one{{"name", code.name}, {"kind", base::enum_name(code.kind)}, {"missing", code.missing}};
    if (code.kind == ColumnKind::category) {
      one["categories"] = code.categories;
    } else {
      one["mean"] = code.mean;
      one["deviation"] = code.deviation;
    }
    columns.push_back(std::move(one));
  }
  return {{"columns", std::move(columns)}, {"dropped", dropped_}};
}

TableEncoding TableEncoding::from_json(const Json& document, const std::string& what) {
  TableEncoding encoding;
  const records::Fields all(document, what);
  encoding.dropped_ = all.texts("dropped");
  for (const auto& column : all.list("columns")) {
    const records::Fields fields(column, what);
    ColumnCode code;
    code.name = fields.text("name");
    code.missing = fields.flag_or("missing", false);
    const auto kind = fields.text("kind");
    const auto kinds = enum_names(ColumnKind{});
    const auto found = std::find_if(kinds.begin(), kinds.end(), [&](const auto& one) { return one.first == kind; });
    if (found == kinds.end()) fields.refuse("kind", "is none of number, amount and category");
    code.kind = found->second;
    if (code.kind == ColumnKind::category) {
      code.categories = fields.texts("categories");
      const auto& list = code.categories;
      if (!std::is_sorted(list.begin(), list.end()) || std::adjacent_find(list.begin(), list.end()) != list.end()) {
        fields.refuse("categories", "must be sorted, and each there once");
      }
    } else {
      code.mean = fields.number("mean");
      code.deviation = fields.number("deviation");
      if (!std::isfinite(code.mean)) fields.refuse("mean", "must be finite");
      if (!std::isfinite(code.deviation) || code.deviation < 0) fields.refuse("deviation", "must be at least 0");
    }
    encoding.columns_.push_back(std::move(code));
  }
  encoding.name_features();
  if (encoding.features_.empty()) all.refuse("columns", "make no input");
  return encoding;
}

}  // namespace moblo::lab::readers
