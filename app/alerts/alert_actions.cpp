#include "app/alerts/alert_actions.h"

#include <QObject>

namespace trainyard {

QString labelOf(AlertAction action)
{
    switch (action) {
    case AlertAction::Checkpoint:
        return QObject::tr("Checkpoint now");
    case AlertAction::Stop:
        return QObject::tr("Stop…");
    case AlertAction::LowerRate:
        return QObject::tr("Resume with a lower rate…");
    case AlertAction::ShowLog:
        return QObject::tr("Show log");
    case AlertAction::ShowDevices:
        return QObject::tr("Show devices");
    }
    return {};
}

QString helpOf(AlertAction action)
{
    switch (action) {
    case AlertAction::Checkpoint:
        return QObject::tr("Saves a checkpoint after the current step; training continues");
    case AlertAction::Stop:
        return QObject::tr("Finishes the step, saves a checkpoint and ends all processes of the run");
    case AlertAction::LowerRate:
        return QObject::tr("Resumes from the latest checkpoint with a learning rate that you set first");
    case AlertAction::ShowLog:
        return QObject::tr("Shows the log of the affected rank");
    case AlertAction::ShowDevices:
        return QObject::tr("Shows memory, load and step time of every rank");
    }
    return {};
}

bool changesRun(AlertAction action)
{
    return action == AlertAction::Checkpoint || action == AlertAction::Stop ||
           action == AlertAction::LowerRate;
}

QList<AlertAction> actionsFor(const Alert& alert, RunState state)
{
    const bool over = isFinal(state);
    switch (alert.kind) {
    case AlertKind::NotFinite:
    case AlertKind::Divergence:
        return over ? QList{AlertAction::LowerRate, AlertAction::ShowLog}
                    : QList{AlertAction::LowerRate, AlertAction::Stop};
    case AlertKind::GradientSpike:
        return over ? QList<AlertAction>() : QList{AlertAction::Checkpoint, AlertAction::Stop};
    case AlertKind::Stall:
        return {AlertAction::ShowLog, AlertAction::ShowDevices, AlertAction::Stop};
    case AlertKind::LostHost:
        return {AlertAction::ShowLog, AlertAction::Stop};
    case AlertKind::LinkLost:
        return {};
    case AlertKind::SlowSteps:
    case AlertKind::IdleDevice:
        return {AlertAction::ShowDevices, AlertAction::ShowLog};
    case AlertKind::Straggler:
        return {AlertAction::ShowDevices, AlertAction::ShowLog};
    case AlertKind::LowDisk:
    case AlertKind::LowHostMemory:
        return {AlertAction::Checkpoint, AlertAction::Stop};
    }
    return {};
}

} // namespace trainyard
