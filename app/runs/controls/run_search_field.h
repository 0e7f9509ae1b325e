#pragma once

#include <QLineEdit>

namespace trainyard {

class RunSearch;

/// Where one types what runs to look for. Its help tells the forms that RunSearch knows.
class RunSearchField : public QLineEdit {
    Q_OBJECT

public:
    explicit RunSearchField(QWidget* parent = nullptr);

    /// Shows why a part of the text is not used.
    void showProblem(const RunSearch& search);
    /// For the shortcut that leads here.
    void takeFocus();

private:
    void showHelp();
};

} // namespace trainyard
