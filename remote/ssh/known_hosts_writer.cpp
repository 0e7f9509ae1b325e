#include "remote/ssh/known_hosts_writer.h"

#include <cerrno>
#include <chrono>
#include <functional>
#include <sstream>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
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
    // flock() has no timeout, so it is tried again and again.
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

/// The file's new text, made of its old one; equal = it stays as it is.
using Edit = std::function<Result<std::string>(const fs::path& file, const std::string& text)>;

/// Under the lock from reading to replacing.
Status editFile(const fs::path& file, const Edit& edit)
{
    std::error_code missing;
    // A link stays a link: the file that it names is replaced.
    const fs::path real = fs::exists(file, missing) ? fs::canonical(file, missing) : file;
    TRAINYARD_TRY_STATUS(makePrivateFolder(real.parent_path()));
    TRAINYARD_TRY(const FileDescriptor lock, lockBeside(real));
    std::string before;
    if (auto existing = readFile(real); existing.ok())
        before = *existing;
    else if (fs::exists(real, missing))
        return existing.error();
    TRAINYARD_TRY(const std::string after, edit(real, before));
    return after == before ? Status() : replaceFile(real, after);
}

/// "gpu-03,10.0.0.3" without the first one. A hashed field is one name.
std::string withoutName(const std::string& field, const std::string& name)
{
    std::string others;
    std::istringstream names(field);
    for (std::string one; std::getline(names, one, ',');) {
        if (!hostFieldMatches(one, name))
            others += (others.empty() ? "" : ",") + one;
    }
    return others;
}

/// What is left of a line; empty = nothing. Refused for a pattern.
Result<std::string> lineWithoutHost(const std::string& line, const std::string& name)
{
    const auto begin = std::min(line.find_first_not_of(" \t\r"), line.size());
    const auto end = std::min(line.find_first_of(" \t\r", begin), line.size());
    const std::string field = line.substr(begin, end - begin);
    if (field.empty() || field[0] == '#' || field[0] == '@' || !hostFieldMatches(field, name))
        return line;
    if (!field.starts_with("|1|") && field.find_first_of("*?!") != std::string::npos)
        return refused(fmt::format("\"{}\" names {} among others", field, name), "edit that line by hand");
    const std::string others = withoutName(field, name);
    return others.empty() ? others : others + line.substr(end);
}

Result<std::string> textWithoutHost(const fs::path& file, const std::string& text, const std::string& name)
{
    std::string kept;
    int number = 0;
    for (std::size_t begin = 0; begin < text.size();) {
        const auto end = std::min(text.find('\n', begin), text.size());
        const auto left = lineWithoutHost(text.substr(begin, end - begin), name);
        ++number;
        if (!left.ok())
            return left.error().in(fmt::format("{} line {}", file.string(), number));
        if (!left->empty() || end == begin)
            kept += *left + text.substr(end, 1);
        begin = end + 1;
    }
    return kept;
}

} // namespace

Status rememberHostKey(const fs::path& file, const std::string& name, const HostKey& key, NameForm form)
{
    return editFile(file, [&](const fs::path& real, std::string text) -> Result<std::string> {
        KnownHosts known;
        known.addText(real.string(), text);
        if (known.check(name, key).verdict == KeyVerdict::Trusted)
            return text;
        if (!text.empty() && !text.ends_with('\n'))
            text += '\n';
        return text + (form == NameForm::Hashed ? hashedHostName(name) : name) + ' ' + key.type() + ' ' +
               toBase64(key.blob) + '\n';
    });
}

Status canForgetHost(const fs::path& file, const std::string& name)
{
    std::error_code missing;
    if (!fs::exists(file, missing))
        return {};
    TRAINYARD_TRY(const std::string text, readFile(file));
    const auto without = textWithoutHost(file, text, name);
    return without.ok() ? Status() : without.error();
}

Status forgetHost(const fs::path& file, const std::string& name)
{
    return editFile(file, [&](const fs::path& real, const std::string& text) {
        return textWithoutHost(real, text, name);
    });
}

} // namespace trainyard::ssh
