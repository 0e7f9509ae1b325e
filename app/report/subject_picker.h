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

/// Chooses the template of a report, above, and its runs or data sets, below.
class SubjectPicker : public QFrame {
    Q_OBJECT

public:
    /// The models must outlive the picker.
    SubjectPicker(RunListModel& runs, DataSetListModel& dataSets, QWidget* parent = nullptr);

    /// Returns the chosen template; nullopt = automatic.
    std::optional<ReportTemplate> pattern() const;
    void setPattern(std::optional<ReportTemplate> pattern);
    QStringList chosenRuns() const;
    void setChosenRuns(const QStringList& runIds);
    /// Returns the chosen data set, while the template is DataSet.
    std::optional<DataSetEntry> chosenDataSet() const;

signals:
    /// The template, the runs or the data set changed.
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
