#pragma once

namespace moblo {

/// The style sheet of the HTML page. Curves differ by colour (Okabe and Ito's palette, which the colour-blind can tell
/// apart) and by dashes, so that they do in print as well.
extern const char* const page_style;

}  // namespace moblo
