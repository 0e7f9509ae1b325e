#pragma once

#include <functional>

#include <QList>
#include <QString>
#include <QStringList>

namespace trainyard {

class OpenRun;

/// What runs must share to be one group.
struct Grouping {
    enum class By {
        Nothing,     ///< each run is alone
        Repetitions, ///< all of the specification but seeds; imports: the name without its last number
        Tag,         ///< a run with two tags is in two groups
        Field,       ///< the value of one field of the specification
    };
    By by = By::Nothing;
    QString field = {}; ///< of Field: "optimizer.name"

    bool operator==(const Grouping&) const = default;
};

struct RunGroup {
    QString name; ///< what its runs share
    QList<const OpenRun*> runs;
};

/// In order of their first run. `tagsOf` gives the tags of a run by its id.
QList<RunGroup> groupRuns(const QList<const OpenRun*>& runs, const Grouping& grouping,
                          const std::function<QStringList(const QString& runId)>& tagsOf);

/// The fields in which the specifications differ: what it makes sense to group by.
QStringList differingFields(const QList<const OpenRun*>& runs);

} // namespace trainyard
