#pragma once

#include <QString>

class QToolButton;
class QVBoxLayout;

namespace trainyard {

/// A part of a form that its heading, a checkable button, shows and hides.
struct FoldSection {
    QToolButton* heading; ///< checked: open
    QVBoxLayout* rows;
};

/// Appends a section to the column of a form.
FoldSection addFoldSection(QVBoxLayout* column, const QString& title, bool folded);

} // namespace trainyard
