#pragma once

#include <optional>

#include <QObject>

#include "app/base/theme.h"
#include "app/shell/system_scheme.h"

class QApplication;
class QSettings;

namespace trainyard {

/// Applies the colour scheme: the user's choice, else the system's.
class Appearance : public QObject {
    Q_OBJECT
public:
    /// Sets style and palette at once. `settings` stores the choice.
    Appearance(QApplication& application, QSettings& settings, QObject* parent = nullptr);

    ColourScheme scheme() const;
    bool followsSystem() const { return !m_choice; }
    /// nullopt = follow the system.
    void choose(std::optional<ColourScheme> choice);
    /// Toggles light and dark, which becomes the user's choice.
    void toggle();

    /// Sets the style sheet as well, once all widgets exist: under a sheet, Qt polishes a widget and its
    /// children again on each reparenting.
    void apply();

signals:
    void changed();

private:
    QApplication& m_application;
    QSettings& m_settings;
    SystemScheme m_system;
    std::optional<ColourScheme> m_choice;
};

/// Sets the scheme's palette and style sheet; also used by tests and pictures.
void dress(QApplication& application, ColourScheme scheme);

} // namespace trainyard
