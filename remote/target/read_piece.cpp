#include "remote/target/read_piece.h"

#include <memory>

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

} // namespace trainyard
