#include "remote/agent/serve/file_piece.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <sys/stat.h>
#include <unistd.h>

#include "remote/wire/protocol.h"

namespace trainyard::agent {

namespace {

using nlohmann::json;

Result<std::string> bytesOf(int fd, std::int64_t offset, std::int64_t limit)
{
    std::string bytes(static_cast<std::size_t>(limit), '\0');
    std::size_t at = 0;
    while (at < bytes.size()) {
        const ssize_t got = ::pread(fd, bytes.data() + at, bytes.size() - at,
                                    static_cast<off_t>(offset + static_cast<std::int64_t>(at)));
        if (got == 0)
            break;
        if (got > 0)
            at += static_cast<std::size_t>(got);
        else if (errno != EINTR)
            return systemError(ErrorKind::Failed, "cannot read the file", errno);
    }
    bytes.resize(at);
    return bytes;
}

} // namespace

Result<Piece> pieceAsked(const Fields& fields)
{
    Piece piece;
    TRAINYARD_TRY(piece.offset, fields.numberOr("offset", 0, INT64_MIN / 2, INT64_MAX / 2));
    TRAINYARD_TRY(piece.limit, fields.numberOr("limit", 64 * kKiB, 0, kMaxRead));
    return piece;
}

Result<Answer> answerWith(const FileDescriptor& file, const std::string& name, Piece piece)
{
    struct stat info {};
    if (::fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode))
        return badInput(name + " is not a file");
    if (piece.offset < 0)
        piece.offset = std::max<std::int64_t>(0, info.st_size + piece.offset);
    TRAINYARD_TRY(std::string bytes, bytesOf(file.get(), piece.offset, piece.limit));
    json answer{{"size", info.st_size}, {"offset", piece.offset}, {"bytes", bytes.size()}};
    return Answer{std::move(answer), std::move(bytes)};
}

Result<Answer> answerWith(const std::string& text, Piece piece)
{
    const auto size = static_cast<std::int64_t>(text.size());
    const std::int64_t offset =
        std::clamp<std::int64_t>(piece.offset < 0 ? size + piece.offset : piece.offset, 0, size);
    std::string bytes = text.substr(static_cast<std::size_t>(offset), static_cast<std::size_t>(piece.limit));
    json answer{{"size", size}, {"offset", offset}, {"bytes", bytes.size()}};
    return Answer{std::move(answer), std::move(bytes)};
}

} // namespace trainyard::agent
