#pragma once

#include <QList>

class QWidget;

namespace trainyard {

/// The Tab key reaches `boxes` and what lies in them after `before`, each in the order in which it was made.
/// Qt puts widgets that are made later at the end of the window.
void reachAfter(QWidget& before, const QList<QWidget*>& boxes);

} // namespace trainyard
