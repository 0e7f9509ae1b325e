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

/// Adds `name key` to a known_hosts file after a person has agreed to it. Safe with other programs and other
/// threads of ours: reads the file under a lock, adds the line unless it exists, and replaces the file
/// atomically, keeping its permissions. A symbolic link stays one.
Status rememberHostKey(const std::filesystem::path& file, const std::string& name, const HostKey& key,
                       NameForm form = NameForm::Plain);

/// Removes a host from a known_hosts file after a person has given up its keys: removes plain and hashed
/// lines with only that name, and the name from lines with several. Keeps lines with a marker (@revoked must
/// stay). As safe as above. Refused, with nothing changed, when a pattern names the host among others.
Status forgetHost(const std::filesystem::path& file, const std::string& name);
/// Returns the result of forgetHost() without changing anything.
Status canForgetHost(const std::filesystem::path& file, const std::string& name);

} // namespace trainyard::ssh
