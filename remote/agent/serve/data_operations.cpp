#include <algorithm>
#include <fcntl.h>
#include <sys/stat.h>

#include "engine/base/file.h"
#include "remote/agent/host/confined.h"
#include "remote/agent/host/process_table.h"
#include "remote/agent/runs/recovery.h"
#include "remote/agent/runs/run_registry.h"
#include "remote/agent/serve/file_piece.h"
#include "remote/agent/serve/operations.h"
#include "remote/agent/serve/request.h"
#include "remote/agent/store/data_store.h"
#include "remote/wire/data_set_content.h"

namespace trainyard::agent {

namespace {

using nlohmann::json;
namespace fs = std::filesystem;

/// Runs here whose specification names the folder.
struct Readers {
    std::string newest; ///< empty: none
    std::string active;
};

bool isActive(const RunFolder& run)
{
    return isLive(run) || !processesWithEnvironment(run.marker()).empty();
}

bool names(const RunFolder& run, const fs::path& folder)
{
    const auto spec = readFile(run.spec());
    return spec.ok() && spec->find(json(folder.string()).dump()) != std::string::npos;
}

/// Their names begin with the time.
Readers readersOf(const fs::path& root, const fs::path& folder)
{
    Readers readers;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(root / "runs", ignored)) {
        const RunFolder run(entry.path());
        if (!isSafeName(run.run()) || !names(run, folder))
            continue;
        readers.newest = std::max(readers.newest, run.run());
        if (isActive(run))
            readers.active = run.run();
    }
    return readers;
}

json describe(const AgentContext& context, const StoredDataSet& set)
{
    const fs::path folder = DataStore(context.root).folder(set.name);
    const Readers readers = readersOf(context.root, folder);
    return {{"name", set.name},           {"id", set.id},
            {"bytes", set.bytes},         {"files", set.files},
            {"folder", folder.string()},  {"age_s", set.age.count()},
            {"last_run", readers.newest}, {"active_run", readers.active}};
}

Result<Answer> dataSets(const AgentContext& context, const json&)
{
    json list = json::array();
    for (const StoredDataSet& set : DataStore(context.root).list())
        list.push_back(describe(context, set));
    return Answer{{{"data_sets", list}}, {}};
}

Result<fs::path> folderIn(const json& request)
{
    TRAINYARD_TRY(const std::string folder, Fields(request).text("folder"));
    if (!folder.starts_with('/'))
        return badInput("the field \"folder\" is not an absolute path");
    std::error_code ignored;
    const fs::path real = fs::canonical(folder, ignored); // where people keep data, links are common
    return real.empty() ? fs::path(folder) : real;
}

Result<Answer> dataFiles(const AgentContext&, const json& request)
{
    TRAINYARD_TRY(const fs::path folder, folderIn(request));
    TRAINYARD_TRY(const DataSetContent content, readDataSetContent(folder));
    json list = json::array();
    for (const DataSetFile& file : content.files)
        list.push_back({{"name", file.path}, {"size", file.bytes}, {"sha256", file.sha256}});
    return Answer{{{"data_set", content.id}, {"entries", list}}, {}};
}

/// A file of a folder that has a manifest: whoever may ask for this may also start a job that reads it.
Result<Answer> readData(const AgentContext&, const json& request)
{
    TRAINYARD_TRY(const fs::path folder, folderIn(request));
    TRAINYARD_TRY(const std::string name, Fields(request).text("file"));
    TRAINYARD_TRY(const Piece piece, pieceAsked(Fields(request)));
    TRAINYARD_TRY([[maybe_unused]] const FileDescriptor manifest, openBeneath(folder, "manifest.json"));
    TRAINYARD_TRY(const FileDescriptor file, openBeneath(folder, name));
    return answerWith(file, name, piece);
}

/// One file at a time, so that the client sees progress, can stop, and goes on after a broken link.
Result<Answer> adoptData(const AgentContext& context, const json& request)
{
    TRAINYARD_TRY(const fs::path folder, folderIn(request));
    TRAINYARD_TRY(const std::string name, Fields(request).text("file"));
    TRAINYARD_TRY(const std::string hash, sha256Field(request, "sha256"));
    if (!isBundlePath(name))
        return badInput("\"" + name.substr(0, 100) + "\" is not a path of plain names");
    TRAINYARD_TRY_STATUS(DataStore(context.root).adopt(folder / name, hash));
    return Answer{};
}

Result<Answer> assembleData(const AgentContext& context, const json& request)
{
    TRAINYARD_TRY(const std::string name, Fields(request).text("name"));
    TRAINYARD_TRY(const std::string id, sha256Field(request, "data_set"));
    TRAINYARD_TRY(const json entries, Fields(request).list("files", kMaxDataSetFiles));
    std::vector<BundleFile> files;
    for (const json& entry : entries) {
        if (!entry.is_object())
            return badInput("the list \"files\" contains an entry that is not an object");
        TRAINYARD_TRY(const std::string path, Fields(entry).text("path"));
        TRAINYARD_TRY(const std::string hash, sha256Field(entry, "sha256"));
        files.push_back({path, false, hash});
    }
    const DataStore store(context.root);
    TRAINYARD_TRY(const bool created, store.assemble(name, id, files));
    return Answer{{{"created", created}, {"folder", store.folder(name).string()}}, {}};
}

Result<Answer> removeData(const AgentContext& context, const json& request)
{
    TRAINYARD_TRY(const std::string name, Fields(request).text("name"));
    if (!isPlainName(name) || name.starts_with('.'))
        return badInput("\"" + name.substr(0, 100) + "\" is not the name of a data set's folder");
    const DataStore store(context.root);
    const Readers readers = readersOf(context.root, store.folder(name));
    if (!readers.active.empty())
        return refused("the run " + readers.active + " reads the data set " + name, "stop the run first");
    std::error_code ignored;
    const bool there = fs::exists(store.folder(name), ignored);
    TRAINYARD_TRY(const std::uint64_t freed, store.remove(name));
    return Answer{{{"removed", there}, {"freed", freed}}, {}};
}

} // namespace

const OperationTable& dataOperations()
{
    static const OperationTable table{{"data-sets", dataSets},         {"data-files", dataFiles},
                                      {"read-data", readData},         {"adopt-data", adoptData},
                                      {"assemble-data", assembleData}, {"remove-data", removeData}};
    return table;
}

} // namespace trainyard::agent
