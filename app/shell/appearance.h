#pragma once

#include <optional>

#include <QObject>

#include "app/base/theme.h"
#include "app/shell/system_scheme.h"

class QApplication;
class QSettings;

namespace trainyard {

/// Dresses the application in a scheme: what the user chose, else what the system wants.
class Appearance : public QObject {
    Q_OBJECT
public:
    /// Style and palette are set at once. `settings` remembers the choice.
    Appearance(QApplication& application, QSettings& settings, QObject* parent = nullptr);

    ColourScheme scheme() const;
    bool followsSystem() const { return !m_choice; }
    /// Nothing = follow the system.
    void choose(std::optional<ColourScheme> choice);
    /// Light to dark and back; the choice is the user's from then on.
    void toggle();

    /// Sets the style sheet too, once the widgets are in page: under a sheet, Qt polishes a widget and all
    /// that it holds anew each time it is given a parent.
    void apply();

signals:
    void changed();

private:
    QApplication& m_application;
    QSettings& m_settings;
    SystemScheme m_system;
    std::optional<ColourScheme> m_choice;
};

/// The scheme's palette and style sheet; also for tests and pictures.
void dress(QApplication& application, ColourScheme scheme);

} // namespace trainyard
