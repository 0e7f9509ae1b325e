#pragma once

#include <QFrame>

#include "app/data/model/prepare_options.h"
#include "app/hosts/model/stage_progress.h"
#include "remote/stream/run_follower.h"

class QLabel;
class QPushButton;

namespace trainyard {

class ElidedLabel;
class StageRow;
class StateChip;

/// The preparation that is under way: its stages as they fill, how long it will take, what it uses of memory
/// and disk, what it leaves out, and Cancel. Hidden while there is none.
class PreparePanel : public QFrame {
    Q_OBJECT
public:
    explicit PreparePanel(QWidget* parent = nullptr);

    void begin(const PrepareOptions& options);
    /// While the job is brought to its host.
    void setStarting(const QString& text);
    void setProgress(const StageProgress& progress);
    void setStopping();
    /// Without a link nothing moves here; the job goes on all the same.
    void setLink(LinkState link);

signals:
    void cancelRequested();

private:
    Bytes m_limit = 0; ///< of memory
    ElidedLabel* m_title;
    ElidedLabel* m_left;
    StateChip* m_link;
    QPushButton* m_cancel;
    StageRow* m_stages;
    QLabel* m_room;     ///< memory and disk
    QLabel* m_counters; ///< what was found and left out so far
};

} // namespace trainyard
