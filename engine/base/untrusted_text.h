#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace trainyard {

/// Untrusted text (a host's answer, a log, a file name, a reason) may contain anything. It goes through here
/// before a person sees it in the window, on the terminal or in a report.
enum class Lines {
    One, ///< line breaks and tabs become spaces
    Many ///< line breaks and tabs stay
};

constexpr std::size_t kShownTextBytes = 16 * 1024; ///< of a message, a reason, a name; more is cut

/// Returns `foreign` as valid UTF-8 without active characters: control characters (C0 with ESC, DEL, C1),
/// characters that turn the direction of writing, invisible ones and bytes that are not UTF-8 each become
/// U+FFFD. Letters of any language stay, and so do the joiners that their scripts need. Cut with "…" after
/// about `mostBytes`.
std::string sanitizeText(std::string_view foreign, Lines lines = Lines::One,
                         std::size_t mostBytes = std::string::npos);

constexpr std::size_t kShownMessageBytes = 1000;

/// Sanitizes a message that quotes untrusted text; one longer than about kShownMessageBytes loses its middle
/// to "…", so that the words after a long name stay.
std::string shownMessage(std::string_view message);

/// Sanitizes an error with untrusted texts; keeps at most kShownTextBytes of each.
Error sanitizeError(const Error& error);

} // namespace trainyard
