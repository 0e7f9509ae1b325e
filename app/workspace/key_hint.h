#pragma once

#include <QList>
#include <QString>

class QAction;

namespace trainyard {

/// One entry of the list of keyboard shortcuts.
struct KeyHint {
    QString keys; ///< as the user reads them: "Ctrl+F"
    QString effect;
};

/// The entries of all actions with a shortcut.
QList<KeyHint> keyHintsOf(const QList<QAction*>& actions);
/// The keys that every page of charts has (ChartToolbar, ChartPanel).
QList<KeyHint> chartKeyHints();

} // namespace trainyard
