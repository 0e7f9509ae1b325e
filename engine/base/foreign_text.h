#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace trainyard {

/// A text that came from elsewhere (a host's answer, a log, a file's name, a reason) may hold anything. What
/// a person is shown of it goes through here, in the window, on the terminal and in reports.
enum class Lines {
    One, ///< line breaks and tabs become spaces
    Many ///< line breaks and tabs stay
};

constexpr std::size_t kShownTextBytes = 16 * 1024; ///< of a message, a reason, a name; more is cut

/// `foreign` as valid UTF-8 in which nothing acts: control characters (C0 with ESC, DEL, C1), characters that
/// turn the direction of writing, invisible ones and bytes that are no UTF-8 become U+FFFD each. Letters of
/// any language stay, and so do the joiners that their scripts need. Cut with "…" after about `mostBytes`.
std::string harmlessText(std::string_view foreign, Lines lines = Lines::One,
                         std::size_t mostBytes = std::string::npos);

constexpr std::size_t kShownMessageBytes = 1000;

/// A message that quotes what somebody wrote; one beyond about kShownMessageBytes loses its middle to "…", so
/// that what it says of a long name behind it stays.
std::string shownMessage(std::string_view message);

/// An error whose words came from elsewhere, at most kShownTextBytes of each.
Error harmlessError(const Error& error);

} // namespace trainyard
