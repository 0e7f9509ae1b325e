#pragma once

#include <QString>

class QSettings;

namespace trainyard {

class PanelArea;

/// Saves the panel layout of each page, separately for narrow and wide windows. Ignores layouts of other sets
/// of panels; moves floating panels of a missing screen to an existing one.
class LayoutMemory {
public:
    /// `settings` must outlive the memory and every watched area.
    explicit LayoutMemory(QSettings& settings) : m_settings(settings) {}

    /// `page` names the area in the settings.
    void watch(const QString& page, PanelArea& panels);

private:
    QSettings& m_settings;
};

} // namespace trainyard
