#pragma once

#include <QFrame>

#include "app/data/model/prepare_request.h"
#include "app/hosts/model/stage_progress.h"
#include "remote/stream/run_follower.h"

class QLabel;
class QPushButton;

namespace trainyard {

class ElidedLabel;
class StageRow;
class StateChip;

/// The running preparation: stages as they fill, time left, memory and disk, filtered text, and Cancel.
/// Hidden while there is none.
class PreparePanel : public QFrame {
    Q_OBJECT
public:
    explicit PreparePanel(QWidget* parent = nullptr);

    void begin(const PrepareRequest& request);
    /// Shows progress while the job is being launched.
    void setStarting(const QString& text);
    void setProgress(const StageProgress& progress);
    void setStopping();
    /// Without a connection nothing moves here, but the job continues.
    void setLink(LinkState link);

signals:
    void cancelRequested();

private:
    Bytes m_limit = 0; ///< memory limit
    ElidedLabel* m_title;
    ElidedLabel* m_left;
    StateChip* m_link;
    QPushButton* m_cancel;
    StageRow* m_stages;
    QLabel* m_room;     ///< memory and disk
    QLabel* m_counters; ///< kept and filtered items so far
};

} // namespace trainyard
