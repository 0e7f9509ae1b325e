#pragma once

#include <QWidget>

#include "app/history/compared_curves.h"

class QComboBox;

namespace trainyard {

/// What the compared runs are grouped by, and how a group becomes one curve.
class GroupBar : public QWidget {
    Q_OBJECT

public:
    explicit GroupBar(QWidget* parent = nullptr);

    Grouping grouping() const;
    Aggregation aggregation() const;
    /// Fields of the specification to group by, beside what is always offered. The choice stays where it
    /// still can.
    void setFields(const QStringList& fields);

signals:
    /// By the user.
    void changed();

private:
    void showAggregation();

    QComboBox* m_by;
    QComboBox* m_middle;
    QComboBox* m_spread;
};

} // namespace trainyard
