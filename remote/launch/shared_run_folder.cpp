#include "remote/launch/shared_run_folder.h"

#include <QJsonArray>
#include <fmt/format.h>

#include "remote/wire/greeting.h"

namespace trainyard {

namespace {

QString newMark()
{
    return QString::fromStdString(makeNonce());
}

QJsonObject markRequest(const QString& run, const QJsonArray& others)
{
    return {{"op", "mark"}, {"run", run}, {"mark", newMark()}, {"others", others}};
}

Status judge(const HostGroup& group, const HostGroup::Answers& answers, int nodes)
{
    TRAINYARD_TRY_STATUS(allOf(answers));
    QStringList blind;
    for (int node = 1; node < nodes; ++node) {
        if (answers[static_cast<std::size_t>(node)]->value("seen").toArray().isEmpty())
            blind << group.hosts()[node];
    }
    if (blind.isEmpty())
        return {};
    return refused(fmt::format("with this layout every rank holds a unique part of the model, so all ranks "
                               "write one shared checkpoint, but {} {} not see the run's folder on {}",
                               blind.join(", ").toStdString(), blind.size() == 1 ? "does" : "do",
                               group.hosts()[0].toStdString()),
                   "set TRAINYARD_HOME on every host to a folder on a shared file system, or choose "
                   "memory.zero_stage 0 "
                   "and layout.tensor and layout.pipeline 1");
}

} // namespace

void findSharedRunFolder(HostGroup& group, const QString& run, int nodes, const QObject* context,
                         std::function<void(const Status&)> done)
{
    const QJsonObject first = markRequest(run, {});
    const QString mark = first.value("mark").toString();
    // The others look when it is there for sure.
    group.target(0).call(
        first, context, [&group, run, nodes, mark, done = std::move(done)](const Result<QJsonObject>& reply) {
            if (!reply.ok())
                return done(reply.error());
            group.callAll([&](int) { return markRequest(run, {mark}); },
                          [&group, nodes, done](const HostGroup::Answers& answers) {
                              done(judge(group, answers, nodes));
                          });
        });
}

} // namespace trainyard
