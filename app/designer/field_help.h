#pragma once

#include <QString>

class QWidget;

namespace trainyard {

/// Says what a control is for: as a tool tip, to screen readers, and in the form's place for help while it
/// has the focus.
void explainField(QWidget* control, const QString& name, const QString& help);

/// The help of a control, or of what contains it; empty where nothing says any.
QString fieldHelp(const QWidget* control);

/// Converts plain text to HTML in which papers ("arXiv:" and a number) are links.
QString withPaperLinks(const QString& text);

} // namespace trainyard
