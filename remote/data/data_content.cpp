#include "remote/data/data_content.h"

#include <memory>
#include <utility>

#include <QDir>
#include <QFutureWatcher>
#include <QJsonArray>
#include <QPromise>
#include <QThreadPool>

#include "remote/target/host_question.h"
#include "remote/wire/bundle_manifest.h"

namespace trainyard {

namespace {

Result<DataSetContent> contentIn(const QJsonObject& reply)
{
    DataSetContent content;
    content.id = reply.value("data_set").toString().toStdString();
    for (const auto& value : reply.value("entries").toArray()) {
        const QJsonObject entry = value.toObject();
        const qint64 bytes = entry.value("size").toInteger(-1);
        DataSetFile file{entry.value("name").toString().toStdString(), static_cast<std::uint64_t>(bytes),
                         entry.value("sha256").toString().toStdString()};
        if (!isBundlePath(file.path) || !isSha256(file.sha256) || bytes < 0)
            return failed("the host lists \"" + file.path.substr(0, 100) +
                          "\", which is no file of a data set");
        content.files.push_back(std::move(file));
    }
    if (!isSha256(content.id))
        return failed("the host reported no id for the data set");
    return content;
}

/// The questions file is hashed and thousands of files may be looked at, perhaps on a network disk.
void readContentHere(const std::filesystem::path& folder, QObject* context,
                     std::function<void(const Result<DataSetContent>&)> done)
{
    using Content = Result<DataSetContent>;
    auto* watcher = new QFutureWatcher<Content>(context);
    QObject::connect(watcher, &QFutureWatcherBase::finished, context, [watcher, done = std::move(done)] {
        watcher->deleteLater();
        done(watcher->result());
    });
    auto promise = std::make_shared<QPromise<Content>>();
    promise->start();
    watcher->setFuture(promise->future());
    QThreadPool::globalInstance()->start([promise, folder] {
        promise->addResult(readDataSetContent(folder));
        promise->finish();
    });
}

} // namespace

void readContent(const DataPlace& place, TargetPool& targets, QObject* context,
                 std::function<void(const Result<DataSetContent>&)> done)
{
    if (place.isHere())
        return readContentHere(QDir(place.folder).absolutePath().toStdString(), context, std::move(done));
    auto* question = new HostQuestion<DataSetContent>(place.host, targets, context, context, std::move(done));
    question->call({{"op", "data-files"}, {"folder", place.folder}}, contentIn);
}

} // namespace trainyard
