#pragma once

#include <functional>

#include <QList>
#include <QString>
#include <QStringList>

namespace trainyard {

class OpenRun;

/// What the runs of a group have in common.
struct Grouping {
    enum class By {
        Nothing,     ///< no grouping
        Repetitions, ///< the specification except seeds; imports: the name without its last number
        Tag,         ///< a run with two tags is in two groups
        Field,       ///< the value of one field of the specification
    };
    By by = By::Nothing;
    QString field = {}; ///< of Field: "optimizer.name"

    bool operator==(const Grouping&) const = default;
};

struct RunGroup {
    QString name; ///< common value
    QList<const OpenRun*> runs;
};

/// Returns the groups in order of their first run. `tagsOf` returns the tags of a run id.
QList<RunGroup> groupRuns(const QList<const OpenRun*>& runs, const Grouping& grouping,
                          const std::function<QStringList(const QString& runId)>& tagsOf);

/// Returns the fields in which the specifications differ, for grouping.
QStringList differingFields(const QList<const OpenRun*>& runs);

} // namespace trainyard
