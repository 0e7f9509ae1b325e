#pragma once

#include <QLineEdit>

class QLabel;

namespace trainyard {

class RunFilter;

/// The search field of a list of runs. Says why a part of its text is ignored; its help lists the forms of
/// RunQuery.
class RunSearchField : public QLineEdit {
    Q_OBJECT

public:
    explicit RunSearchField(RunFilter& runs, QWidget* parent = nullptr);

    /// Focuses the field and selects its text, for the shortcut.
    void takeFocus();
    /// What is wrong with the text, to be put below the field; hidden while nothing is.
    QLabel* problemLabel() const { return m_problem; }

signals:
    /// The rows of the filter are about to change, and have changed, because of the text.
    void searching();
    void searched();

private:
    void search(const QString& text);
    void showHelp();

    RunFilter& m_runs;
    QLabel* m_problem;
};

} // namespace trainyard
