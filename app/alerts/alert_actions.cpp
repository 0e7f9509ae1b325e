#include "app/alerts/alert_actions.h"

#include <array>

#include <QObject>

namespace trainyard {

namespace {

struct ActionTexts {
    const char* label;
    const char* help;
};

// In the order of AlertAction.
constexpr std::array kTexts{
    ActionTexts{QT_TR_NOOP("Checkpoint now"),
                QT_TR_NOOP("Saves a checkpoint after the current step; training continues")},
    ActionTexts{QT_TR_NOOP("Stop…"),
                QT_TR_NOOP("Finishes the step, saves a checkpoint and ends all processes of the run")},
    ActionTexts{QT_TR_NOOP("Resume with a lower rate…"),
                QT_TR_NOOP("Resumes from the latest checkpoint with a learning rate that you set first")},
    ActionTexts{QT_TR_NOOP("Show log"), QT_TR_NOOP("Shows the log of the affected rank")},
    ActionTexts{QT_TR_NOOP("Show devices"), QT_TR_NOOP("Shows memory, load and step time of every rank")},
};

} // namespace

QString labelOf(AlertAction action)
{
    return QObject::tr(kTexts[std::size_t(action)].label);
}

QString helpOf(AlertAction action)
{
    return QObject::tr(kTexts[std::size_t(action)].help);
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
    case AlertKind::Overfitting:
    case AlertKind::IdleExperts:
        return over ? QList<AlertAction>() : QList{AlertAction::Stop};
    case AlertKind::Stall:
        return {AlertAction::ShowLog, AlertAction::ShowDevices, AlertAction::Stop};
    case AlertKind::LostHost:
        return {AlertAction::ShowLog, AlertAction::Stop};
    case AlertKind::LinkLost:
        return {};
    case AlertKind::ReplicasDiffer:
    case AlertKind::MemoryErrors:
        return over ? QList{AlertAction::ShowDevices} : QList{AlertAction::ShowDevices, AlertAction::Stop};
    case AlertKind::SlowDevice:
        return {AlertAction::ShowDevices};
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
