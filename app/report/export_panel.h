#pragma once

#include <QFrame>
#include <QList>

class QLabel;
class QPushButton;

namespace trainyard {

/// The buttons that save the shown report: all formats at once, or one.
class ExportPanel : public QFrame {
    Q_OBJECT

public:
    explicit ExportPanel(QWidget* parent = nullptr);

    /// `facts`: one sentence about the report; enables the buttons while `ready`.
    void showFacts(const QString& facts, bool ready);

signals:
    /// Save as one of reportFormats(), or in all formats when empty.
    void exportRequested(const QString& format);

private:
    QPushButton* addFormat(const QString& format, const QString& title, const QString& use);

    QLabel* m_facts;
    QList<QPushButton*> m_buttons;
};

} // namespace trainyard
