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
    /// Of which age its driver is: an old one ends when it is asked for a field that it does not know.
    enum class Driver { Present, Earlier, Old };

    explicit FakeGpus(Driver driver = Driver::Present) : m_path(qgetenv("PATH"))
    {
        const char* unknown = driver == Driver::Present   ? "no_such_field"
                              : driver == Driver::Earlier ? "clocks_event_reasons"
                                                          : "ecc.errors";
        show({});
        install(std::string("#!/bin/sh\nunknown=") + unknown + "\napps='" + apps().string() + "'\n" +
                kScript);
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
    /// A loop prints a sample of GPU-b. Links count on: each answer is one MiB more.
    static constexpr const char* kScript = R"sh(
case $1 in
*compute-apps*) cat "$apps" ;;
*query-gpu*$unknown*) echo "Field \"$unknown\" is not a valid field to query."; exit 2 ;;
*query-gpu*temperature.gpu*)
    case $1 in
    *ecc.errors*) line="1, 512, 81920, 97, 64, 412.50, 3, 1, GPU-b, 71, 700.00, 1200, 1980, 0x0000000000000020" ;;
    *) line="1, 512, 81920, 97, 64, 412.50" ;;
    esac
    while echo "$line"; do sleep 0.05; done ;;
*query-gpu*name*)
    echo '0, Fake, GPU-a, 580.65.06, 9.0, 81920, 0, 0'
    echo '1, Fake, GPU-b, 580.65.06, 9.0, 81920, 0, 0' ;;
nvlink)
    echo 'GPU 1: Fake (UUID: GPU-b)'
    case $2 in
    --errorcounters) echo '	 Link 0: Replay Errors: 4' ;;
    *)
        echo . >> "$apps.links"
        kib=$(($(wc -l < "$apps.links") * 1024))
        echo "	 Link 0: Data Tx: $kib KiB"
        echo "	 Link 0: Data Rx: $kib KiB" ;;
    esac ;;
esac
)sh";

    void install(const std::string& script)
    {
        const auto program = std::filesystem::path(m_folder.path().toStdString()) / "nvidia-smi";
        if (trainyard::writeFileAtomically(program, script).ok())
            std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    }
    std::filesystem::path apps() const
    {
        return std::filesystem::path(m_folder.path().toStdString()) / "apps";
    }

    QTemporaryDir m_folder;
    QByteArray m_path;
};
