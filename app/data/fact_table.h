#pragma once

#include "app/base/text_table_model.h"
#include "app/widgets/table_view.h"

namespace trainyard {

/// Facts as a table: names muted, the last column takes the rest of the room. Ctrl+C copies it with its
/// headings.
class FactTable : public TableView {
    Q_OBJECT
public:
    explicit FactTable(const QString& accessibleName, QWidget* parent = nullptr);

    void setTable(const TextTable& table);
    QString toText() const { return m_model.toText(); }

protected:
    void keyPressEvent(QKeyEvent* event) override;

private:
    TextTableModel m_model;
};

} // namespace trainyard
