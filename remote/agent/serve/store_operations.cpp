#include "engine/base/file.h"
#include "remote/agent/host/machine.h"
#include "remote/agent/runs/run_registry.h"
#include "remote/agent/serve/clean_operation.h"
#include "remote/agent/serve/operations.h"
#include "remote/agent/serve/request.h"
#include "remote/agent/store/adopt.h"
#include "remote/agent/store/bundle_store.h"
#include "remote/agent/store/marks.h"
#include "remote/agent/store/part_file.h"
#include "remote/wire/greeting.h"

namespace trainyard::agent {

namespace {

using nlohmann::json;

constexpr std::size_t kMaxFiles = 10'000;

/// Of the disk that the agent keeps its things on, so that a deployment need not begin what cannot end.
json diskFacts(const AgentContext& context)
{
    const auto space = diskSpace(context.root);
    if (!space.ok())
        return nullptr;
    json facts{{"path", context.root.string()}, {"free", space->free}};
    if (space->inodesTotal > 0) // some file systems make them as they are needed
        facts["inodes_free"] = space->inodesFree;
    return facts;
}

Result<Answer> have(const AgentContext& context, const json& request)
{
    TRAINYARD_TRY(const json hashes, Fields(request).list("sha256", kMaxFiles));
    const BlobStore store(context.root);
    json missing = json::array();
    for (const json& entry : hashes) {
        if (!entry.is_string() || !isSha256(entry.get_ref<const std::string&>()))
            return badInput("the list \"sha256\" contains an entry that is not 64 lower-case hex digits");
        const std::string hash = entry.get<std::string>();
        if (store.verifyOrRemove(hash)) {
            store.noteUse(hash);
            continue;
        }
        TRAINYARD_TRY(const std::uint64_t bytes, verifiedPrefix(store, hash));
        missing.push_back({{"sha256", hash}, {"have_bytes", bytes}});
    }
    return Answer{{{"missing", missing}, {"disk", diskFacts(context)}}, {}};
}

Result<WantedFile> wantedFile(const json& entry)
{
    if (!entry.is_object())
        return badInput("the list \"files\" contains an entry that is not an object");
    const Fields fields(entry);
    WantedFile file;
    TRAINYARD_TRY(file.name, fields.text("name"));
    TRAINYARD_TRY(file.size, fields.number("size", 0, INT64_MAX));
    TRAINYARD_TRY(file.sha256, sha256Field(entry, "sha256"));
    if (!isPlainName(file.name))
        return badInput("\"" + file.name.substr(0, 100) + "\" is not a valid file name");
    return file;
}

Result<Answer> adopt(const AgentContext& context, const json& request)
{
    TRAINYARD_TRY(const json entries, Fields(request).list("files", kMaxFiles));
    std::vector<WantedFile> wanted;
    for (const json& entry : entries) {
        TRAINYARD_TRY(WantedFile file, wantedFile(entry));
        wanted.push_back(std::move(file));
    }
    return Answer{{{"adopted", adoptFiles(BlobStore(context.root), wanted, libraryFolders())}}, {}};
}

Result<std::string> nonceOf(const json& value)
{
    if (!value.is_string() || !isNonce(value.get_ref<const std::string&>()))
        return badInput("a mark is not 32 lower-case hex digits");
    return value.get<std::string>();
}

/// That of the agent, or of a run.
Result<std::filesystem::path> folderForMarks(const AgentContext& context, const json& request)
{
    if (!request.contains("run"))
        return context.root / "marks";
    TRAINYARD_TRY(const std::string run, Fields(request).text("run"));
    TRAINYARD_TRY(const RunFolder folder, RunRegistry(context.root).existing(run));
    return folder.marks();
}

Result<Answer> mark(const AgentContext& context, const json& request)
{
    TRAINYARD_TRY(const std::string own, nonceOf(request.value("mark", json())));
    TRAINYARD_TRY(const json entries, Fields(request).list("others", kMaxFiles));
    std::vector<std::string> others;
    for (const json& entry : entries) {
        TRAINYARD_TRY(std::string other, nonceOf(entry));
        others.push_back(std::move(other));
    }
    TRAINYARD_TRY(const std::filesystem::path folder, folderForMarks(context, request));
    TRAINYARD_TRY(const auto seen, leaveMark(folder, own, others));
    return Answer{{{"seen", seen}}, {}};
}

Result<BundleFile> bundleFile(const json& entry)
{
    if (!entry.is_object())
        return badInput("the list \"files\" contains an entry that is not an object");
    const Fields fields(entry);
    TRAINYARD_TRY(std::string path, fields.text("path"));
    TRAINYARD_TRY(const std::string mode, fields.text("mode"));
    TRAINYARD_TRY(std::string hash, sha256Field(entry, "sha256"));
    if (mode != "0755" && mode != "0644")
        return badInput("the mode of " + path + " is neither \"0755\" nor \"0644\"");
    return BundleFile{std::move(path), mode == "0755", std::move(hash)};
}

Result<Answer> assemble(const AgentContext& context, const json& request)
{
    TRAINYARD_TRY(const std::string id, sha256Field(request, "bundle"));
    TRAINYARD_TRY(const json entries, Fields(request).list("files", kMaxFiles));
    std::vector<BundleFile> files;
    for (const json& entry : entries) {
        TRAINYARD_TRY(BundleFile file, bundleFile(entry));
        files.push_back(std::move(file));
    }
    TRAINYARD_TRY(const bool created, BundleStore(context.root).assemble(id, files));
    return Answer{{{"created", created}}, {}};
}

Result<Answer> bundles(const AgentContext& context, const json&)
{
    return Answer{{{"bundles", BundleStore(context.root).ids()}}, {}};
}

} // namespace

const OperationTable& storeOperations()
{
    static const OperationTable table{{"have", have},       {"adopt", adopt}, {"assemble", assemble},
                                      {"bundles", bundles}, {"clean", clean}, {"mark", mark}};
    return table;
}

} // namespace trainyard::agent
