#include "datasets/input/archives.h"

#include <array>

#include <fmt/format.h>

namespace trainyard {

using namespace std::string_view_literals;

Status refuseArchives(std::string_view head, const std::string& name)
{
    struct Archive {
        std::string_view magic;
        std::size_t at;
        const char* what;
        const char* hint;
    };
    static constexpr std::array kArchives{
        Archive{"7z\xBC\xAF\x27\x1C"sv, 0, "a 7z archive",
                "unpack it first: 7z x FILE; or pipe it: 7z x -so FILE | ... -"},
        Archive{"PK\x03\x04"sv, 0, "a zip archive",
                "unpack it first: unzip FILE; or pipe it: unzip -p FILE | ... -"},
        Archive{"\xFD"
                "7zXZ\0"sv,
                0, "compressed by xz", "pipe it: xz -dc FILE | ... -"},
        Archive{"PAR1"sv, 0, "a Parquet file, which cannot be read from a pipe or compressed again",
                "pass the file itself"},
        Archive{"ARROW1"sv, 0, "an Arrow file, which cannot be read from a pipe or compressed again",
                "pass the file itself"},
        Archive{"\xFF\xFF\xFF\xFF"sv, 0,
                "a stream of Arrow, which cannot be read from a pipe or compressed again",
                "pass the file itself"},
        Archive{"ustar"sv, 257, "a tar archive", "unpack it first: tar xf FILE"},
        Archive{"\x89HDF\r\n"sv, 0, "an HDF5 file", "use the text that it was made from"},
    };
    for (const Archive& archive : kArchives) {
        if (head.size() > archive.at && head.substr(archive.at).starts_with(archive.magic))
            return badInput(fmt::format("{} is {}", name, archive.what), archive.hint);
    }
    return {};
}

} // namespace trainyard
