#pragma once

#include <QList>

#include "app/workspace/message_bar.h"
#include "remote/target/target.h"

namespace trainyard {

/// Asks whether to trust the key of an unknown host. Shows one question at a time and queues the others.
/// Reject is the default. Changed keys are handled by changed_key_strip.h.
class HostKeyStrip : public MessageBar {
    Q_OBJECT
public:
    explicit HostKeyStrip(QWidget* parent = nullptr);

    void ask(const QString& host, const HostKeyQuestion& question);
    /// Drops the question of a host that was removed or whose check was cancelled.
    void forget(const QString& host);

signals:
    void answered(const QString& host, bool trust);

private:
    struct Waiting {
        QString host;
        HostKeyQuestion question;
    };
    void showNext();
    void answer(bool trust);

    QList<Waiting> m_waiting; ///< the first one is shown
};

} // namespace trainyard
