#include "remote/target/read_file.h"

#include <memory>

#include "remote/wire/protocol.h"

namespace trainyard {

namespace {

struct Arriving {
    QByteArray bytes;
    bool tooMuch = false;
};

Result<FilePiece> pieceOf(const Arriving& arrived, const Result<QJsonObject>& reply)
{
    if (!reply.ok())
        return reply.error();
    if (arrived.tooMuch)
        return failed("the host sent more of a file than requested");
    return FilePiece{arrived.bytes, reply->value("size").toInteger()};
}

/// One file on its way; the piece that is still to come keeps it alive.
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
    readPiece(file->target, file->request, before, qint64{kMaxRead}, file->context,
              [file, before](const Result<FilePiece>& piece) {
                  if (!piece.ok())
                      return file->done(piece.error());
                  file->content += piece->bytes;
                  if (file->content.size() >= piece->fileSize || file->content.size() == before)
                      return file->done(file->content);
                  if (piece->fileSize > kMaxWholeFile || file->content.size() > kMaxWholeFile)
                      return file->done(failed("the file is larger than " + formatBytes(kMaxWholeFile) +
                                               ", the limit for reading a file completely"));
                  readOn(file);
              });
}

} // namespace

Target::CallId readPiece(Target& target, QJsonObject request, qint64 offset, qint64 limit,
                         const QObject* context, std::function<void(const Result<FilePiece>&)> done)
{
    request["offset"] = offset;
    request["limit"] = limit;
    const auto arriving = std::make_shared<Arriving>();
    Target::Handlers handlers;
    handlers.chunk = [arriving, limit](const QByteArray& bytes) {
        arriving->tooMuch = arriving->tooMuch || arriving->bytes.size() + bytes.size() > limit;
        if (!arriving->tooMuch)
            arriving->bytes += bytes;
    };
    handlers.done = [arriving, done = std::move(done)](const Result<QJsonObject>& reply) {
        done(pieceOf(*arriving, reply));
    };
    return target.call(std::move(request), context, std::move(handlers));
}

void readWhole(Target& target, const QJsonObject& request, const QObject* context,
               std::function<void(const Result<QByteArray>&)> done)
{
    readOn(std::make_shared<WholeFile>(WholeFile{target, request, context, std::move(done)}));
}

} // namespace trainyard
