#pragma once

#include <QList>
#include <QString>

class QAction;

namespace trainyard {

/// What a key does, for the sheet of keys.
struct KeyHint {
    QString keys; ///< as the user reads them: "Ctrl+F"
    QString effect;
};

/// Of those actions that have a shortcut.
QList<KeyHint> keyHintsOf(const QList<QAction*>& actions);
/// Of every page of charts (ChartToolbar, ChartPanel).
QList<KeyHint> chartKeyHints();

} // namespace trainyard
