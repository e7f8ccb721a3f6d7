#pragma once

#include "cli/review_session.hpp"
#include "cli/watch_request.hpp"

namespace moblo::cli {

/// Answers of `moblo review`: the page, its data, pictures by number, and verdicts (POST). Whoever asks must name this
/// machine as host and hold the token; who changes something must also come from the page itself (Origin).
WatchAnswer answer_review(ReviewSession& session, const WatchAccess& access, const WatchRequest& request);

}  // namespace moblo::cli
