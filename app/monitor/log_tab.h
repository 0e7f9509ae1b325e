#pragma once

#include <vector>

#include <QTimer>
#include <QWidget>

#include "app/runs/run_hosts.h"

class QLabel;
class QLineEdit;
class QPushButton;
class QToolButton;

namespace trainyard {

class ElidedLabel;
class LogView;
class OpenRun;
class SegmentedControl;

/// Shows the log of one rank, or of several merged by time: first the end, then what is appended; the whole
/// log on request. Reads through the run's hosts, or from the folder of a recorded run.
class LogTab : public QWidget {
    Q_OBJECT

public:
    /// `hosts` may be null; it must outlive the tab.
    explicit LogTab(RunHosts* hosts, QWidget* parent = nullptr);

    /// Call it while the tab is visible: it continues reading.
    void show(const OpenRun& run);
    void setRank(int rank);
    /// Scrolls to the line written at this time.
    void goToTime(qint64 timeMs);

signals:
    /// The user selected a line written at this time, in ms since 1970-01-01 UTC.
    void timeChosen(qint64 timeMs);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    /// How far a rank's log has been read.
    struct Reading {
        int rank = 0;
        qint64 begin = -1; ///< offset of the first shown byte; negative = not read yet
        qint64 offset = 0; ///< offset of the next read; negative = from the end
        bool isAsked = false;
    };

    void buildBar();
    QWidget* buildSearch();
    void chooseRanks();
    void showRanks(std::vector<int> ranks);
    void stepRank(int by);
    void startOver(qint64 offset);
    void readMore();
    void read(Reading& reading);
    Result<LogPiece> readFromFolder(const Reading& reading) const;
    void take(Reading& reading, const Result<LogPiece>& piece);
    void search();
    void goToMatch(int direction);
    void onLineChosen(int line);
    void showMatchCount();
    void showState();

    RunHosts* m_hosts;
    QString m_runId;
    QString m_folder;
    bool m_over = false;
    bool m_isWaiting = false; ///< reading is paused until show()
    int m_worldSize = 1;
    std::vector<int> m_ranks{0}; ///< ranks of the shown logs, never empty
    QLineEdit* m_rankField;
    SegmentedControl* m_level;
    QLineEdit* m_find;
    QLabel* m_count;
    QToolButton* m_before;
    QToolButton* m_after;
    QToolButton* m_follow;
    QPushButton* m_whole;
    ElidedLabel* m_state;
    LogView* m_view;
    QTimer m_again;
    std::vector<Reading> m_readings; ///< of m_ranks; replaced as a whole
    QString m_problem;               ///< why a log could not be read just now
    quint64 m_generation = 0;        ///< answers of earlier generations are dropped
};

} // namespace trainyard
