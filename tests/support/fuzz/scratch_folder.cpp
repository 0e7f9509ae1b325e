#include "tests/support/fuzz/scratch_folder.h"

#include <cstdlib>
#include <fstream>

#include "engine/base/check.h"

namespace trainyard {

namespace fs = std::filesystem;

ScratchFolder::ScratchFolder()
{
    const fs::path memory = "/dev/shm"; // a file for every input would be much for a disk
    std::string name =
        (fs::is_directory(memory) ? memory : fs::temp_directory_path()) / "trainyard-fuzz-XXXXXX";
    TRAINYARD_CHECK(mkdtemp(name.data()) != nullptr);
    m_path = name;
}

ScratchFolder::~ScratchFolder()
{
    std::error_code ignored;
    fs::remove_all(m_path, ignored);
}

fs::path ScratchFolder::write(const char* name, std::string_view content) const
{
    const fs::path file = m_path / name;
    std::ofstream(file, std::ios::binary | std::ios::trunc) << content;
    return file;
}

} // namespace trainyard
