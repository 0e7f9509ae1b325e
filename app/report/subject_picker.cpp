#include "app/report/subject_picker.h"

#include <QItemSelectionModel>
#include <QListView>
#include <QStackedWidget>
#include <QVBoxLayout>

#include "app/base/theme.h"
#include "app/data/model/data_set_list_model.h"
#include "app/runs/controls/run_picker.h"
#include "app/runs/run_list_model.h"
#include "app/widgets/input_boxes.h"
#include "app/widgets/roles.h"

namespace trainyard {

namespace {

constexpr int kAutomatic = -1;

struct Choice {
    int pattern;
    const char* name;
    const char* use;
};

constexpr Choice kChoices[] = {
    {kAutomatic, QT_TRANSLATE_NOOP("trainyard::SubjectPicker", "Automatic"),
     QT_TRANSLATE_NOOP("trainyard::SubjectPicker", "One run by itself; several as a scaling study if a model "
                                                   "ran on several world sizes, else as a comparison")},
    {int(ReportTemplate::Run), QT_TRANSLATE_NOOP("trainyard::SubjectPicker", "Single run"),
     QT_TRANSLATE_NOOP("trainyard::SubjectPicker", "One run in full detail")},
    {int(ReportTemplate::Comparison), QT_TRANSLATE_NOOP("trainyard::SubjectPicker", "Comparison"),
     QT_TRANSLATE_NOOP("trainyard::SubjectPicker", "Differences between runs, and their results")},
    {int(ReportTemplate::Scaling), QT_TRANSLATE_NOOP("trainyard::SubjectPicker", "Scaling study"),
     QT_TRANSLATE_NOOP("trainyard::SubjectPicker", "One model on several world sizes")},
    {int(ReportTemplate::DataSet), QT_TRANSLATE_NOOP("trainyard::SubjectPicker", "Data set"),
     QT_TRANSLATE_NOOP("trainyard::SubjectPicker", "Origin, contents and validity of a data set")}};

} // namespace

SubjectPicker::SubjectPicker(RunListModel& runs, DataSetListModel& dataSets, QWidget* parent)
    : QFrame(parent)
    , m_dataSets(dataSets)
    , m_patterns(new ChoiceBox)
    , m_pickers(new QStackedWidget)
    , m_runs(new RunPicker(runs))
    , m_sets(new QListView)
{
    for (const Choice& choice : kChoices) {
        m_patterns->addItem(tr(choice.name), choice.pattern);
        m_patterns->setItemData(m_patterns->count() - 1, tr(choice.use), Qt::ToolTipRole);
    }
    m_patterns->setAccessibleName(tr("Template"));
    m_patterns->setToolTip(tr("Purpose of the report; determines its sections"));
    m_sets->setModel(&dataSets);
    m_sets->setAccessibleName(tr("Data sets to choose from"));
    m_sets->setTextElideMode(Qt::ElideMiddle);
    m_pickers->addWidget(m_runs);
    m_pickers->addWidget(m_sets);

    auto* label = makeLabel(tr("&Template"), "muted");
    label->setBuddy(m_patterns);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(metrics::kHalf);
    column->addWidget(label);
    column->addWidget(m_patterns);
    column->addSpacing(metrics::kHalf);
    column->addWidget(m_pickers, 1);

    connect(m_patterns, &QComboBox::currentIndexChanged, this, [this] {
        showPicker();
        emit changed();
    });
    connect(m_runs, &RunPicker::chosenChanged, this, &SubjectPicker::changed);
    connect(m_sets->selectionModel(), &QItemSelectionModel::currentChanged, this, &SubjectPicker::changed);
}

std::optional<ReportTemplate> SubjectPicker::pattern() const
{
    const int pattern = m_patterns->currentData().toInt();
    return pattern == kAutomatic ? std::nullopt : std::optional(static_cast<ReportTemplate>(pattern));
}

void SubjectPicker::setPattern(std::optional<ReportTemplate> pattern)
{
    m_patterns->setCurrentIndex(m_patterns->findData(pattern ? int(*pattern) : kAutomatic));
}

QStringList SubjectPicker::chosenRuns() const
{
    return m_runs->chosen();
}

void SubjectPicker::setChosenRuns(const QStringList& runIds)
{
    m_runs->setChosen(runIds);
}

std::optional<DataSetEntry> SubjectPicker::chosenDataSet() const
{
    if (pattern() != ReportTemplate::DataSet || !m_sets->currentIndex().isValid())
        return std::nullopt;
    return m_dataSets.at(m_sets->currentIndex().row());
}

void SubjectPicker::showPicker()
{
    const bool ofDataSet = pattern() == ReportTemplate::DataSet;
    m_pickers->setCurrentIndex(ofDataSet ? 1 : 0);
    if (ofDataSet && !m_sets->currentIndex().isValid())
        m_sets->setCurrentIndex(m_dataSets.index(0));
}

} // namespace trainyard
