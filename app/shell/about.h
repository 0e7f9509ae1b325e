#pragma once

#include <filesystem>

class QWidget;

namespace trainyard {

/// Version, licence, the libraries that it stands on, and where this desk keeps its things; a box over
/// `window` that does not wait.
void showAbout(QWidget& window, const std::filesystem::path& dataFolder);

} // namespace trainyard
