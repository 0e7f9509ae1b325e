#pragma once

#include <QToolButton>

#include "app/data/model/data_set_list_model.h"

class QMenu;

namespace trainyard {

/// A button beside the path of a data set, with a menu of the listed data sets and of folders of this
/// machine.
class DataSetButton : public QToolButton {
    Q_OBJECT
public:
    /// The list must outlive the button.
    explicit DataSetButton(const DataSetListModel& dataSets, QWidget* parent = nullptr);

signals:
    /// A data set of the list, by its row.
    void listed(int row);
    void folderChosen(const QString& folder);

private:
    void fill(QMenu& menu);
    void browse();

    const DataSetListModel& m_dataSets;
};

} // namespace trainyard
