#pragma once

#include <QWidget>

#include "app/exchange/csv_import.h"

class QComboBox;
class QListWidget;

namespace trainyard {

/// Which columns of a table are steps, times and series.
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
