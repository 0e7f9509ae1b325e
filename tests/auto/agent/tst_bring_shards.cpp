#include <QDir>
#include <QTemporaryDir>
#include <QTest>

#include "engine/base/file.h"
#include "engine/checkpoint/format/checkpoint_health.h"
#include "engine/checkpoint/format/manifest.h"
#include "engine/records/fence.h"
#include "remote/agent/runs/run_folder.h"
#include "remote/agent/supervise/bring_shards.h"
#include "remote/agent/supervise/launch_request.h"
#include "tests/support/checkpoint/small_checkpoint.h"

using namespace trainyard;
using namespace trainyard::agent;
namespace fs = std::filesystem;

namespace {

/// Stands for ssh: what a host has under /head/ is under /HOST/ here. A host of which there is a file
/// hangs-HOST sends nothing.
constexpr const char* kShellToOtherFolder = "#!/bin/sh\nhost=$1\nshift\n"
                                            "[ -e \"${0%/shell}/hangs-$host\" ] && exec sleep 300\n"
                                            "echo \"$@\" | sed \"s#/head/#/$host/#\" | sh\n";

/// Of the hosts, with what a shell would take apart.
QString oddFolder()
{
    return QDir::tempPath() + "/it's $HOME here; XXXXXX";
}

} // namespace

/// The head of a run whose hosts keep checkpoints on disks of their own.
class TestBringShards : public QObject {
    Q_OBJECT

private slots:
    void init()
    {
        m_place = std::make_unique<QTemporaryDir>(oddFolder());
        m_shell = std::make_unique<QTemporaryDir>(); // mpirun takes no blanks in such a command
        QVERIFY(publishSmallCheckpoint(run().checkpoints(), 8, 3).ok());
        auto manifest = CheckpointManifest::load(checkpoint() / "manifest.json").value();
        for (const std::string& shard : manifest.shards())
            manifest.places[shard] = {"c"};
        QVERIFY(writeFileAtomically(checkpoint() / "manifest.json", manifest.toJson()).ok());
        QVERIFY(writeFileAtomically(shell(), kShellToOtherFolder).ok());
        fs::permissions(shell(), fs::perms::owner_all);
        LaunchRequest request;
        request.bundle = std::string(64, 'a');
        request.nodes = {{"head", 1, 0, {}}, {"b", 1, 0, {}}, {"c", 1, 0, {}}};
        request.rsh = shell();
        QVERIFY(makeFolder(run().launchFile(1).parent_path()).ok());
        QVERIFY(writeFileAtomically(run().launchFile(1), toJson(request)).ok());
        QVERIFY(Fence(run().path(), 1).raise().ok());
    }

    void bringsWhatOtherHostsHave()
    {
        moveTo("b", 1);
        moveTo("c", 2);
        QVERIFY(!verifyContent(checkpoint(), [] { return true; }).verified);
        const Status brought = bringShards(checkpoint());
        QVERIFY2(brought.ok(), brought.ok() ? "" : brought.error().text().c_str());
        QVERIFY(verifyContent(checkpoint(), [] { return true; }).verified);
    }

    void takesNoShardThatIsCutOff()
    {
        moveTo("b", 1);
        fs::copy(onHost("b", 1), onHost("c", 1));
        fs::resize_file(onHost("b", 1), 30);
        QVERIFY(bringShards(checkpoint()).ok());
        QVERIFY(verifyContent(checkpoint(), [] { return true; }).verified);
    }

    void takesNoShardWithAWrongBit()
    {
        moveTo("b", 1);
        fs::copy(onHost("b", 1), onHost("c", 1));
        flipLastByte(onHost("b", 1));
        QVERIFY(bringShards(checkpoint()).ok());
        QVERIFY(verifyContent(checkpoint(), [] { return true; }).verified);
    }

    void replacesAShardThatIsCutOffHere()
    {
        fs::copy(shard(1), onHost("c", 1));
        fs::resize_file(shard(1), 30);
        QVERIFY(bringShards(checkpoint()).ok());
        QVERIFY(verifyContent(checkpoint(), [] { return true; }).verified);
    }

    void passesOverAHostThatHangs()
    {
        moveTo("b", 1);
        fs::copy(onHost("b", 1), onHost("c", 1));
        QVERIFY(writeFileAtomically(shell().parent_path() / "hangs-b", {}).ok());
        QVERIFY(bringShards(checkpoint(), std::chrono::milliseconds(300)).ok());
        QVERIFY(verifyContent(checkpoint(), [] { return true; }).verified);
    }

    void removesWhatAKilledCopyLeft()
    {
        const fs::path left = checkpoint() / ".shard-0001-of-0003.safetensors.tmp-1-2";
        QVERIFY(writeFileAtomically(left, "half").ok());
        QVERIFY(bringShards(checkpoint()).ok());
        QVERIFY(!fs::exists(left));
    }

    void saysWhoHadAShardThatNobodyGives()
    {
        moveTo("b", 1);
        fs::remove(onHost("b", 1));
        const Status brought = bringShards(checkpoint());
        QVERIFY(!brought.ok());
        const QString text = QString::fromStdString(brought.error().text());
        for (const char* part : {"shard-0001-of-0003.safetensors is missing or damaged on this host; it was "
                                 "written on c, and no other host of the run gives it: b: ",
                                 "No such file or directory; c: "})
            QVERIFY2(text.contains(part), qPrintable(text));
        QCOMPARE(std::distance(fs::directory_iterator(checkpoint()), fs::directory_iterator()), 3);
    }

private:
    fs::path path() const { return m_place->path().toStdString(); }
    fs::path shell() const { return fs::path(m_shell->path().toStdString()) / "shell"; }
    static void flipLastByte(const fs::path& file)
    {
        auto content = readFile(file);
        QVERIFY(content.ok());
        content->back() ^= 1;
        QVERIFY(writeFileAtomically(file, *content).ok());
    }
    RunFolder run() const { return RunFolder(path() / "head" / "runs" / "r"); }
    fs::path checkpoint() const { return run().checkpoints() / "step-000000008"; }
    fs::path shard(int index) const
    {
        return checkpoint() / ("shard-000" + std::to_string(index) + "-of-0003.safetensors");
    }
    fs::path onHost(const std::string& host, int index) const
    {
        const fs::path file = path() / host / fs::relative(shard(index), path() / "head");
        fs::create_directories(file.parent_path());
        return file;
    }
    void moveTo(const std::string& host, int index) const { fs::rename(shard(index), onHost(host, index)); }

    std::unique_ptr<QTemporaryDir> m_place;
    std::unique_ptr<QTemporaryDir> m_shell;
};

QTEST_GUILESS_MAIN(TestBringShards)
#include "tst_bring_shards.moc"
