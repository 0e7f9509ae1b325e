#pragma once

#include <QString>

namespace trainyard {

/// A tool tip whose sentences are broken into lines, which Qt does with HTML alone.
QString wrappedToolTip(const QString& text);

} // namespace trainyard
