#pragma once

#include <QPointer>
#include <QWidget>

#include "app/base/text_table_model.h"

class QComboBox;
class QLabel;
class QPlainTextEdit;
class QStackedWidget;

namespace trainyard {

class ElidedLabel;
class OpenRun;
class RunStore;

/// Shows the specification of a run as JSON, or its differences from another run's.
class SpecTab : public QWidget {
    Q_OBJECT

public:
    /// The store must outlive the tab.
    explicit SpecTab(RunStore& store, QWidget* parent = nullptr);
    void show(const OpenRun& run);

private:
    void offerRuns();
    void compare();

    RunStore& m_store;
    QPointer<const OpenRun> m_run;
    TextTableModel m_differences;
    ElidedLabel* m_path;
    QComboBox* m_other;
    QPlainTextEdit* m_text;
    QLabel* m_answer;
    QStackedWidget* m_pages;
};

} // namespace trainyard
