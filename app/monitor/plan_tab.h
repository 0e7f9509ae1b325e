#pragma once

#include <QHash>
#include <QPointer>
#include <QWidget>

#include "app/base/text_table_model.h"
#include "app/plan/plan_comparison.h"
#include "app/runs/open_run.h"

class QComboBox;
class QLabel;
class QStackedWidget;
class QTableView;

namespace trainyard {

class HardwareLibrary;
class StackedBars;

/// Compares a run with the plan from its specification: step time by cause, throughput, utilisation and cost;
/// memory of every rank and host by category.
class PlanTab : public QWidget {
    Q_OBJECT

public:
    /// `hardware` must outlive the tab.
    explicit PlanTab(const HardwareLibrary& hardware, QWidget* parent = nullptr);
    void show(const OpenRun& run);

protected:
    void showEvent(QShowEvent* event) override;

private:
    QWidget* buildPage();
    QWidget* buildHead();
    QWidget* buildTime();
    QWidget* buildMemory();
    QString chosenHardware() const;
    void listHardware();
    void choose();
    void plan();
    void fill();
    void fillTime();
    QString sentence() const;
    void fillMemory();
    void fillRank();

    const HardwareLibrary& m_hardware;
    QPointer<const OpenRun> m_run;
    RunFacts m_facts;                                     ///< of the run or its present phase, as planned
    std::tuple<QString, std::uint32_t, int> m_plannedFor; ///< run, attempt and phase of the plan
    QHash<QString, QString> m_hardwareOf;                 ///< hardware chosen for each run, by id
    Result<PlannedRun> m_plan = PlannedRun();
    PlanComparison m_comparison;
    QStackedWidget* m_pages;
    QComboBox* m_choice; ///< hardware, for nodes whose specification names none
    QLabel* m_sentence;
    StackedBars* m_time;
    StackedBars* m_memory;
    QLabel* m_memoryHeading;
    TextTableModel m_causes, m_metrics, m_ranks, m_hosts, m_categories;
    QTableView* m_rankView = nullptr;
    int m_rank = 0;
};

} // namespace trainyard
