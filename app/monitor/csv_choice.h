#pragma once

#include <QWidget>

#include "app/exchange/csv_import.h"

class QComboBox;
class QListWidget;

namespace trainyard {

/// Chooses the columns of a table that hold steps, times and series.
class CsvChoice : public QWidget {
    Q_OBJECT

public:
    explicit CsvChoice(const CsvTable& table, QWidget* parent = nullptr);

    CsvColumns columns() const;

signals:
    void changed();

private:
    QComboBox* m_step;
    QComboBox* m_time;
    QListWidget* m_series;
};

} // namespace trainyard
