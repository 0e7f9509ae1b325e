#include "tests/support/power_cut/disk_after_power_cut.h"

#include <fstream>
#include <sstream>

namespace trainyard::support {

namespace fs = std::filesystem;

DiskAfterPowerCut::DiskAfterPowerCut(fs::path disk, const fs::path& record) : m_disk(std::move(disk))
{
    for (int n = 0; fs::exists(record / (std::to_string(n) + ".tree")); ++n) {
        const std::string number = std::to_string(n);
        Moment moment;
        moment.tree = readTree(record / (number + ".tree"));
        moment.data = record / (number + ".data");
        char kind = 0;
        std::ifstream(record / (number + ".synced")) >> moment.synced.inode >> kind;
        moment.synced.isFolder = kind == 'd';
        m_moments.push_back(std::move(moment));
    }
    for (const auto& [folder, files] : m_moments.front().tree) {
        for (const File& file : files)
            m_old.insert(file.inode);
    }
}

DiskAfterPowerCut::Tree DiskAfterPowerCut::readTree(const fs::path& file)
{
    Tree tree;
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);) {
        std::istringstream words(line);
        std::uint64_t folder = 0;
        char kind = 0;
        File entry;
        words >> folder >> entry.inode >> kind >> std::ws;
        std::getline(words, entry.name);
        entry.isFolder = kind == 'd';
        tree[folder].push_back(entry);
    }
    return tree;
}

std::vector<DiskAfterPowerCut::File> DiskAfterPowerCut::filesIn(std::uint64_t folder, int moment,
                                                                Names names) const
{
    int known = names == Names::All ? moment : 0;
    for (int n = 1; n <= moment && names == Names::Synced; ++n) {
        if (m_moments[std::size_t(n)].synced.inode == folder)
            known = n;
    }
    const Tree& tree = m_moments[std::size_t(known)].tree;
    const auto found = tree.find(folder);
    return found == tree.end() ? std::vector<File>() : found->second;
}

void DiskAfterPowerCut::restoreFile(std::uint64_t file, int moment, const fs::path& from,
                                    const fs::path& to) const
{
    for (int n = moment; n > 0; --n) {
        if (m_moments[std::size_t(n)].synced.inode == file) {
            fs::copy_file(m_moments[std::size_t(n)].data, to);
            return;
        }
    }
    if (m_old.contains(file))
        fs::copy_file(from, to);
    else
        std::ofstream{to};
}

void DiskAfterPowerCut::restoreFolder(std::uint64_t folder, int moment, Names names, const fs::path& from,
                                      const fs::path& to) const
{
    fs::create_directory(to);
    for (const File& file : filesIn(folder, moment, names)) {
        if (file.isFolder)
            restoreFolder(file.inode, moment, names, from / file.name, to / file.name);
        else
            restoreFile(file.inode, moment, from / file.name, to / file.name);
    }
}

void DiskAfterPowerCut::restore(int moment, Names names, const fs::path& to) const
{
    const File& root = m_moments.front().tree.at(0).front();
    restoreFolder(root.inode, moment, names, m_disk, to);
}

} // namespace trainyard::support
