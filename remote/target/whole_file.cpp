#include "remote/target/whole_file.h"

#include <memory>

#include "remote/target/read_piece.h"
#include "remote/wire/protocol.h"

namespace trainyard {

namespace {

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

void readWhole(Target& target, const QJsonObject& request, const QObject* context,
               std::function<void(const Result<QByteArray>&)> done)
{
    readOn(std::make_shared<WholeFile>(WholeFile{target, request, context, std::move(done)}));
}

} // namespace trainyard
