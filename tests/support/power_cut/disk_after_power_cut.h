#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace trainyard::support {

/// What of a folder is left when the power fails, for every moment that disk_recorder recorded. What was
/// there when the recording began is durable. Bytes survive when their file was synced after they were
/// written. Of names the standard promises only those of synced folders; most file systems keep more.
class DiskAfterPowerCut {
public:
    enum class Names {
        Synced, ///< as the folder was when it was last synced
        All,    ///< as they were at the moment of the cut; files that were not synced are empty
    };

    /// `disk`: a copy of the folder as it was when the recording began. `record`: of disk_recorder.
    DiskAfterPowerCut(std::filesystem::path disk, const std::filesystem::path& record);

    /// Moments of a cut: behind the n-th sync, n = 0 to syncs().
    int syncs() const { return int(m_moments.size()) - 1; }
    /// Makes the folder `to` what is left. It must not exist.
    void restore(int moment, Names names, const std::filesystem::path& to) const;

private:
    struct File {
        std::uint64_t inode = 0;
        bool isFolder = false;
        std::string name;
    };
    using Tree = std::map<std::uint64_t, std::vector<File>>; ///< by the folder's inode
    struct Moment {
        Tree tree;
        File synced;
        std::filesystem::path data; ///< of the synced file
    };

    static Tree readTree(const std::filesystem::path& file);
    std::vector<File> filesIn(std::uint64_t folder, int moment, Names names) const;
    void restoreFolder(std::uint64_t folder, int moment, Names names, const std::filesystem::path& from,
                       const std::filesystem::path& to) const;
    void restoreFile(std::uint64_t file, int moment, const std::filesystem::path& from,
                     const std::filesystem::path& to) const;

    std::filesystem::path m_disk;
    std::vector<Moment> m_moments;
    std::set<std::uint64_t> m_old; ///< files that were there in the beginning
};

} // namespace trainyard::support
