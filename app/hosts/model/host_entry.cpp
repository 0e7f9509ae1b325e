#include "app/hosts/model/host_entry.h"

#include <QCoreApplication>

namespace trainyard {

QString nameOf(HostState state)
{
    switch (state) {
    case HostState::NotChecked:
        return QCoreApplication::translate("HostState", "not checked");
    case HostState::Checking:
        return QCoreApplication::translate("HostState", "checking");
    case HostState::HostKeyUnknown:
        return QCoreApplication::translate("HostState", "confirm host key");
    case HostState::Ready:
        return QCoreApplication::translate("HostState", "ready");
    case HostState::Warnings:
        return QCoreApplication::translate("HostState", "ready with warnings");
    case HostState::Blocked:
        return QCoreApplication::translate("HostState", "cannot run");
    case HostState::NotReached:
        return QCoreApplication::translate("HostState", "unreachable");
    }
    return {};
}

QChar shapeOf(HostState state)
{
    switch (state) {
    case HostState::NotChecked:
        return QChar(0x25CB);
    case HostState::Checking:
        return QChar(0x25D4);
    case HostState::HostKeyUnknown:
    case HostState::Warnings:
        return QChar(0x25C6);
    case HostState::Ready:
        return QChar(0x2713);
    case HostState::Blocked:
        return QChar(0x2715);
    case HostState::NotReached:
        return QChar(0x25CC);
    }
    return {};
}

Tone toneOf(HostState state)
{
    switch (state) {
    case HostState::NotChecked:
        return Tone::Muted;
    case HostState::Checking:
        return Tone::Accent;
    case HostState::Ready:
        return Tone::Good;
    case HostState::HostKeyUnknown:
    case HostState::Warnings:
        return Tone::Warning;
    case HostState::Blocked:
    case HostState::NotReached:
        return Tone::Bad;
    }
    return Tone::Plain;
}

Tone toneOf(Verdict verdict)
{
    switch (verdict) {
    case Verdict::Ok:
        return Tone::Good;
    case Verdict::Warn:
        return Tone::Warning;
    case Verdict::Fail:
        break;
    }
    return Tone::Bad;
}

} // namespace trainyard
