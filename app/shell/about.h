#pragma once

#include <filesystem>

class QWidget;

namespace trainyard {

/// Shows version, licence, libraries and the data folder in a non-modal box over `window`.
void showAbout(QWidget& window, const std::filesystem::path& dataFolder);

} // namespace trainyard
