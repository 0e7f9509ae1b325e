#pragma once

#include <QWidget>

class QLabel;
class QPlainTextEdit;

namespace trainyard {

class OpenRun;

/// The specification that the run was started with, to read and to copy.
class SpecTab : public QWidget {
    Q_OBJECT

public:
    explicit SpecTab(QWidget* parent = nullptr);
    void show(const OpenRun& run);

private:
    QLabel* m_path;
    QPlainTextEdit* m_text;
};

} // namespace trainyard
