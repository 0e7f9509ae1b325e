#include "remote/agent/serve/operations.h"
#include "remote/agent/serve/request.h"
#include "remote/agent/store/bundle_store.h"
#include "remote/agent/store/part_file.h"

namespace trainyard::agent {

namespace {

using nlohmann::json;

constexpr std::size_t kMostFiles = 10'000;

Result<Answer> have(const AgentContext& context, const json& request)
{
    TRAINYARD_TRY(const json hashes, Fields(request).list("sha256", kMostFiles));
    const BlobStore store(context.root);
    json missing = json::array();
    for (const json& entry : hashes) {
        if (!entry.is_string() || !isSha256(entry.get_ref<const std::string&>()))
            return badInput("the list \"sha256\" holds something that is not 64 lower-case hex digits");
        const std::string hash = entry.get<std::string>();
        if (store.has(hash))
            continue;
        TRAINYARD_TRY(const std::uint64_t bytes, verifiedPrefix(store, hash));
        missing.push_back({{"sha256", hash}, {"have_bytes", bytes}});
    }
    return Answer{{{"missing", missing}}, {}};
}

Result<BundleFile> bundleFile(const json& entry)
{
    if (!entry.is_object())
        return badInput("the list \"files\" holds something that is not an object");
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
    TRAINYARD_TRY(const json entries, Fields(request).list("files", kMostFiles));
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
    static const OperationTable table{{"have", have}, {"assemble", assemble}, {"bundles", bundles}};
    return table;
}

} // namespace trainyard::agent
