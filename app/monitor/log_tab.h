#pragma once

#include <QTimer>
#include <QWidget>

#include "app/models/run_hosts.h"

class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QSpinBox;
class QToolButton;

namespace trainyard {

class OpenRun;

/// The log of one rank: its end first, then what is added while one looks. Read through the run's hosts, or
/// from the folder of a recorded run.
class LogTab : public QWidget {
    Q_OBJECT

public:
    /// `hosts` may be null; it must outlive the tab.
    explicit LogTab(RunHosts* hosts, QWidget* parent = nullptr);

    void show(const OpenRun& run);
    void setRank(int rank);

protected:
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    void buildBar();
    void startOver();
    void readMore();
    void readFromFolder();
    void take(const Result<LogPiece>& piece);
    void append(const QByteArray& bytes);
    void findNext();

    RunHosts* m_hosts;
    QString m_runId;
    QString m_folder;
    bool m_over = false;
    QSpinBox* m_rank;
    QLineEdit* m_find;
    QToolButton* m_follow;
    QLabel* m_state;
    QPlainTextEdit* m_text;
    QTimer m_again;
    qint64 m_offset = 0;      ///< where the next piece begins; negative = from the end
    quint64 m_generation = 0; ///< answers to questions of another rank are dropped
};

} // namespace trainyard
