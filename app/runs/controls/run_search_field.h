#pragma once

#include <QLineEdit>

namespace trainyard {

class RunQuery;

/// The search field for runs. Its help lists the forms of RunQuery.
class RunSearchField : public QLineEdit {
    Q_OBJECT

public:
    explicit RunSearchField(QWidget* parent = nullptr);

    /// Shows why a part of the text is ignored.
    void showProblem(const RunQuery& search);
    /// Focuses the field and selects its text, for the shortcut.
    void takeFocus();

private:
    void showHelp();
};

} // namespace trainyard
