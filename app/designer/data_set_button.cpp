#include "app/designer/data_set_button.h"

#include <QFileDialog>
#include <QMenu>

#include "app/base/display_text.h"
#include "app/base/theme.h"
#include "app/widgets/roles.h"

namespace trainyard {

DataSetButton::DataSetButton(const DataSetListModel& dataSets, QWidget* parent)
    : QToolButton(parent), m_dataSets(dataSets)
{
    auto* menu = new QMenu(this);
    setRole(this, "button");
    setText(QStringLiteral("…"));
    setAccessibleName(tr("Choose a data set"));
    setToolTip(tr("Choose a listed data set, or a folder"));
    setFixedHeight(metrics::kControlHeight);
    setPopupMode(QToolButton::InstantPopup);
    setMenu(menu);
    connect(menu, &QMenu::aboutToShow, this, [this, menu] { fill(*menu); });
}

void DataSetButton::fill(QMenu& menu)
{
    menu.clear();
    for (int row = 0; row < m_dataSets.rowCount(); ++row) {
        const DataSetEntry& entry = m_dataSets.at(row);
        menu.addAction(tr("%1 on %2").arg(oneLine(entry.name), oneLine(entry.host)), this,
                       [this, row] { emit listed(row); });
    }
    if (menu.isEmpty())
        menu.addAction(tr("No data sets yet: prepare one in Data"))->setEnabled(false);
    menu.addSeparator();
    menu.addAction(tr("Folder on this machine…"), this, &DataSetButton::browse);
}

void DataSetButton::browse()
{
    const QString folder = QFileDialog::getExistingDirectory(this, tr("Choose a data set folder"));
    if (!folder.isEmpty())
        emit folderChosen(folder);
}

} // namespace trainyard
