#include "remote/ssh/known_hosts_writer.h"

#include <cerrno>
#include <chrono>
#include <thread>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "engine/base/file.h"
#include "remote/ssh/base64.h"

namespace trainyard::ssh {

namespace fs = std::filesystem;

namespace {

constexpr std::chrono::seconds kLockPatience{10};

/// The file itself is replaced, so the lock needs a file of its own.
Result<FileDescriptor> lockBeside(const fs::path& file)
{
    const std::string path = file.string() + ".lock";
    FileDescriptor lock(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    if (!lock.valid())
        return systemError(ErrorKind::Failed, "cannot open " + path, errno);
    for (const auto end = std::chrono::steady_clock::now() + kLockPatience;
         ::flock(lock.get(), LOCK_EX | LOCK_NB) != 0;) {
        if (errno != EINTR && errno != EWOULDBLOCK)
            return systemError(ErrorKind::Failed, "cannot lock " + path, errno);
        if (std::chrono::steady_clock::now() > end)
            return failed(path + " is held by another program", "end that program, or remove the file");
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return lock;
}

Status makePrivateFolder(const fs::path& folder)
{
    if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST)
        return systemError(ErrorKind::Failed, "cannot make " + folder.string(), errno);
    return {};
}

mode_t modeOf(const fs::path& file)
{
    struct stat status {};
    return ::stat(file.c_str(), &status) == 0 ? status.st_mode & 07777 : 0600;
}

Status replaceFile(const fs::path& file, const std::string& content)
{
    const mode_t mode = modeOf(file);
    return publishAtomically(file, [&](const fs::path& temporary) -> Status {
        FileDescriptor out(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
        if (!out.valid() || ::fchmod(out.get(), mode) != 0)
            return systemError(ErrorKind::Failed, "cannot write " + temporary.string(), errno);
        return writeAll(out.get(), content, temporary);
    });
}

} // namespace

Status rememberHostKey(const fs::path& file, const std::string& name, const HostKey& key, NameForm form)
{
    std::error_code missing;
    const fs::path real = fs::exists(file, missing) ? fs::canonical(file, missing) : file;
    TRAINYARD_TRY_STATUS(makePrivateFolder(real.parent_path()));
    TRAINYARD_TRY(const FileDescriptor lock, lockBeside(real));

    std::string content;
    if (auto existing = readFile(real); existing.ok())
        content = *existing;
    else if (fs::exists(real, missing))
        return existing.error();
    KnownHosts known;
    known.addText(real.string(), content);
    if (known.check(name, key).verdict == KeyVerdict::Trusted)
        return {};
    if (!content.empty() && !content.ends_with('\n'))
        content += '\n';
    content += (form == NameForm::Hashed ? hashedHostName(name) : name) + ' ' + key.type() + ' ' +
               toBase64(key.blob) + '\n';
    return replaceFile(real, content);
}

} // namespace trainyard::ssh
