#pragma once

#include <optional>

#include <QTimer>
#include <QWidget>

#include "app/designer/model/design_comparison.h"
#include "app/designer/model/spec_document.h"

class QComboBox;
class QPushButton;
class QStackedWidget;

namespace trainyard {

/// Keeps a design and sets the present one beside it: every figure with its change, and the fields in which
/// the specifications differ. The two change places in one step of the document's Undo, which brings back
/// both.
class ComparisonPanel : public QWidget {
    Q_OBJECT
public:
    explicit ComparisonPanel(SpecDocument& document, QWidget* parent = nullptr);

    void setPresent(const PlannedDesign& design);
    const std::optional<PlannedDesign>& kept() const { return m_kept; }
    void keepPresent();
    /// Nothing = no design is compared any more.
    void setKept(std::optional<PlannedDesign> design);
    /// Of the kept design, worked out since; NaN = not known. Not told by keptChanged().
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
