#pragma once

#include <optional>

#include <QFrame>
#include <QStringList>

#include "app/data/model/data_set_entry.h"
#include "app/report/report_template.h"

class QComboBox;
class QListView;
class QStackedWidget;

namespace trainyard {

class DataSetListModel;
class RunListModel;
class RunPicker;

/// What a report is made for and of what: the template above, the runs or the data sets to choose from below.
class SubjectPicker : public QFrame {
    Q_OBJECT

public:
    /// The models must outlive the picker.
    SubjectPicker(RunListModel& runs, DataSetListModel& dataSets, QWidget* parent = nullptr);

    /// Nothing: what the runs ask for.
    std::optional<ReportTemplate> pattern() const;
    void setPattern(std::optional<ReportTemplate> pattern);
    QStringList chosenRuns() const;
    void setChosenRuns(const QStringList& runIds);
    /// The data set to report on, while the template is DataSet.
    std::optional<DataSetEntry> chosenDataSet() const;

signals:
    /// Another template, other runs, or another data set.
    void changed();

private:
    void showPicker();

    DataSetListModel& m_dataSets;
    QComboBox* m_patterns;
    QStackedWidget* m_pickers;
    RunPicker* m_runs;
    QListView* m_sets;
};

} // namespace trainyard
