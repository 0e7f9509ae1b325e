#pragma once

#include <QBoxLayout>
#include <QFrame>

namespace trainyard {

/// Lays a frame out as a panel: a row for a heading and buttons, which is returned empty, a line, and the
/// content, which takes the rest.
QHBoxLayout* layOutWithHeader(QFrame& panel, QWidget* content);

} // namespace trainyard
