#include "remote/agent/runs/run_requests.h"

#include <nlohmann/json.hpp>

#include "engine/base/file.h"

namespace trainyard::agent {

namespace {

constexpr const char* kGrace = "grace_ms";

bool isThere(const std::filesystem::path& path)
{
    std::error_code ignored;
    return std::filesystem::exists(path, ignored);
}

} // namespace

Status askToEnd(const RunFolder& folder, const StopOptions& options)
{
    const auto file = options.checkpoint ? folder.stopRequest() : folder.abortRequest();
    const std::string content = nlohmann::json{{kGrace, options.grace.count()}}.dump() + "\n";
    if (const auto present = readFile(file); present.ok() && *present == content)
        return {};
    TRAINYARD_TRY_STATUS(makeFolder(folder.control()));
    return writeFileAtomically(file, content);
}

Status askForCheckpoint(const RunFolder& folder)
{
    TRAINYARD_TRY_STATUS(makeFolder(folder.control()));
    return writeFileAtomically(folder.checkpointRequest(), {});
}

bool isAskedToEnd(const RunFolder& folder)
{
    return isThere(folder.stopRequest()) || isAskedToAbort(folder);
}

bool isAskedToAbort(const RunFolder& folder)
{
    return isThere(folder.abortRequest());
}

std::optional<std::chrono::milliseconds> askedGrace(const RunFolder& folder,
                                                    std::chrono::milliseconds otherwise)
{
    if (!isThere(folder.stopRequest()))
        return std::nullopt;
    const auto text = readFile(folder.stopRequest());
    const auto content = text.ok() ? nlohmann::json::parse(*text, nullptr, false) : nlohmann::json();
    if (!content.is_object() || !content.contains(kGrace) || !content[kGrace].is_number_unsigned())
        return otherwise;
    return std::chrono::milliseconds(content[kGrace].get<std::uint32_t>());
}

void removeRequests(const RunFolder& folder)
{
    std::error_code ignored;
    for (const auto& request : {folder.stopRequest(), folder.abortRequest(), folder.checkpointRequest()})
        std::filesystem::remove(request, ignored);
}

} // namespace trainyard::agent
