#include "datasets/input/table_file.h"

#include <dlfcn.h>

#include <fmt/format.h>

namespace trainyard {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kBytesBetweenReleases = 4u << 20;

/// The running file may also be the loader in the bundle's system/ (remote/agent/programs): it is as deep as
/// bin/.
fs::path moduleFile()
{
    return fs::read_symlink("/proc/self/exe").parent_path().parent_path() / "lib" / kTableModuleFile;
}

Result<const TableModule*> loadModule()
{
    const fs::path file = moduleFile();
    void* const opened = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!opened)
        return refused(fmt::format("Parquet and Arrow files cannot be read here: {}", ::dlerror()),
                       "install it with libarrow and libparquet; builds have it after packaging/setup");
    const auto entry = reinterpret_cast<TableModuleEntry>(::dlsym(opened, kTableModuleEntry));
    const TableModule* const module = entry ? entry() : nullptr;
    if (!module || module->version != kTableModuleVersion)
        return refused(file.string() + " is from another build", "install both from one build");
    return module;
}

/// Loaded once and never unloaded.
const Result<const TableModule*>& tableModule()
{
    static const Result<const TableModule*> module = loadModule();
    return module;
}

} // namespace

std::optional<TableKind> tableKindOf(std::string_view head)
{
    if (head.starts_with("PAR1"))
        return TableKind::Parquet;
    if (head.starts_with("ARROW1"))
        return TableKind::ArrowFile;
    // The length that follows has a high byte of 0: no schema has 16 MiB.
    if (head.size() >= 8 && head.starts_with("\xFF\xFF\xFF\xFF") && head[7] == '\0')
        return TableKind::ArrowStream;
    return std::nullopt;
}

Status readTableObjects(const fs::path& path,
                        const std::function<Status(std::string_view object, std::size_t number)>& take)
{
    const std::string name = path.string();
    TRAINYARD_TRY(const auto file, MappedFile::open(path));
    const auto kind = tableKindOf(file->bytes());
    if (!kind)
        return badInput(name + " is no Parquet or Arrow file", "give it the ending of what it is");
    const auto& module = tableModule();
    if (!module.ok())
        return module.error().in(name);
    auto reader = module.value()->openObjects(*kind, file->bytes());
    if (!reader.ok())
        return reader.error().in(name);
    std::string object;
    for (std::size_t number = 1;; ++number) {
        const auto found = reader.value()->next(object);
        if (!found.ok())
            return found.error().in(fmt::format("{}: after row {}", name, number - 1));
        if (!*found)
            return {};
        TRAINYARD_TRY_STATUS(take(object, number));
    }
}

Result<TableFile> TableFile::open(const fs::path& path, TableKind kind, const std::string& column,
                                  TablePlace from)
{
    const std::string name = path.string();
    const auto& module = tableModule();
    if (!module.ok())
        return module.error().in(name);
    TRAINYARD_TRY(auto file, MappedFile::open(path));
    auto reader = module.value()->open({kind, file->bytes(), column, from});
    if (!reader.ok())
        return reader.error().in(name);
    return TableFile(name, std::move(file), std::move(reader.value()));
}

Result<bool> TableFile::next(TableRow& row)
{
    const auto found = m_reader->next(row);
    if (!found.ok()) {
        const TablePlace at = place();
        return found.error().in(fmt::format("{}: after row {} of group {}", m_name, at.row, at.group + 1));
    }
    if (*found)
        countRead(row);
    return found;
}

/// Pages of a mapped file count as the process's memory, although the kernel could reclaim them.
void TableFile::countRead(const TableRow& row)
{
    m_read += row.text ? row.text->size() : 0;
    if (m_read < kBytesBetweenReleases)
        return;
    m_read = 0;
    MappedFile::releasePages(m_file->bytes().data(), m_file->bytes().size());
}

std::uint64_t TableFile::fileOffset() const
{
    return static_cast<std::uint64_t>(m_reader->share() * static_cast<double>(m_file->bytes().size()));
}

} // namespace trainyard
