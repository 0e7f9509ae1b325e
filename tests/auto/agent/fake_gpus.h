#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <QTemporaryDir>
#include <QtGlobal>

#include "engine/base/file.h"

/// An nvidia-smi that tells of two free GPUs, GPU-a and GPU-b, first in PATH for this process and those that
/// it starts. Processes on them are lines of --query-compute-apps.
class FakeGpus {
public:
    FakeGpus() : m_path(qgetenv("PATH"))
    {
        const std::string script = "#!/bin/sh\ncase $1 in\n*compute-apps*) cat '" + apps().string() +
                                   "' ;;\n*name*) "
                                   "echo '0, Fake, GPU-a, 580.65.06, 9.0, 81920, 0, 0'\n"
                                   "echo '1, Fake, GPU-b, 580.65.06, 9.0, 81920, 0, 0' ;;\nesac\n";
        show({});
        const auto program = std::filesystem::path(m_folder.path().toStdString()) / "nvidia-smi";
        if (trainyard::writeFileAtomically(program, script).ok())
            std::filesystem::permissions(program, std::filesystem::perms::owner_all);
        qputenv("PATH", m_folder.path().toUtf8() + ':' + m_path);
    }
    ~FakeGpus() { qputenv("PATH", m_path); }
    FakeGpus(const FakeGpus&) = delete;
    FakeGpus& operator=(const FakeGpus&) = delete;

    /// From now on these processes are on GPUs: "GPU-a, 4711, 31949, /usr/bin/python3".
    bool show(const std::vector<std::string>& lines) const
    {
        std::string text;
        for (const std::string& line : lines)
            text += line + '\n';
        return trainyard::writeFileAtomically(apps(), text).ok();
    }

private:
    std::filesystem::path apps() const
    {
        return std::filesystem::path(m_folder.path().toStdString()) / "apps";
    }

    QTemporaryDir m_folder;
    QByteArray m_path;
};
