#pragma once

#include <filesystem>
#include <string>

#include "engine/base/result.h"
#include "remote/ssh/known_hosts.h"

namespace trainyard::ssh {

enum class NameForm {
    Plain,
    Hashed
}; ///< Hashed = HashKnownHosts: who reads the file does not learn the name

/// Adds `name key` to a known_hosts file, which a person has just agreed to. Safe beside other programs and
/// other threads of ours: under a lock the file is read, the line added unless it is there, and the whole
/// replaced in one instant, keeping its permissions. A symbolic link stays one.
Status rememberHostKey(const std::filesystem::path& file, const std::string& name, const HostKey& key,
                       NameForm form = NameForm::Plain);

/// Takes a host out of a known_hosts file, whose keys of it a person has just given up: plain and hashed
/// lines that name it go, a line that names others too keeps those. Lines with a marker stay (@revoked must).
/// As safe as above. Refused, with nothing changed, when a pattern names the host among others.
Status forgetHost(const std::filesystem::path& file, const std::string& name);
/// As forgetHost() would say now; changes nothing.
Status canForgetHost(const std::filesystem::path& file, const std::string& name);

} // namespace trainyard::ssh
