#pragma once

#include <string>

namespace trainyard::stand_in {

/// Something that the program under test does and that would go wrong on some real device: one line on
/// standard error and, where TRAINYARD_STAND_IN_FINDINGS names a file, at its end. A
/// hundred per process. Any thread.
void reportFinding(const std::string& what);

/// Says what the stand-in lacks, and ends the process.
[[noreturn]] void lacks(const std::string& what);

} // namespace trainyard::stand_in
