#pragma once

#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace trainyard {

// What a command prints on standard output is its result: a part that was lost makes it fail. What it says on
// standard error is not, and the work goes on without somebody who listens.

/// At the start of a command: a reader who has gone ends no process, and no file that is opened later gets
/// the number of a standard stream that the caller has closed.
void guardStandardStreams();

/// Writes to standard output. What cannot be written is lost; outputStatus() tells.
void printOutput(std::string_view text);
/// Failed, with the reason, once any of the output was lost.
Status outputStatus();

/// Writes to standard error as far as that works.
void printNotice(std::string_view text);
/// `<what, where, what to do>` for a terminal: harmless, and no longer than somebody would read.
std::string shownText(const Error& error);
/// `speaker: ` and shownText() on standard error.
void printError(std::string_view speaker, const Error& error);

/// At the end of a command: the exit status of one whose work ended with `status`, after an error on standard
/// error where output was lost. A reader who has gone, as `head` does, is told nothing.
int exitStatusAfterOutput(int status, std::string_view speaker);

} // namespace trainyard
