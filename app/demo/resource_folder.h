#pragma once

#include <filesystem>

namespace trainyard {

/// The files of `resources` that a program of ours needs at run time: `../share/trainyard` beside its folder,
/// in the build tree as in an installation. Needs the application object.
std::filesystem::path resourceFolder();

} // namespace trainyard
