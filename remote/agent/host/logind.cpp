#include "remote/agent/host/logind.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <map>
#include <sstream>
#include <unistd.h>

#include "engine/base/file.h"
#include "engine/base/process.h"

namespace trainyard::agent {

namespace {

namespace fs = std::filesystem;

/// logind.conf and its drop-ins in the order in which systemd reads them: by file name, and of one name the
/// first folder's.
std::vector<fs::path> configurationFiles()
{
    std::map<std::string, fs::path> dropIns;
    for (const char* folder :
         {"/etc/systemd", "/run/systemd", "/usr/local/lib/systemd", "/usr/lib/systemd"}) {
        std::error_code missing;
        for (const auto& entry : fs::directory_iterator(fs::path(folder) / "logind.conf.d", missing)) {
            if (entry.path().extension() == ".conf")
                dropIns.try_emplace(entry.path().filename(), entry.path());
        }
    }
    std::vector<fs::path> files{"/usr/lib/systemd/logind.conf", "/etc/systemd/logind.conf"};
    for (const auto& [name, path] : dropIns)
        files.push_back(path);
    return files;
}

std::optional<bool> asBoolean(std::string value)
{
    std::erase_if(value, [](unsigned char c) { return std::isspace(c) != 0; });
    std::transform(value.begin(), value.end(), value.begin(),
                   [](unsigned char c) { return std::tolower(c); });
    constexpr std::array<std::string_view, 6> yes{"1", "yes", "y", "true", "t", "on"};
    constexpr std::array<std::string_view, 6> no{"0", "no", "n", "false", "f", "off"};
    if (std::find(yes.begin(), yes.end(), value) != yes.end())
        return true;
    if (std::find(no.begin(), no.end(), value) != no.end())
        return false;
    return std::nullopt;
}

struct Settings {
    bool killUserProcesses = false;
    std::string killOnlyUsers;
    std::string killExcludeUsers = "root";
};

/// The last word of all files counts; what none of them says is as systemd has it.
Settings readSettings()
{
    Settings settings;
    for (const fs::path& file : configurationFiles()) {
        const auto text = readFile(file);
        std::istringstream lines(text.ok() ? *text : std::string());
        for (std::string line; std::getline(lines, line);) {
            const auto equals = line.find('=');
            if (equals == std::string::npos)
                continue;
            const std::string name = line.substr(0, line.find_last_not_of(" \t", equals - 1) + 1);
            const std::string value = line.substr(equals + 1);
            if (name == "KillUserProcesses")
                settings.killUserProcesses = asBoolean(value).value_or(settings.killUserProcesses);
            else if (name == "KillOnlyUsers")
                settings.killOnlyUsers = value;
            else if (name == "KillExcludeUsers")
                settings.killExcludeUsers = value;
        }
    }
    return settings;
}

bool lists(const std::string& users, const std::string& user)
{
    std::istringstream words(users);
    return std::find(std::istream_iterator<std::string>(words), {}, user) !=
           std::istream_iterator<std::string>();
}

/// From the environment that the login made: a static program cannot ask the name services.
std::string ownName()
{
    const char* name = std::getenv("USER");
    return name ? name : ::getuid() == 0 ? "root" : "";
}

bool killsProcessesOf(const std::string& user)
{
    const Settings settings = readSettings();
    const bool meant = lists(settings.killOnlyUsers, user) ||
                       settings.killOnlyUsers.find_first_not_of(" \t") == std::string::npos;
    return settings.killUserProcesses && meant && !lists(settings.killExcludeUsers, user);
}

bool lingers(const std::string& user)
{
    std::error_code ignored;
    return !user.empty() && fs::exists("/var/lib/systemd/linger/" + user, ignored);
}

} // namespace

std::optional<LogoutRules> logoutRules()
{
    std::error_code ignored;
    if (!fs::exists("/run/systemd/seats", ignored))
        return std::nullopt;
    return LogoutRules{killsProcessesOf(ownName()), lingers(ownName())};
}

std::vector<std::string> outlivingLogout(std::vector<std::string> arguments)
{
    const auto rules = logoutRules();
    if (!rules || !rules->killsProcesses || programInPath("systemd-run").empty())
        return arguments;
    std::vector<std::string> scoped{"systemd-run", "--user", "--scope", "--quiet", "--collect", "--"};
    scoped.insert(scoped.end(), arguments.begin(), arguments.end());
    return scoped;
}

} // namespace trainyard::agent
