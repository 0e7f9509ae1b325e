#include "engine/base/file.h"
#include "remote/agent/host/confined.h"
#include "remote/agent/serve/data_readers.h"
#include "remote/agent/serve/file_piece.h"
#include "remote/agent/serve/operations.h"
#include "remote/agent/serve/request.h"
#include "remote/agent/store/data_store.h"
#include "remote/wire/bundle_manifest.h"
#include "remote/wire/data_set_content.h"

namespace trainyard::agent {

namespace {

using nlohmann::json;
namespace fs = std::filesystem;

Result<Answer> dataSets(const AgentContext& context, const json&)
{
    const DataStore store(context.root);
    const auto readers = dataReaders(context.root);
    json list = json::array();
    for (const StoredDataSet& set : store.list()) {
        const auto found = readers.find(set.name);
        const DataReaders of = found == readers.end() ? DataReaders() : found->second;
        list.push_back({{"name", set.name},
                        {"id", set.id},
                        {"bytes", set.bytes},
                        {"files", set.files},
                        {"folder", store.folder(set.name).string()},
                        {"age_s", set.age.count()},
                        {"last_run", of.newest},
                        {"active_run", of.active}});
    }
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
    const auto readers = dataReaders(context.root);
    if (const auto of = readers.find(name); of != readers.end() && !of->second.active.empty())
        return refused("the run " + of->second.active + " reads the data set " + name, "stop the run first");
    std::error_code ignored;
    const bool there = fs::exists(store.folder(name), ignored);
    TRAINYARD_TRY(const std::uint64_t freed, store.remove(name));
    return Answer{{{"removed", there}, {"freed", freed}}, {}};
}

} // namespace

const OperationTable& dataOperations()
{
    static const OperationTable table{{"data-sets", dataSets},
                                      {"data-files", dataFiles},
                                      {"read-data", {readData, Operation::Answers::Piece}},
                                      {"adopt-data", adoptData},
                                      {"assemble-data", assembleData},
                                      {"remove-data", removeData}};
    return table;
}

} // namespace trainyard::agent
