#include "remote/agent/host/ssh_command.h"

#include <algorithm>
#include <array>
#include <sstream>

#include "engine/base/file.h"

namespace trainyard::agent {

namespace {

constexpr std::size_t kMaxLines = 10'000;
constexpr std::size_t kMaxLineLength = 20'000;

bool consistsOf(std::string_view text, std::string_view further)
{
    return !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               further.find(c) != std::string_view::npos;
    });
}

bool isPlainLine(const std::string& line)
{
    if (line.size() > kMaxLineLength || line.find('\n') != std::string::npos)
        return false;
    std::istringstream fields(line);
    std::string names, type, key, more;
    fields >> names >> type >> key;
    return consistsOf(names, ".-_:,[]") && consistsOf(type, "-@.") && consistsOf(key, "+/=") &&
           !(fields >> more);
}

} // namespace

std::vector<std::string> sshCommand(const std::vector<std::string>& options)
{
    std::vector<std::string> command{"ssh", "-o", "BatchMode=yes", "-o", "StrictHostKeyChecking=yes"};
    for (const std::string& option : options) {
        if (!option.empty())
            command.insert(command.end(), {"-o", option});
    }
    return command;
}

Status checkKnownHosts(const std::vector<std::string>& lines)
{
    if (lines.size() > kMaxLines || !std::all_of(lines.begin(), lines.end(), isPlainLine))
        return badInput("known_hosts contains a line that is not host names, a key type and a key");
    return {};
}

Status writeKnownHosts(const std::filesystem::path& file, const std::vector<std::string>& lines)
{
    std::string text;
    for (const char* known : {"/etc/ssh/ssh_known_hosts", "/etc/ssh/ssh_known_hosts2"}) {
        if (const auto there = readFile(known); there.ok())
            text += *there + "\n";
    }
    for (const std::string& line : lines)
        text += line + "\n";
    return writeFileAtomically(file, text);
}

std::string knownHostsOption(const std::filesystem::path& file)
{
    return consistsOf(file.string(), "/._-+,@") ? "GlobalKnownHostsFile=" + file.string() : std::string();
}

} // namespace trainyard::agent
