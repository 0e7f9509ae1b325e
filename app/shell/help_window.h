#pragma once

#include <QDialog>

class QLineEdit;
class QListWidget;
class QTextBrowser;

namespace trainyard {

/// F1: the pages of help and the terms of the glossary, narrowed by the words that are typed. Stays open
/// beside the window.
class HelpWindow : public QDialog {
    Q_OBJECT
public:
    explicit HelpWindow(QWidget* parent);

    void open() override;

private:
    void fill(const QString& words);
    void showCurrent();

    QLineEdit* m_filter;
    QListWidget* m_list;
    QTextBrowser* m_text;
};

} // namespace trainyard
