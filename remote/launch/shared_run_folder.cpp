#include "remote/launch/shared_run_folder.h"

#include <QJsonArray>

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

Result<QStringList> blindHosts(const HostGroup& group, const HostGroup::Answers& answers, int nodes)
{
    TRAINYARD_TRY_STATUS(allOf(answers));
    QStringList blind;
    for (int node = 1; node < nodes; ++node) {
        if (answers[static_cast<std::size_t>(node)]->value("seen").toArray().isEmpty())
            blind << group.hosts()[node];
    }
    return blind;
}

} // namespace

void findHostsWithoutSharedFolder(HostGroup& group, const QString& run, int nodes, const QObject* context,
                                  std::function<void(const Result<QStringList>&)> done)
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
                              done(blindHosts(group, answers, nodes));
                          });
        });
}

} // namespace trainyard
