#pragma once

#include <QLineEdit>

namespace trainyard {

class RunQuery;

/// Where one types what runs to look for. Its help tells the forms that RunQuery knows.
class RunSearchField : public QLineEdit {
    Q_OBJECT

public:
    explicit RunSearchField(QWidget* parent = nullptr);

    /// Shows why a part of the text is not used.
    void showProblem(const RunQuery& search);
    /// For the shortcut that leads here.
    void takeFocus();

private:
    void showHelp();
};

} // namespace trainyard
