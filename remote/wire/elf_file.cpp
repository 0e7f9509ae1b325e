#include "remote/wire/elf_file.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include <fmt/format.h>

#include "engine/base/file.h"

namespace trainyard {

namespace {

// What a sane file has at most; a damaged one must not keep us busy.
constexpr std::size_t kMaxHeaders = 1024;
constexpr std::size_t kMaxDynamicEntries = 4096;
constexpr std::size_t kMaxVersions = 4096;
constexpr std::size_t kMaxNameLength = 512;
constexpr std::size_t kMaxNotes = 64; ///< of one segment

/// Bytes of a file by their place in it; every read says whether it was within the file.
class Reader {
public:
    explicit Reader(const std::filesystem::path& path) : m_file(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}

    bool isOpen() const { return m_file.valid(); }

    template <typename T>
    bool read(std::uint64_t offset, T& value) const
    {
        return readBytes(offset, &value, sizeof value) == sizeof value;
    }

    /// The text that ends with a NUL at most kMaxNameLength bytes on.
    std::optional<std::string> text(std::uint64_t offset) const
    {
        std::array<char, kMaxNameLength> buffer{};
        const std::size_t got = readBytes(offset, buffer.data(), buffer.size());
        const auto end = std::find(buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(got), '\0');
        if (end == buffer.begin() + static_cast<std::ptrdiff_t>(got))
            return std::nullopt;
        return std::string(buffer.begin(), end);
    }

private:
    std::size_t readBytes(std::uint64_t offset, void* into, std::size_t size) const
    {
        if (offset > INT64_MAX - size)
            return 0;
        const ssize_t got = ::pread(m_file.get(), into, size, static_cast<off_t>(offset));
        return got < 0 ? 0 : static_cast<std::size_t>(got);
    }

    FileDescriptor m_file;
};

/// Walks the tables of one file. Every step that leads out of it throws Damaged, caught in readElf().
class Parser {
public:
    struct Damaged {
        const char* table;
    };

    Parser(const Reader& reader, const Elf64_Ehdr& header) : m_reader(reader) { readSegments(header); }

    ElfFile parse(std::uint16_t machine)
    {
        ElfFile file;
        file.machine = machine;
        readDynamic();
        for (const std::uint64_t name : m_needed)
            file.needs[textAt(name)];
        readNeeds(file);
        readDefinitions(file);
        readKernel(file);
        return file;
    }

private:
    template <typename T>
    T at(std::uint64_t offset, const char* table) const
    {
        T value{};
        if (!m_reader.read(offset, value))
            throw Damaged{table};
        return value;
    }

    void readSegments(const Elf64_Ehdr& header)
    {
        const std::size_t count = std::min<std::size_t>(header.e_phnum, kMaxHeaders);
        for (std::size_t i = 0; i < count; ++i)
            m_segments.push_back(
                at<Elf64_Phdr>(header.e_phoff + i * sizeof(Elf64_Phdr), "program header table"));
    }

    /// Where the byte that is loaded at `address` lies in the file.
    std::uint64_t offsetOf(std::uint64_t address, const char* table) const
    {
        for (const Elf64_Phdr& segment : m_segments) {
            if (segment.p_type == PT_LOAD && address >= segment.p_vaddr &&
                address - segment.p_vaddr < segment.p_filesz)
                return segment.p_offset + (address - segment.p_vaddr);
        }
        throw Damaged{table};
    }

    void readDynamic()
    {
        const auto dynamic = std::find_if(m_segments.begin(), m_segments.end(),
                                          [](const Elf64_Phdr& s) { return s.p_type == PT_DYNAMIC; });
        if (dynamic == m_segments.end())
            return; // a static program needs nothing
        const std::size_t count = std::min(dynamic->p_filesz / sizeof(Elf64_Dyn), kMaxDynamicEntries);
        for (std::size_t i = 0; i < count; ++i) {
            const auto entry = at<Elf64_Dyn>(dynamic->p_offset + i * sizeof(Elf64_Dyn), "dynamic section");
            if (entry.d_tag == DT_NULL)
                return;
            if (entry.d_tag == DT_NEEDED)
                m_needed.push_back(entry.d_un.d_val);
            else if (entry.d_tag == DT_STRTAB)
                m_strings = entry.d_un.d_ptr;
            else if (entry.d_tag == DT_VERNEED)
                m_versionNeeds = entry.d_un.d_ptr;
            else if (entry.d_tag == DT_VERDEF)
                m_versionDefinitions = entry.d_un.d_ptr;
        }
    }

    std::string textAt(std::uint64_t name) const
    {
        auto text = m_reader.text(offsetOf(m_strings + name, "string table"));
        if (!text)
            throw Damaged{"string table"};
        return *std::move(text);
    }

    void readNeeds(ElfFile& file) const
    {
        if (m_versionNeeds == 0)
            return;
        std::size_t left = kMaxVersions;
        for (std::uint64_t place = offsetOf(m_versionNeeds, "version needs"); left > 0; --left) {
            const auto library = at<Elf64_Verneed>(place, "version needs");
            auto& versions = file.needs[textAt(library.vn_file)];
            std::uint64_t inner = place + library.vn_aux;
            for (std::size_t i = 0; i < library.vn_cnt && left > 0; ++i, --left) {
                const auto need = at<Elf64_Vernaux>(inner, "version needs");
                if ((need.vna_flags & VER_FLG_WEAK) == 0)
                    versions.insert(textAt(need.vna_name));
                inner += need.vna_next;
            }
            if (library.vn_next == 0 || left == 0)
                return;
            place += library.vn_next;
        }
    }

    void readDefinitions(ElfFile& file) const
    {
        if (m_versionDefinitions == 0)
            return;
        std::uint64_t place = offsetOf(m_versionDefinitions, "version definitions");
        for (std::size_t left = kMaxVersions; left > 0; --left) {
            const auto definition = at<Elf64_Verdef>(place, "version definitions");
            // The first auxiliary entry is the version itself; the others are its parents.
            file.versions.insert(
                textAt(at<Elf64_Verdaux>(place + definition.vd_aux, "version definitions").vda_name));
            if (definition.vd_next == 0)
                return;
            place += definition.vd_next;
        }
    }

    /// The note of the C library's own files: four numbers, the operating system (0 = Linux) and its version.
    /// Notes are padded to four bytes; segments with another alignment hold other things. A damaged note says
    /// nothing.
    void readKernel(ElfFile& file) const
    {
        for (const Elf64_Phdr& segment : m_segments) {
            if (segment.p_type != PT_NOTE || segment.p_align > 4)
                continue;
            std::uint64_t place = segment.p_offset;
            Elf64_Nhdr note{};
            for (std::size_t left = kMaxNotes; left > 0 && place < segment.p_offset + segment.p_filesz;
                 --left) {
                if (!m_reader.read(place, note))
                    return;
                const std::uint64_t name = place + sizeof note;
                const std::uint64_t content = name + (note.n_namesz + 3ULL) / 4 * 4;
                std::array<std::uint32_t, 4> tag{};
                if (note.n_type == NT_GNU_ABI_TAG && m_reader.text(name) == "GNU" &&
                    m_reader.read(content, tag) && tag[0] == ELF_NOTE_OS_LINUX)
                    file.kernel = fmt::format("{}.{}.{}", tag[1], tag[2], tag[3]);
                place = content + (note.n_descsz + 3ULL) / 4 * 4;
            }
        }
    }

    const Reader& m_reader;
    std::vector<Elf64_Phdr> m_segments;
    std::vector<std::uint64_t> m_needed;
    std::uint64_t m_strings = 0;
    std::uint64_t m_versionNeeds = 0;
    std::uint64_t m_versionDefinitions = 0;
};

bool is64BitElf(const Elf64_Ehdr& header)
{
    return std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_ident[EI_CLASS] == ELFCLASS64 &&
           header.e_ident[EI_DATA] == ELFDATA2LSB && header.e_phentsize == sizeof(Elf64_Phdr);
}

/// The parts of "2.36" as numbers; empty when it is something else.
std::vector<int> numbersIn(std::string_view text)
{
    std::vector<int> numbers;
    while (!text.empty()) {
        int number = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
        if (error != std::errc() || (end != text.data() + text.size() && *end != '.'))
            return {};
        numbers.push_back(number);
        text.remove_prefix(std::min<std::size_t>(text.size(), end - text.data() + 1));
    }
    return numbers;
}

} // namespace

Result<std::optional<ElfFile>> readElf(const std::filesystem::path& path)
{
    const Reader reader(path);
    if (!reader.isOpen())
        return systemError(ErrorKind::BadInput, "cannot read " + path.string(), errno);
    Elf64_Ehdr header{};
    if (!reader.read(0, header) || !is64BitElf(header))
        return std::optional<ElfFile>();
    try {
        return std::optional<ElfFile>(Parser(reader, header).parse(header.e_machine));
    } catch (const Parser::Damaged& damaged) {
        return badInput(
            fmt::format("{} is damaged: its {} leads out of the file", path.string(), damaged.table));
    }
}

std::string architectureName(std::uint16_t machine)
{
    switch (machine) {
    case EM_X86_64:
        return "x86_64";
    case EM_AARCH64:
        return "aarch64";
    case EM_RISCV:
        return "riscv64";
    case EM_PPC64:
        return "ppc64le";
    default:
        return fmt::format("ELF machine {}", machine);
    }
}

std::string newestVersion(const std::set<std::string>& versions, std::string_view prefix)
{
    std::string newest;
    for (const std::string& version : versions) {
        if (!version.starts_with(prefix) || numbersIn(version.substr(prefix.size())).empty())
            continue;
        if (const std::string number = version.substr(prefix.size());
            newest.empty() || isOlder(newest, number))
            newest = number;
    }
    return newest;
}

bool isOlder(std::string_view left, std::string_view right)
{
    return numbersIn(left) < numbersIn(right);
}

} // namespace trainyard
