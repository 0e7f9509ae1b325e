#pragma once

#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace trainyard {

// What a command prints on standard output is its result: a part that was lost makes it fail. What it says on
// standard error is not, and the work goes on without somebody who listens.

/// Call at the start of a command: then a vanished reader does not kill the process, and no file that is
/// opened later gets the number of a standard stream that the caller has closed.
void guardStandardStreams();

/// Writes to standard output. outputStatus() reports lost output.
void printOutput(std::string_view text);
/// Failed, with the reason, once any of the output was lost.
Status outputStatus();

/// Writes to standard error as far as that works.
void printNotice(std::string_view text);
/// An error text (what, where, what to do) for a terminal: sanitized and cut to a readable length.
std::string shownText(const Error& error);
/// `speaker: ` and shownText() on standard error.
void printError(std::string_view speaker, const Error& error);

/// Call at the end of a command: returns the exit status for work that ended with `status`, after reporting
/// lost output on standard error. A reader that has gone, as `head` does, is not reported.
int exitStatusAfterOutput(int status, std::string_view speaker);

} // namespace trainyard
