#include "app/runs/history_problem.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <string_view>

#include <QSqlError>

namespace trainyard {

namespace fs = std::filesystem;

namespace {

// https://www.sqlite.org/rescode.html: the lowest byte of an extended code is the primary one.
enum SqliteCode {
    kSqlitePerm = 3,
    kSqliteBusy = 5,
    kSqliteLocked = 6,
    kSqliteReadOnly = 8,
    kSqliteIo = 10,
    kSqliteCorrupt = 11,
    kSqliteFull = 13,
    kSqliteCannotOpen = 14,
    kSqliteNoDatabase = 26
};

int sqliteCodeOf(const QSqlError& problem)
{
    return problem.nativeErrorCode().toInt() & 0xff;
}

Error damagedHistory(const std::string& what, const std::string& why)
{
    return badInput(
        what + ": the history is damaged (" + why + ")",
        "move the file away: the next start makes a new history of the runs, whose records are kept in "
        "folders beside it; tags and notes stay in the old file");
}

// https://www.sqlite.org/fileformat.html#the_database_header
constexpr std::string_view kSqliteMagic{"SQLite format 3\0", 16};
constexpr std::size_t kSqlitePageSizeAt = 16; ///< two bytes, the higher one first; 1 = 65536

/// Checks the size, because SQLite treats a file of one byte as empty and a missing part of the last page as
/// zeros: runs would be lost silently. Pages in the log may still be missing in the file.
Status checkHistoryBytes(const fs::path& path)
{
    std::error_code problem;
    const std::uintmax_t size = fs::file_size(path, problem);
    std::array<char, kSqlitePageSizeAt + 2> head{};
    std::ifstream file(path, std::ios::binary);
    if (problem || size == 0 || !file)
        return {}; // SQLite creates it, or reports why it cannot be read
    file.read(head.data(), head.size());
    const auto byte = [&head](std::size_t at) {
        return std::uintmax_t(static_cast<unsigned char>(head[at]));
    };
    const std::uintmax_t pageSize = byte(kSqlitePageSizeAt) << 8 | byte(kSqlitePageSizeAt + 1);
    if (!file || !std::string_view(head.data(), head.size()).starts_with(kSqliteMagic))
        return damagedHistory(path.string(), "it is not a database");
    const std::uintmax_t logSize = fs::file_size(path.string() + "-wal", problem);
    const bool hasLog = !problem && logSize > 0;
    if (!hasLog && size % (pageSize == 1 ? 65536 : std::max<std::uintmax_t>(pageSize, 1)) != 0)
        return damagedHistory(path.string(), "it is truncated");
    return {};
}

} // namespace

bool isHistoryLocked(const QSqlError& problem)
{
    const int code = sqliteCodeOf(problem);
    return code == kSqliteBusy || code == kSqliteLocked;
}

Error historyError(const QString& file, const QString& doing, const QSqlError& problem)
{
    const std::string what = (file + QStringLiteral(": cannot ") + doing).toStdString();
    const std::string why = problem.databaseText().trimmed().toStdString();
    switch (sqliteCodeOf(problem)) {
    case kSqliteBusy:
    case kSqliteLocked:
        return refused(what + ": another program has locked the history",
                       "close that program, or wait until it is done, and try again");
    case kSqliteFull:
        return refused(what + ": its disk is full", "free space there, and try again");
    case kSqlitePerm:
    case kSqliteReadOnly:
    case kSqliteIo:
    case kSqliteCannotOpen:
        return refused(what + ": " + why, "check the permissions of the file and its folder, and the disk");
    case kSqliteCorrupt:
    case kSqliteNoDatabase:
        return damagedHistory(what, why);
    default:
        return badInput(what + ": " + why,
                        "move the file away to start a new history; the runs themselves are kept in folders "
                        "beside it");
    }
}

Status checkHistoryFile(const QString& file)
{
    std::error_code problem;
    const fs::path path = file.toStdString();
    const fs::file_status status = fs::status(path, problem);
    if (status.type() == fs::file_type::none)
        return systemError(ErrorKind::Refused, "cannot open the history " + path.string(), problem.value());
    if (status.type() == fs::file_type::not_found)
        return {};
    if (fs::is_regular_file(status))
        return checkHistoryBytes(path);
    return refused(path.string() + (fs::is_directory(status) ? " is a folder" : " is not a file"),
                   "move it away: Trainyard needs that name for its history file");
}

} // namespace trainyard
