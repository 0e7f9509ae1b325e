#pragma once

#include <QFrame>

#include "app/designer/model/layout_alternatives.h"

class QComboBox;
class QLabel;
class QListView;
class QProgressBar;
class QPushButton;

namespace trainyard {

/// Searches better layouts and lists the results; Apply or Enter applies the selected one.
class AlternativesPanel : public QFrame {
    Q_OBJECT
public:
    explicit AlternativesPanel(QWidget* parent = nullptr);

    void setDesign(const PlannedDesign& design);

signals:
    void chosen(const trainyard::FoundLayout& layout);

private:
    void onButton();
    void onFailed(const Error& error);
    void apply();
    void showState();

    LayoutAlternatives m_alternatives;
    QString m_failure; ///< of the last search; empty = success
    QComboBox* m_objective;
    QPushButton* m_button; ///< Search, or Cancel while searching
    QProgressBar* m_progress;
    QLabel* m_note;
    QListView* m_list;
    QPushButton* m_apply;
};

} // namespace trainyard
