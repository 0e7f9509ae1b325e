#pragma once

#include "app/base/text_table_model.h"
#include "app/widgets/table_view.h"

namespace trainyard {

/// A table of facts: names muted, the last column stretches. Ctrl+C copies it with its header.
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
