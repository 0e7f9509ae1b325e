#pragma once

#include <optional>

#include <QTimer>
#include <QWidget>

#include "app/models/design_comparison.h"

class QComboBox;
class QPushButton;
class QStackedWidget;

namespace trainyard {

/// Keeps a design and sets the present one beside it: every figure with its change, and the fields in which
/// the specifications differ.
class ComparisonPanel : public QWidget {
    Q_OBJECT
public:
    explicit ComparisonPanel(QWidget* parent = nullptr);

    void setPresent(const PlannedDesign& design);
    const std::optional<PlannedDesign>& kept() const { return m_kept; }
    void keepPresent();

signals:
    void keptChanged();
    /// The kept design is to be edited; the one that was edited is kept now.
    void swapped(const trainyard::RunSpec& spec);

protected:
    void showEvent(QShowEvent* event) override;

private:
    QWidget* makeHead();
    void setKept(std::optional<PlannedDesign> design);
    void swap();
    void showTables();

    PlannedDesign m_present;
    std::optional<PlannedDesign> m_kept;
    QTimer m_due; ///< the tables lag behind the edits by a moment, and are made while they are seen
    TextTableModel m_figures;
    TextTableModel m_fields;
    QComboBox* m_table; ///< which one is shown
    QPushButton* m_keep;
    QPushButton* m_swap;
    QPushButton* m_letGo;
    QStackedWidget* m_pages;
};

} // namespace trainyard
