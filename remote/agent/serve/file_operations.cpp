#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/file.h"
#include "engine/checkpoint/weights/find_weights.h"
#include "engine/checkpoint/weights/weight_source.h"
#include "remote/agent/host/confined.h"
#include "remote/agent/serve/file_piece.h"
#include "remote/agent/serve/operations.h"
#include "remote/agent/serve/request.h"
#include "remote/agent/store/blob_store.h"
#include "remote/wire/protocol.h"

namespace trainyard::agent {

namespace {

using nlohmann::json;

constexpr std::size_t kMaxEntries = 10'000;

struct Entry {
    std::string name;
    std::uint64_t size = 0;
    bool folder = false;
};

enum class Links { Hide, Follow };

/// Plain files and folders, nothing hidden; in order of name.
Result<std::vector<Entry>> entriesOf(FileDescriptor folder, Links links)
{
    DIR* stream = ::fdopendir(folder.get());
    if (!stream)
        return systemError(ErrorKind::BadInput, "cannot list the folder", errno);
    const int fd = folder.release(); // belongs to the stream now
    std::vector<Entry> entries;
    while (const dirent* found = ::readdir(stream)) {
        struct stat info {};
        if (found->d_name[0] == '.' || entries.size() >= kMaxEntries ||
            ::fstatat(fd, found->d_name, &info, links == Links::Hide ? AT_SYMLINK_NOFOLLOW : 0) != 0)
            continue;
        if (S_ISREG(info.st_mode) || S_ISDIR(info.st_mode))
            entries.push_back({found->d_name,
                               S_ISDIR(info.st_mode) ? 0 : static_cast<std::uint64_t>(info.st_size),
                               S_ISDIR(info.st_mode)});
    }
    ::closedir(stream);
    std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.name < b.name; });
    return entries;
}

json listOf(const std::vector<Entry>& entries)
{
    json list = json::array();
    for (const Entry& entry : entries)
        list.push_back({{"name", entry.name}, {"size", entry.size}, {"folder", entry.folder}});
    return list;
}

Result<Answer> streams(const AgentContext& context, const json& request)
{
    TRAINYARD_TRY(const RunFolder run, existingRun(context, request));
    TRAINYARD_TRY(FileDescriptor folder, openBeneath(run.path(), "journal"));
    TRAINYARD_TRY(const auto entries, entriesOf(std::move(folder), Links::Hide));
    json list = json::array();
    for (const Entry& entry : entries) {
        if (!entry.folder && isSafeName(entry.name))
            list.push_back({{"stream", entry.name}, {"size", entry.size}});
    }
    return Answer{{{"streams", list}}, {}};
}

Result<Answer> listFolder(const AgentContext& context, const json& request)
{
    TRAINYARD_TRY(const RunFolder run, existingRun(context, request));
    TRAINYARD_TRY(const std::string relative, Fields(request).textOr("folder", ""));
    TRAINYARD_TRY(FileDescriptor folder, openBeneath(run.path(), relative));
    TRAINYARD_TRY(const auto entries, entriesOf(std::move(folder), Links::Hide));
    return Answer{{{"entries", listOf(entries)}}, {}};
}

Result<std::string> absolutePath(const Fields& fields, const char* name)
{
    TRAINYARD_TRY(std::string path, fields.text(name));
    if (!path.starts_with('/'))
        return badInput(std::string("the field \"") + name + "\" is not an absolute path");
    return path;
}

/// For choosing files on the host: names and sizes, no contents. Links count as what they lead to, since
/// disks for data are often reached through them.
Result<Answer> browse(const AgentContext&, const json& request)
{
    TRAINYARD_TRY(const std::string path, absolutePath(Fields(request), "folder"));
    FileDescriptor folder(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_DIRECTORY | O_NONBLOCK));
    if (!folder.valid())
        return systemError(ErrorKind::BadInput, "cannot open the folder " + path, errno);
    TRAINYARD_TRY(const auto entries, entriesOf(std::move(folder), Links::Follow));
    const char* home = ::getenv("HOME");
    return Answer{{{"entries", listOf(entries)}, {"home", home ? home : "/"}}, {}};
}

/// "documents/content": plain names, so that nothing outside of the run is reached.
bool isPlainPath(const std::filesystem::path& path)
{
    return !path.empty() && std::ranges::all_of(path, [](const std::filesystem::path& name) {
        return isSafeName(name.string());
    });
}

/// Moves what was uploaded out of the store into a run's directory, where it is removed with the run.
Result<Answer> place(const AgentContext& context, const json& request)
{
    TRAINYARD_TRY(const RunFolder run, existingRun(context, request));
    TRAINYARD_TRY(const std::string sha256, sha256Field(request, "sha256"));
    TRAINYARD_TRY(const std::string name, Fields(request).text("file"));
    if (!isPlainPath(name))
        return badInput("\"" + name.substr(0, 100) + "\" is not a path inside a run's directory");
    const std::filesystem::path blob = BlobStore(context.root).blob(sha256), place = run.path() / name;
    TRAINYARD_TRY_STATUS(makeFolder(place.parent_path()));
    if (::rename(blob.c_str(), place.c_str()) != 0)
        return systemError(ErrorKind::Failed, "cannot place the uploaded file " + sha256, errno);
    ::utimensat(AT_FDCWD, place.c_str(), nullptr, 0); // it is no blob any more: a time that says something
    return Answer{{{"file", place.string()}}, {}};
}

Result<Answer> readFilePiece(const AgentContext& context, const json& request)
{
    TRAINYARD_TRY(const RunFolder run, existingRun(context, request));
    const Fields fields(request);
    TRAINYARD_TRY(const std::string name, fields.text("file"));
    TRAINYARD_TRY(const Piece piece, pieceAsked(fields));
    TRAINYARD_TRY(const FileDescriptor file, openBeneath(run.path(), name));
    return answerWith(file, name, piece);
}

/// Data sets lie where the user wants them; of what lies there, only the manifest can be read.
Result<Answer> readManifestPiece(const AgentContext&, const json& request)
{
    const Fields fields(request);
    TRAINYARD_TRY(const std::string folder, absolutePath(fields, "folder"));
    TRAINYARD_TRY(const Piece piece, pieceAsked(fields));
    const std::string name = (std::filesystem::path(folder) / "manifest.json").string();
    const FileDescriptor file(::open(name.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    if (!file.valid()) {
        Error error = systemError(ErrorKind::BadInput, "there is no data set: cannot open " + name, errno);
        error.hint = "prepare one there, or choose the folder of an existing one";
        return error;
    }
    return answerWith(file, name, piece);
}

/// What a specification's section init names here, without the values: enough to compare it with the model.
/// An empty text where nothing has that name: it may be on the client's machine.
Result<Answer> describeWeights(const AgentContext& context, const json& request)
{
    const Fields fields(request);
    InitSpec init;
    TRAINYARD_TRY(init.path, fields.text("path"));
    TRAINYARD_TRY(const std::int64_t step, fields.numberOr("step", 0, 0, INT_MAX));
    init.step = static_cast<int>(step);
    if (!init.path.starts_with('/') && !isPlainName(init.path))
        return badInput("the field \"path\" is neither an absolute path nor the id of a run");
    TRAINYARD_TRY(const Piece piece, pieceAsked(fields));
    const std::filesystem::path runs = context.root / "runs";
    std::error_code ignored;
    if (!std::filesystem::exists(runs / init.path, ignored)) // an absolute path replaces what is before it
        return answerWith(std::string(), piece);
    TRAINYARD_TRY(const std::filesystem::path folder, findInitialWeights(init, runs));
    const auto source = openWeights(folder);
    if (!source.ok())
        return source.error().in("init.path");
    return answerWith(toJson((*source)->description()), piece);
}

} // namespace

const OperationTable& fileOperations()
{
    static const OperationTable table{{"streams", streams},
                                      {"list", listFolder},
                                      {"read", {readFilePiece, Operation::Answers::Piece}},
                                      {"data-set", {readManifestPiece, Operation::Answers::Piece}},
                                      {"folder", browse},
                                      {"place", place},
                                      {"weights", {describeWeights, Operation::Answers::Piece}}};
    return table;
}

} // namespace trainyard::agent
