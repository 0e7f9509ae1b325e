#include "remote/data/data_set_list.h"

#include <QJsonArray>

#include "remote/target/host_question.h"

namespace trainyard {

namespace {

QList<HostDataSet> dataSetsIn(const QJsonObject& reply)
{
    QList<HostDataSet> sets;
    for (const auto& value : reply.value("data_sets").toArray()) {
        const QJsonObject set = value.toObject();
        sets.append({set.value("name").toString(), set.value("id").toString(), set.value("folder").toString(),
                     set.value("bytes").toInteger(), set.value("files").toInteger(),
                     std::chrono::seconds(set.value("age_s").toInteger()), set.value("last_run").toString(),
                     set.value("active_run").toString()});
    }
    return sets;
}

} // namespace

void listDataSets(const QString& host, TargetPool& targets, QObject* parent, const QObject* context,
                  std::function<void(const Result<QList<HostDataSet>>&)> done)
{
    auto* question = new HostQuestion<QList<HostDataSet>>(host, targets, parent, context, std::move(done));
    question->call({{"op", "data-sets"}}, dataSetsIn);
}

void removeDataSet(const QString& host, const QString& name, TargetPool& targets, QObject* parent,
                   const QObject* context, std::function<void(const Result<qint64>&)> done)
{
    auto* question = new HostQuestion<qint64>(host, targets, parent, context, std::move(done));
    question->call({{"op", "remove-data"}, {"name", name}},
                   [host, name](const QJsonObject& reply) -> Result<qint64> {
                       if (!reply.value("removed").toBool())
                           return badInput(host.toStdString() + " has no data set " + name.toStdString(),
                                           "`trainyard data list` shows those that it has");
                       return reply.value("freed").toInteger();
                   });
}

} // namespace trainyard
