#pragma once

#include <cstdint>
#include <tuple>

#include <QWidget>

class QPushButton;
class QStackedWidget;

namespace trainyard {

class ChartLegend;
class ElidedLabel;
class HardwareLibrary;
class OpenRun;
class PipelineGantt;
class RankTimes;
class ReadOutLabel;
class TraceView;
struct RecordedTrace;

/// Shows where the time of a step goes: on every rank, and through the pipeline, measured above planned.
class TimelineTab : public QWidget {
    Q_OBJECT

public:
    /// `hardware` must outlive the tab.
    explicit TimelineTab(const HardwareLibrary& hardware, QWidget* parent = nullptr);
    void show(const OpenRun& run);
    /// Enables recording: requests to the hosts are allowed and no recording is active.
    void setRecordable(bool recordable);
    void showRecording(int stepsDone);
    /// Shows a trace instead of the run until the user goes back or another run is shown. The trace must have
    /// a step.
    void showTrace(const QString& file, const RecordedTrace& trace);

signals:
    /// The user asked to record the next steps.
    void recordingWanted();
    /// The user activated this rank.
    void rankWanted(int rank);

private:
    QWidget* buildRanks();
    QWidget* buildPipeline();
    void showRanks(const OpenRun& run);
    void showPipeline(const OpenRun& run);

    const HardwareLibrary& m_hardware;
    QString m_runId;
    /// Run, attempt and step of the shown pipeline; step 0 = none.
    std::tuple<QString, std::uint32_t, std::int64_t> m_shown;
    QStackedWidget* m_pages;
    QPushButton* m_record;
    ElidedLabel* m_spread;
    RankTimes* m_ranks;
    ReadOutLabel* m_measuredWords;
    ReadOutLabel* m_plannedWords;
    PipelineGantt* m_measured;
    PipelineGantt* m_planned;
    ChartLegend* m_legend;
    TraceView* m_trace;
};

} // namespace trainyard
