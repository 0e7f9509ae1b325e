#pragma once

#include <QPointer>

#include "app/workspace/message_bar.h"
#include "remote/launch/run_operation.h"

namespace trainyard {

/// A launch under way: its progress, Cancel, and the question whether to send data sets, which stays until it
/// is answered. Nothing else shows messages here, so that the buttons are there as long as the launch waits
/// for them. Hidden without a launch.
class LaunchBar : public MessageBar {
    Q_OBJECT
public:
    using MessageBar::MessageBar;

    /// `name`: of the run. One launch at a time.
    void follow(RunOperation& launch, const QString& name);

private:
    void showProgressOf(const QString& text, double fraction);
    void ask(const DataOffer& offer);
    void accept();
    void addCancel();

    QPointer<RunOperation> m_launch;
    QString m_name;
    bool m_isAsking = false;
};

} // namespace trainyard
