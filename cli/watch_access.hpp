#pragma once

#include <string>
#include <string_view>

namespace moblo::cli {

/// Who is let in.
struct WatchAccess {
  std::string bound;   ///< the address that is served, as it was given
  std::string token;   ///< empty: everybody who can reach that address
  std::string cookie;  ///< its name; browsers share cookies among the ports of a host, so that it names the port
};

enum class WatchEntry {
  none,
  open,       ///< no token is asked for, or it came in a header
  by_address  ///< ?token= was right; a cookie carries it from here on
};

/// Compares in a time that does not tell how much of a token was right.
WatchEntry entry_of(const WatchAccess& access, std::string_view token, std::string_view authorization,
                    std::string_view cookies);

/// The value of Set-Cookie.
std::string cookie_text(const WatchAccess& access);

/// 128 bits by chance as 32 hexadecimal digits.
std::string drawn_token();
/// Error(usage) for one that is easily guessed, or that addresses and cookies cannot carry as it is.
void refuse_unfit_token(const std::string& token);

/// Whether a browser that was sent here by that name may be answered: pages elsewhere may not read this one by giving
/// its address a name of theirs. `bound` is the address that is served.
bool may_be_asked_as(std::string_view host_header, std::string_view bound);

}  // namespace moblo::cli
