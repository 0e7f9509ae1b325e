#pragma once

#include <QFrame>
#include <QList>

class QLabel;
class QPushButton;

namespace trainyard {

/// The buttons that write the report that is shown: all formats at once, or one.
class ExportPanel : public QFrame {
    Q_OBJECT

public:
    explicit ExportPanel(QWidget* parent = nullptr);

    /// `facts`: what would be written, in a sentence; the buttons work while `ready`.
    void showFacts(const QString& facts, bool ready);

signals:
    /// One of reportFormats(), or empty: all of them.
    void exportRequested(const QString& format);

private:
    QPushButton* addFormat(const QString& format, const QString& title, const QString& use);

    QLabel* m_facts;
    QList<QPushButton*> m_buttons;
};

} // namespace trainyard
