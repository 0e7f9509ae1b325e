#include "remote/agent/usage/process_load.h"

#include <chrono>
#include <filesystem>
#include <sstream>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/file.h"
#include "engine/base/parsed_number.h"
#include "engine/base/process.h"

namespace trainyard::agent {

namespace {

constexpr std::chrono::seconds kNamePatience{2};

/// The name in a line "name:x:1004:..." for this user; empty for other lines.
std::string nameIn(const std::string& line, uid_t user)
{
    std::istringstream fields(line);
    std::string name;
    std::string password;
    std::string number;
    std::getline(fields, name, ':');
    std::getline(fields, password, ':');
    std::getline(fields, number, ':');
    return parsedNumber<uid_t>(number) == user ? name : std::string();
}

std::string nameInPasswd(uid_t user)
{
    const auto text = readFile("/etc/passwd");
    std::istringstream lines(text.ok() ? *text : std::string());
    for (std::string line; std::getline(lines, line);) {
        if (const std::string name = nameIn(line, user); !name.empty())
            return name;
    }
    return {};
}

std::string nameFromServices(uid_t user)
{
    if (programInPath("getent").empty())
        return {};
    const auto answer = readCommand({"getent", "passwd", std::to_string(user)}, kNamePatience);
    return answer.ok() && answer->status == 0 ? nameIn(answer->text, user) : std::string();
}

} // namespace

std::optional<ProcessLoad> parseProcessLoad(pid_t pid, std::string_view stat, Bytes pageSize)
{
    // The second field is the name in parentheses and may hold anything.
    const auto open = stat.find('(');
    const auto close = stat.rfind(')');
    if (open == std::string_view::npos || close == std::string_view::npos || close < open)
        return std::nullopt;
    ProcessLoad load;
    load.id.pid = pid;
    load.name = stat.substr(open + 1, close - open - 1);
    std::istringstream fields{std::string(stat.substr(close + 1))};
    std::string field;
    for (int number = 3; number <= 24 && fields >> field; ++number) {
        const auto value = parsedNumber<std::uint64_t>(field).value_or(0);
        if (number == 3 && (field == "Z" || field == "X"))
            return std::nullopt;
        if (number == 14 || number == 15) // utime, stime
            load.ticks += value;
        if (number == 20)
            load.threads = static_cast<int>(value);
        if (number == 22)
            load.id.startTime = value;
        if (number == 24)
            load.resident = value * pageSize;
    }
    return fields ? std::optional(load) : std::nullopt;
}

std::vector<ProcessLoad> processLoads()
{
    std::vector<ProcessLoad> loads;
    const auto pageSize = static_cast<Bytes>(::sysconf(_SC_PAGESIZE));
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator("/proc", ignored)) {
        const auto pid = parsedNumber<pid_t>(entry.path().filename().string());
        struct stat owner {};
        if (!pid || ::stat(entry.path().c_str(), &owner) != 0)
            continue;
        const auto text = readFile(entry.path() / "stat");
        auto load = text.ok() ? parseProcessLoad(*pid, *text, pageSize) : std::nullopt;
        if (!load)
            continue;
        load->owner = owner.st_uid;
        loads.push_back(*std::move(load));
    }
    return loads;
}

bool hidesOthers(std::string_view mounts)
{
    std::istringstream lines{std::string(mounts)};
    bool hides = false;
    for (std::string line; std::getline(lines, line);) {
        std::istringstream fields(line);
        std::string device;
        std::string place;
        std::string type;
        std::string options;
        fields >> device >> place >> type >> options;
        if (place == "/proc") // of several mounts the last one counts
            hides = options.find("hidepid=") != std::string::npos &&
                    options.find("hidepid=0") == std::string::npos &&
                    options.find("hidepid=off") == std::string::npos;
    }
    return hides;
}

std::string userNameOf(uid_t user)
{
    if (const std::string name = nameInPasswd(user); !name.empty())
        return name;
    const std::string name = nameFromServices(user);
    return name.empty() ? "user " + std::to_string(user) : name;
}

} // namespace trainyard::agent
