#pragma once

#include <QLineEdit>

namespace trainyard {

class RunFilter;

/// The search field of a list of runs. Shows why a part of its text is ignored; its help lists the forms of
/// RunQuery.
class RunSearchField : public QLineEdit {
    Q_OBJECT

public:
    explicit RunSearchField(RunFilter& runs, QWidget* parent = nullptr);

    /// Focuses the field and selects its text, for the shortcut.
    void takeFocus();

private:
    void search(const QString& text);
    void showHelp();

    RunFilter& m_runs;
};

} // namespace trainyard
