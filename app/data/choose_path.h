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
    QString start; ///< a path to begin at; empty = the user's home folder
    ChosenKind kind = ChosenKind::File;
};

/// Lets the user choose on a host: with the system's dialog on this machine, with a dialog that looks at the
/// host's folders elsewhere. `chosen` gets full paths, in order of name; it is not called when nothing was
/// chosen.
void choosePaths(QWidget* parent, RunService& runs, const PathQuestion& question,
                 const std::function<void(const QStringList&)>& chosen);

} // namespace trainyard
