#include "remote/target/agent_file.h"

#include <cerrno>
#include <sys/stat.h>

#include <fmt/format.h>

#include "engine/base/file.h"
#include "engine/base/hash.h"

namespace trainyard {

namespace {

Result<std::string> versionOf(const std::string& path)
{
    struct stat info {};
    if (::stat(path.c_str(), &info) != 0)
        return systemError(ErrorKind::BadInput, "cannot open " + path, errno);
    return fmt::format("{} {}:{} {} {}.{}", path, info.st_dev, info.st_ino, info.st_size, info.st_mtim.tv_sec,
                       info.st_mtim.tv_nsec);
}

} // namespace

Result<AgentFile> AgentFiles::find(const std::string& path)
{
    TRAINYARD_TRY(const std::string version, versionOf(path));
    const std::lock_guard lock(m_mutex);
    if (const auto known = m_known.find(version); known != m_known.end())
        return AgentFile{path, known->second};
    TRAINYARD_TRY(const std::string sha256, sha256OfFile(path));
    m_known.emplace(version, sha256);
    return AgentFile{path, sha256};
}

} // namespace trainyard
