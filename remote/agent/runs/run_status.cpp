#include "remote/agent/runs/run_status.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <random>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "engine/base/clock.h"
#include "engine/base/file.h"

namespace trainyard::agent {

namespace {

using nlohmann::json;

json readJson(const std::filesystem::path& file)
{
    const auto text = readFile(file);
    return text.ok() ? json::parse(*text, nullptr, false) : json();
}

std::string toText(const json& document)
{
    return document.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

Status replaceWithoutSync(const std::filesystem::path& path, const std::string& content)
{
    const std::filesystem::path temporary =
        path.parent_path() / ("." + path.filename().string() + ".heartbeat");
    {
        FileDescriptor file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
        if (!file.valid())
            return systemError(ErrorKind::Failed, "cannot write " + temporary.string(), errno);
        TRAINYARD_TRY_STATUS(writeAll(file.get(), content, temporary));
    }
    if (::rename(temporary.c_str(), path.c_str()) != 0)
        return systemError(ErrorKind::Failed, "cannot write " + path.string(), errno);
    return {};
}

} // namespace

std::optional<RunStatus> readStatus(const RunFolder& folder)
try {
    const json document = readJson(folder.state());
    if (!document.is_object())
        return std::nullopt;
    const auto state = runStateFromName(document.value("state", ""));
    if (!state)
        return std::nullopt;
    return RunStatus{*state,
                     document.value("reason", ""),
                     document.value("step", std::int64_t{0}),
                     document.value("steps", std::int64_t{0}),
                     document.value("attempt", std::uint32_t{0}),
                     document.value("killed", 0)};
} catch (const json::exception&) { // a value of another type
    return std::nullopt;
}

Status writeStatus(const RunFolder& folder, const RunStatus& status, Durability durability)
{
    const std::string text = toText({{"trainyard", 1},
                                     {"state", nameOf(status.state)},
                                     {"reason", status.reason},
                                     {"step", status.step},
                                     {"steps", status.steps},
                                     {"attempt", status.attempt},
                                     {"killed", status.killed},
                                     {"time", utcText(systemClock().now().wallNs)}});
    if (durability == Durability::Durable)
        return writeFileAtomically(folder.state(), text);
    return replaceWithoutSync(folder.state(), text);
}

Status holdReserve(const RunFolder& folder)
{
    constexpr std::size_t kBytes = 64 * 1024;
    std::string room(kBytes, '\0');
    std::minstd_rand noise; // a file system that compresses would shrink anything else
    std::ranges::generate(room, [&noise] { return static_cast<char>(noise() >> 8); });
    return writeFileAtomically(folder.reserve(), room);
}

void freeReserve(const RunFolder& folder)
{
    std::error_code ignored;
    std::filesystem::remove(folder.reserve(), ignored);
}

std::optional<SupervisorIdentity> readSupervisor(const RunFolder& folder)
try {
    const json document = readJson(folder.supervisorFile());
    if (!document.is_object())
        return std::nullopt;
    return SupervisorIdentity{
        document.at("pid").get<std::int64_t>(), document.at("start_time").get<std::uint64_t>(),
        document.at("attempt").get<std::uint32_t>(), document.at("host").get<std::string>(),
        document.at("boot_id").get<std::string>()};
} catch (const json::exception&) {
    return std::nullopt;
}

Status writeSupervisor(const RunFolder& folder, const SupervisorIdentity& identity)
{
    return writeFileAtomically(folder.supervisorFile(), toText({{"pid", identity.pid},
                                                                {"start_time", identity.startTime},
                                                                {"attempt", identity.attempt},
                                                                {"host", identity.host},
                                                                {"boot_id", identity.bootId}}));
}

} // namespace trainyard::agent
