#pragma once

#include <optional>

#include <QTimer>
#include <QWidget>

#include "app/designer/model/plan_metrics.h"
#include "app/designer/model/spec_document.h"

class QComboBox;
class QPushButton;
class QStackedWidget;

namespace trainyard {

/// Keeps a design and compares the current one with it: every metric with its change, and the fields that
/// differ. Swapping the two is one undo step, which restores both.
class ComparisonPanel : public QWidget {
    Q_OBJECT
public:
    explicit ComparisonPanel(SpecDocument& document, QWidget* parent = nullptr);

    void setPresent(const PlannedDesign& design);
    const std::optional<PlannedDesign>& kept() const { return m_kept; }
    void keepPresent();
    /// nullopt = no comparison.
    void setKept(std::optional<PlannedDesign> design);
    /// Efficiency of the design saved for comparison, computed in the background; NaN = unknown. Its arrival
    /// does not emit keptChanged().
    void setKeptEfficiency(double efficiency);

signals:
    void keptChanged();

protected:
    void showEvent(QShowEvent* event) override;

private:
    QWidget* makeHead();
    void swap();
    void showTables();

    SpecDocument& m_document;
    PlannedDesign m_present;
    std::optional<PlannedDesign> m_kept;
    QTimer m_due; ///< delays the tables while the user edits; they are only built while visible
    TextTableModel m_metrics;
    TextTableModel m_fields;
    QComboBox* m_table; ///< chooses the table
    QPushButton* m_keep;
    QPushButton* m_swap;
    QPushButton* m_clear;
    QStackedWidget* m_pages;
};

} // namespace trainyard
