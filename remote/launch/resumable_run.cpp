#include "remote/launch/resumable_run.h"

#include <algorithm>
#include <string>

#include <QJsonObject>

#include "engine/records/record.h"

namespace trainyard {

namespace {

Error alreadyFinished(const std::string& id, const QJsonObject& run)
{
    const std::string early =
        run.value("reason").toString().toStdString(); // by evaluation.target or patience
    if (!early.empty())
        return refused("the run " + id + " is finished: " + early,
                       "to train for longer, launch a specification with another evaluation.target or "
                       "evaluation.patience");
    return refused("the run " + id + " is finished: all its " +
                       std::to_string(run.value("steps").toInteger()) + " steps are done",
                   "to train for longer, launch a specification with more launch.steps");
}

/// `run` as the host lists it.
Status mayResume(const QJsonObject& run)
{
    const std::string id = run.value("run").toString().toStdString();
    if (run.value("live").toBool())
        return refused("the run " + id + " is still running", "stop it first");
    if (run.value("state").toString().toStdString() == nameOf(RunState::Finished))
        return alreadyFinished(id, run);
    return {};
}

} // namespace

Result<std::uint32_t> nextAttemptOf(const QString& runId, const QJsonArray& runs, const QString& head)
{
    const auto listed = std::ranges::find_if(runs, [&runId](const QJsonValue& entry) {
        return entry.toObject().value("run").toString() == runId;
    });
    if (listed == runs.end())
        return badInput(head.toStdString() + " does not have the run " + runId.toStdString());
    const QJsonObject run = listed->toObject();
    TRAINYARD_TRY_STATUS(mayResume(run));
    return static_cast<std::uint32_t>(run.value("attempt").toInteger() + 1);
}

} // namespace trainyard
