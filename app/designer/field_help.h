#pragma once

#include <QString>

class QWidget;

namespace trainyard {

/// Sets the help of a control: its tool tip, its accessible texts, and the help at the bottom of the form
/// while it has the focus.
void explainField(QWidget* control, const QString& name, const QString& help);

/// Returns the help of a control or of its nearest ancestor with one; empty if there is none.
QString fieldHelp(const QWidget* control);

/// Converts plain text to HTML in which papers ("arXiv:" and a number) are links.
QString withPaperLinks(const QString& text);

} // namespace trainyard
