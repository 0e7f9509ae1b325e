#pragma once

#include <functional>

#include <QString>
#include <QStringList>

class QWidget;

namespace trainyard {

class RunService;

enum class ChosenKind { File, Files, Folder };

struct PathQuestion {
    QString host;
    QString title;
    QString start; ///< initial path; empty = the user's home folder
    ChosenKind kind = ChosenKind::File;
};

/// Lets the user choose paths on a host: with the system's dialog on this machine, else with a dialog that
/// lists the host's folders. `chosen` gets full paths sorted by name; it is not called on cancel.
void choosePaths(QWidget* parent, RunService& runs, const PathQuestion& question,
                 const std::function<void(const QStringList&)>& chosen);

} // namespace trainyard
