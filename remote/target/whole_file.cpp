#include "remote/target/whole_file.h"

#include <memory>

#include "remote/wire/protocol.h"

namespace trainyard {

namespace {

/// One file on its way; the pieces that are still to come keep it alive.
struct WholeFile {
    Target& target;
    QJsonObject request;
    const QObject* context;
    std::function<void(const Result<QByteArray>&)> done;
    QByteArray content = {};
};

void readOn(const std::shared_ptr<WholeFile>& file)
{
    const qsizetype before = file->content.size();
    file->request["offset"] = qint64{before};
    Target::Handlers handlers;
    handlers.chunk = [file](const QByteArray& bytes) { file->content += bytes; };
    handlers.done = [file, before](const Result<QJsonObject>& reply) {
        if (!reply.ok())
            file->done(reply.error());
        else if (file->content.size() < (*reply)["size"].toInteger() && file->content.size() > before)
            readOn(file);
        else
            file->done(file->content);
    };
    file->target.call(file->request, file->context, std::move(handlers));
}

} // namespace

void readWhole(Target& target, const QJsonObject& request, const QObject* context,
               std::function<void(const Result<QByteArray>&)> done)
{
    const auto file = std::make_shared<WholeFile>(WholeFile{target, request, context, std::move(done)});
    file->request["limit"] = qint64{kLargestRead};
    readOn(file);
}

} // namespace trainyard
