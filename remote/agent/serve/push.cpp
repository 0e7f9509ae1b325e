#include "remote/agent/serve/push.h"

#include <utility>

#include "remote/agent/serve/request.h"
#include "remote/agent/store/blob_store.h"
#include "remote/wire/bundle_manifest.h"
#include "remote/wire/data_set_content.h"

namespace trainyard::agent {

namespace {

using nlohmann::json;

/// In the folder of a data set, where the request names one, or in the store.
Result<PushedFile> pushedFile(const AgentContext& context, const std::string& folder, const json& entry)
{
    if (!entry.is_object())
        return badInput("the list \"files\" contains an entry that is not an object");
    const Fields fields(entry);
    PushedFile file;
    TRAINYARD_TRY(file.sha256, sha256Field(entry, "sha256"));
    TRAINYARD_TRY(const std::int64_t size, fields.number("size", 0, INT64_MAX));
    file.size = static_cast<std::uint64_t>(size);
    file.path = BlobStore(context.root).blob(file.sha256);
    if (folder.empty())
        return file;
    TRAINYARD_TRY(const std::string name, fields.text("name"));
    if (!isBundlePath(name))
        return badInput("\"" + name.substr(0, 100) + "\" is not a path of plain names");
    file.path = std::filesystem::path(folder) / name;
    file.mayCome = false;
    return file;
}

} // namespace

Result<std::shared_ptr<Push>> Push::create(const AgentContext& context, const json& request)
{
    const Fields fields(request);
    AgentAddress to;
    TRAINYARD_TRY(to.host, fields.text("host"));
    TRAINYARD_TRY(to.sha256, sha256Field(request, "agent"));
    TRAINYARD_TRY(to.root, fields.text("root"));
    TRAINYARD_TRY(const std::string folder, fields.textOr("folder", {}));
    if (!folder.empty() && !folder.starts_with('/'))
        return badInput("the field \"folder\" is not an absolute path");
    TRAINYARD_TRY(const auto known, knownHostsIn(request));
    TRAINYARD_TRY(const json entries, fields.list("files", kMaxDataSetFiles));
    std::vector<PushedFile> files;
    for (const json& entry : entries) {
        TRAINYARD_TRY(PushedFile file, pushedFile(context, folder, entry));
        files.push_back(std::move(file));
    }
    return std::shared_ptr<Push>(new Push(context, known, std::move(to), std::move(files)));
}

std::optional<std::uint64_t> Push::newProgress()
{
    const std::uint64_t done = m_push.done();
    return std::exchange(m_reported, done) == done ? std::nullopt : std::optional(done);
}

} // namespace trainyard::agent
