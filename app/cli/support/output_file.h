#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace trainyard {

// The files that options of commands name, as in "--out FILE". "-" is standard output, which then has nothing
// else: paths and tables are left out or go to standard error.

/// Whether `file` is standard output.
bool isStandardOutput(const std::string& file);

/// Checks early that the file of `option`, as in "--out", can be written, so that no result is computed in
/// vain; an empty name and standard output pass. BadInput if its folder is missing or not writable, or if it
/// is a folder.
Status checkOutputFile(const char* option, const std::string& file);

/// A result of a command, and whether it goes to standard output.
struct PrintedOutput {
    const char* option; ///< "--json"
    bool isPrinted;
};

/// BadInput where two of them would be mixed on standard output.
Status checkOnePrinted(std::initializer_list<PrintedOutput> outputs);

/// Writes a part of a file to standard output: as it is into a file or a pipe; on a terminal without the
/// characters that would act on it. A part ends between characters.
void printFilePart(std::string_view part);

/// Replaces `file` atomically, or writes `content` to standard output.
Status writeOutputFile(const std::string& file, std::string_view content);

/// Says which file was written: on standard output, or on standard error if `other` is printed there.
void printWritten(const std::string& file, bool otherIsPrinted = false);

} // namespace trainyard
