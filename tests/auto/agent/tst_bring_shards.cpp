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

/// Stands for ssh: what a host has under /head/ is under /HOST/ here.
constexpr const char* kShellToOtherFolder = "#!/bin/sh\nhost=$1\nshift\n"
                                            "echo \"$@\" | sed \"s#/head/#/$host/#\" | sh\n";

} // namespace

/// The head of a run whose hosts keep checkpoints on disks of their own.
class TestBringShards : public QObject {
    Q_OBJECT

private slots:
    void init()
    {
        m_place = std::make_unique<QTemporaryDir>();
        QVERIFY(publishSmallCheckpoint(run().checkpoints(), 8, 3).ok());
        auto manifest = CheckpointManifest::load(checkpoint() / "manifest.json").value();
        for (const std::string& shard : manifest.shards())
            manifest.places[shard] = {"c"};
        QVERIFY(writeFileAtomically(checkpoint() / "manifest.json", manifest.toJson()).ok());
        QVERIFY(writeFileAtomically(path() / "shell", kShellToOtherFolder).ok());
        fs::permissions(path() / "shell", fs::perms::owner_all);
        LaunchRequest request;
        request.bundle = std::string(64, 'a');
        request.nodes = {{"head", 1, 0, {}}, {"b", 1, 0, {}}, {"c", 1, 0, {}}};
        request.rsh = path() / "shell";
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

    void saysWhoHadAShardThatNobodyGives()
    {
        moveTo("b", 1);
        fs::remove(onHost("b", 1));
        const Status brought = bringShards(checkpoint());
        QVERIFY(!brought.ok());
        const QString text = QString::fromStdString(brought.error().text());
        QVERIFY2(text.contains("shard-0001-of-0003.safetensors is not on this host: it was written on c"),
                 qPrintable(text));
        QCOMPARE(std::distance(fs::directory_iterator(checkpoint()), fs::directory_iterator()), 3);
    }

private:
    fs::path path() const { return m_place->path().toStdString(); }
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
};

QTEST_GUILESS_MAIN(TestBringShards)
#include "tst_bring_shards.moc"
