#pragma once

#include <filesystem>
#include <string>

#include "engine/base/file.h"

/// A program `crontab` that keeps the user's table in a file beside it.
class FileCrontab {
public:
    /// The folder exists.
    explicit FileCrontab(std::filesystem::path folder) : m_folder(std::move(folder))
    {
        const std::string file = table().string();
        writeProgram("[ \"$1\" = -r ] && exec rm " + file + "\n[ \"$1\" = -l ] || exec cp \"$1\" " + file +
                     "\n[ -f " + file + " ] && exec cat " + file + "\necho no crontab for me >&2\nexit 1\n");
    }

    /// Instead of what it does.
    void writeProgram(const std::string& commands) const
    {
        std::filesystem::remove(program());
        (void)trainyard::writeFileAtomically(program(), "#!/bin/sh\n" + commands);
        std::filesystem::permissions(program(), std::filesystem::perms::owner_all);
    }
    std::filesystem::path program() const { return m_folder / "crontab"; }
    std::filesystem::path table() const { return m_folder / "table"; }
    /// Empty when the user has none.
    std::string text() const
    {
        const auto table = trainyard::readFile(this->table());
        return table.ok() ? *table : std::string();
    }

private:
    std::filesystem::path m_folder;
};
