#pragma once

#include <QTimer>
#include <QWidget>

#include "app/models/run_hosts.h"

class QLabel;
class QLineEdit;
class QPushButton;
class QSpinBox;
class QToolButton;

namespace trainyard {

class LogView;
class OpenRun;
class SegmentedControl;

/// The log of one rank: its end first, then what is added while one looks; all of it when that is asked for.
/// Read through the run's hosts, or from the folder of a recorded run.
class LogTab : public QWidget {
    Q_OBJECT

public:
    /// `hosts` may be null; it must outlive the tab.
    explicit LogTab(RunHosts* hosts, QWidget* parent = nullptr);

    /// To be called while the tab is seen: reading goes on.
    void show(const OpenRun& run);
    void setRank(int rank);
    /// The line that was written then comes into view.
    void goToTime(qint64 timeMs);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void buildBar();
    QWidget* buildSearch();
    void startOver(qint64 offset);
    void readMore();
    void readFromFolder();
    void take(const Result<LogPiece>& piece);
    void search();
    void goToMatch(int direction);
    void tellMatches();
    void tellState();

    RunHosts* m_hosts;
    QString m_runId;
    QString m_folder;
    bool m_over = false;
    bool m_isWaiting = false; ///< for show(), because nobody looks
    QSpinBox* m_rank;
    SegmentedControl* m_level;
    QLineEdit* m_find;
    QLabel* m_count;
    QToolButton* m_before;
    QToolButton* m_after;
    QToolButton* m_follow;
    QPushButton* m_whole;
    QLabel* m_state;
    LogView* m_view;
    QTimer m_again;
    qint64 m_begin = 0;       ///< where what is shown begins
    qint64 m_offset = 0;      ///< where the next piece begins; negative = from the end
    quint64 m_generation = 0; ///< answers to questions of another rank are dropped
};

} // namespace trainyard
