#pragma once

#include <QString>

class QSettings;

namespace trainyard {

class PanelArea;

/// Keeps how the panels of each page lie, for narrow and for wide windows apart. A layout of other panels
/// than there are now is left alone; a floating panel of a screen that is gone comes back on one that is
/// there.
class LayoutMemory {
public:
    /// `settings` must outlive the memory and every area that it watches.
    explicit LayoutMemory(QSettings& settings) : m_settings(settings) {}

    /// `page` names the area in the settings.
    void watch(const QString& page, PanelArea& panels);

private:
    QSettings& m_settings;
};

} // namespace trainyard
