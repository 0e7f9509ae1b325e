#pragma once

#include <QWidget>

#include "app/history/compared_curves.h"

class QComboBox;

namespace trainyard {

/// Chooses how compared runs are grouped and how a group is aggregated.
class GroupBar : public QWidget {
    Q_OBJECT

public:
    explicit GroupBar(QWidget* parent = nullptr);

    Grouping grouping() const;
    Aggregation aggregation() const;
    /// Sets the fields of the specification offered for grouping. Keeps the choice if it is still offered.
    void setFields(const QStringList& fields);

signals:
    /// Emitted on changes by the user only.
    void changed();

private:
    void showAggregation();

    QComboBox* m_by;
    QComboBox* m_middle;
    QComboBox* m_spread;
};

} // namespace trainyard
