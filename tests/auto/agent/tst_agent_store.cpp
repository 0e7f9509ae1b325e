#include <QTemporaryDir>
#include <QTest>

#include <fstream>
#include <mutex>
#include <optional>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

#include "engine/base/hash.h"
#include "remote/agent/serve/upload.h"
#include "remote/agent/store/block_sums.h"
#include "remote/agent/store/bundle_store.h"
#include "remote/agent/store/part_file.h"
#include "tests/auto/agent/agent_client.h"
#include "tests/support/patience.h"

using namespace trainyard;
using namespace trainyard::agent;
using nlohmann::json;

namespace {

std::string content(std::size_t size, unsigned seed = 1)
{
    std::string bytes(size, '\0');
    for (char& byte : bytes) {
        seed = seed * 1664525u + 1013904223u;
        byte = static_cast<char>(seed >> 24);
    }
    return bytes;
}

std::string storeErrorOf(const json& reply)
{
    return reply.is_object() && reply.contains("error") ? reply["error"].value("message", "") : "";
}

json putRequest(const std::string& hash, std::size_t size, std::size_t offset = 0)
{
    return {{"op", "put"}, {"sha256", hash}, {"size", size}, {"offset", offset}};
}

/// Sends bytes as a well-behaved client does: never more than the window beyond what was acknowledged.
void sendWithinWindow(AgentClient& agent, std::uint32_t id, std::string_view bytes)
{
    for (std::size_t sent = 0; sent < bytes.size() && !agent.hasReply(id);) {
        if (sent + kUploadChunk > agent.received(id) + kUploadWindow) {
            agent.takeChunks(0, 1, std::chrono::milliseconds(20)); // lets acknowledgements in
            continue;
        }
        agent.sendChunk(id, bytes.substr(sent, kUploadChunk));
        sent += kUploadChunk;
    }
}

json upload(AgentClient& agent, const std::string& bytes, std::size_t offset = 0)
{
    const auto id = agent.send(putRequest(sha256Hex(bytes), bytes.size(), offset));
    sendWithinWindow(agent, id, std::string_view(bytes).substr(offset));
    return agent.waitForReply(id);
}

std::uint64_t haveBytes(AgentClient& agent, const std::string& hash)
{
    json request{{"op", "have"}};
    request["sha256"].push_back(hash);
    const json missing = agent.call(request)["missing"];
    return missing.empty() ? UINT64_MAX : missing[0].value("have_bytes", std::uint64_t{0});
}

json bundleFile(const std::string& path, const std::string& hash, const std::string& mode = "0644")
{
    json file;
    file["path"] = path;
    file["mode"] = mode;
    file["sha256"] = hash;
    return file;
}

} // namespace

class TestAgentStore : public QObject {
    Q_OBJECT

private slots:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_agent = std::make_unique<AgentClient>(root());
    }
    void cleanup() { m_agent.reset(); }

    void storesABlobUnderItsHash_data()
    {
        QTest::addColumn<int>("size");
        for (const int size : {0, 1, 65'536, 1'048'576, 9'000'001})
            QTest::addRow("%d bytes", size) << size;
    }
    void storesABlobUnderItsHash()
    {
        QFETCH(int, size);
        const std::string bytes = content(static_cast<std::size_t>(size));
        const json reply = upload(*m_agent, bytes);
        QVERIFY2(reply.value("stored", false), reply.dump().c_str());
        const BlobStore store(root());
        QVERIFY(readFile(store.blob(sha256Hex(bytes))).value() == bytes);
        QCOMPARE(haveBytes(*m_agent, sha256Hex(bytes)), UINT64_MAX);
        QVERIFY(!std::filesystem::exists(store.partial(sha256Hex(bytes))));
        QVERIFY(!std::filesystem::exists(store.sums(sha256Hex(bytes))));
        QVERIFY(upload(*m_agent, bytes).value("stored", false)); // again: nothing to do, no error
    }

    void anUploadBecomesAFileOfARun()
    {
        const std::string bytes = content(70'000);
        const std::string hash = sha256Hex(bytes);
        QVERIFY(makeFolder(root() / "runs/r").ok());
        QVERIFY(upload(*m_agent, bytes).value("stored", false));
        const auto place = [&](const char* name) {
            return m_agent->call({{"op", "place"}, {"run", "r"}, {"sha256", hash}, {"file", name}});
        };
        for (const char* outside :
             {"../elsewhere", "/etc/elsewhere", "documents/../../elsewhere", ".hidden", ""})
            QVERIFY2(!place(outside).value("ok", true), outside);
        QVERIFY(place("documents/content").value("ok", false));
        QVERIFY(readFile(root() / "runs/r/documents/content").value() == bytes);
        QCOMPARE(haveBytes(*m_agent, hash), std::uint64_t(0)); // it went out of the store
        QVERIFY(!place("documents/content").value("ok", true));
    }

    void goesOnAfterALostConnection()
    {
        const std::string bytes = content(6'500'000);
        const std::string hash = sha256Hex(bytes);
        breakUpload(bytes, 3'300'000);
        QCOMPARE(haveBytes(*m_agent, hash), 3 * kMiB);
        QVERIFY(upload(*m_agent, bytes, 3 * kMiB).value("stored", false));
        QVERIFY(readFile(BlobStore(root()).blob(hash)).value() == bytes);
    }

    void doesNotTrustADamagedPart_data()
    {
        QTest::addColumn<int>("flipped");
        QTest::addColumn<int>("trusted");
        QTest::addRow("in the first block") << 17 << 0;
        QTest::addRow("in the second block") << 1'048'577 << 1;
        QTest::addRow("in the tail") << 3'200'000 << 3;
    }
    void doesNotTrustADamagedPart()
    {
        QFETCH(int, flipped);
        QFETCH(int, trusted);
        const std::string bytes = content(6'500'000);
        const std::string hash = sha256Hex(bytes);
        breakUpload(bytes, 3'300'000);
        std::fstream part(BlobStore(root()).partial(hash), std::ios::in | std::ios::out | std::ios::binary);
        part.seekp(flipped);
        part.put(static_cast<char>(bytes[static_cast<std::size_t>(flipped)] ^ 1));
        part.close();
        const std::uint64_t have = haveBytes(*m_agent, hash);
        QCOMPARE(have, static_cast<std::uint64_t>(trusted) * kMiB);
        QVERIFY(upload(*m_agent, bytes, have).value("stored", false));
        QVERIFY(readFile(BlobStore(root()).blob(hash)).value() == bytes);
    }

    /// As a connection ends that breaks: the agent sees the end of its input.
    void goesOnFromTheVeryByteWhenTheAgentCouldLeave()
    {
        const std::string bytes = content(3'400'000);
        const std::string hash = sha256Hex(bytes);
        for (const std::size_t part : {1'300'000u, 2'500'001u}) {
            const std::uint64_t have = haveBytes(*m_agent, hash);
            const auto id = m_agent->send(putRequest(hash, bytes.size(), have));
            sendWithinWindow(*m_agent, id, std::string_view(bytes).substr(have, part - have));
            while (m_agent->received(id) < part - have)
                m_agent->takeChunks(0, 1, std::chrono::milliseconds(20));
            m_agent->leave();
            m_agent = std::make_unique<AgentClient>(root());
            QCOMPARE(haveBytes(*m_agent, hash), std::uint64_t{part});
        }
        QVERIFY(upload(*m_agent, bytes, 2'500'001).value("stored", false));
        QVERIFY(readFile(BlobStore(root()).blob(hash)).value() == bytes);
    }

    void findsADamagedBlobAndTakesItAgain_data()
    {
        QTest::addColumn<QByteArray>("damage");
        QTest::addRow("bit flipped") << QByteArray("flip");
        QTest::addRow("truncated") << QByteArray("cut");
        QTest::addRow("emptied") << QByteArray("empty");
    }
    void findsADamagedBlobAndTakesItAgain()
    {
        QFETCH(QByteArray, damage);
        const auto [request, id] = twoFileBundle();
        QVERIFY(m_agent->call(request).value("created", false));
        const std::filesystem::path blob = BlobStore(root()).blob(sha256Hex("data"));
        std::filesystem::permissions(blob, std::filesystem::perms::owner_all);
        std::ofstream(blob, std::ios::binary) << (damage == "flip" ? "dat`" : damage == "cut" ? "da" : "");
        QCOMPARE(haveBytes(*m_agent, sha256Hex("data")), std::uint64_t{0});
        QVERIFY(storeErrorOf(m_agent->call(request)).find("lib/data is missing") != std::string::npos);
        QVERIFY(upload(*m_agent, "data").value("stored", false));
        QCOMPARE(m_agent->call(request).value("created", true), false);
        QCOMPARE(readFile(root() / "bundles" / id / "lib" / "data").value(), std::string("data"));
        QCOMPARE(std::filesystem::hard_link_count(root() / "bundles" / id / "lib" / "data"), 2u);
    }

    void aBlobThatOnlyLooksTouchedStays()
    {
        QVERIFY(upload(*m_agent, "data").value("stored", false));
        const std::filesystem::path blob = BlobStore(root()).blob(sha256Hex("data"));
        std::filesystem::last_write_time(blob, std::filesystem::file_time_type::clock::now());
        QVERIFY(!isSealed(blob));
        QCOMPARE(haveBytes(*m_agent, sha256Hex("data")), UINT64_MAX);
        QVERIFY(isSealed(blob));
    }

    void placesAgainWhatIsMissingInABundle()
    {
        const auto [request, id] = twoFileBundle();
        QVERIFY(m_agent->call(request).value("created", false));
        std::filesystem::remove_all(root() / "bundles" / id / "bin");
        QCOMPARE(m_agent->call(request).value("created", true), false);
        QCOMPARE(readFile(root() / "bundles" / id / "bin" / "tool").value(), std::string("#!/bin/sh\n"));
    }

    void takesWhatTheMachineHasElsewhere()
    {
        const std::string library = content(3'000'000), other = content(3'000'000, 2);
        const std::filesystem::path elsewhere = root() / "wheel";
        QVERIFY(makeFolder(elsewhere).ok());
        QVERIFY(writeFileAtomically(elsewhere / "libtorch_cpu-1.so", library).ok());
        std::filesystem::create_symlink("libtorch_cpu-1.so", elsewhere / "libtorch_cpu.so");
        QVERIFY(writeFileAtomically(elsewhere / "libc10.so", other).ok()); // the right size, another content
        qputenv("TRAINYARD_LIBRARIES", ("/nonexistent:" + elsewhere.string()).c_str());
        AgentClient agent(root() / "agent");
        qunsetenv("TRAINYARD_LIBRARIES");
        const auto wanted = [](const char* name, const std::string& bytes) {
            return json{{"name", name}, {"size", bytes.size()}, {"sha256", sha256Hex(bytes)}};
        };
        json request{{"op", "adopt"}};
        request["files"] = {wanted("libtorch_cpu.so", library), wanted("libc10.so", content(3'000'000, 3))};
        QCOMPARE(agent.call(request)["adopted"].dump(), json::array({sha256Hex(library)}).dump());
        const BlobStore store(root() / "agent");
        QVERIFY(readFile(store.blob(sha256Hex(library))).value() == library);
        QCOMPARE(std::filesystem::hard_link_count(store.blob(sha256Hex(library))), 1u);
        QVERIFY(!store.verifyOrRemove(sha256Hex(content(3'000'000, 3))));
        request["files"] = {wanted("../wheel/libc10.so", other)};
        QVERIFY(storeErrorOf(agent.call(request)).find("not a valid file name") != std::string::npos);
    }

    void tellsWhoseMarksAreHere()
    {
        const std::string own(32, 'a'), other(32, 'b'), third(32, 'c');
        json request{{"op", "mark"}, {"mark", own}, {"others", {own, other, third}}};
        QCOMPARE(m_agent->call(request)["seen"].size(), std::size_t{0});
        request["mark"] = other;
        QCOMPARE(m_agent->call(request)["seen"].dump(), json::array({own}).dump());
        AgentClient elsewhere(root() / "elsewhere");
        request["mark"] = third;
        QCOMPARE(elsewhere.call(request)["seen"].size(), std::size_t{0});
        request["mark"] = "../../" + std::string(26, 'a');
        QVERIFY(!storeErrorOf(m_agent->call(request)).empty());
    }

    void saysWhatTheDiskHas()
    {
        const json disk = m_agent->call({{"op", "have"}, {"sha256", json::array()}})["disk"];
        QVERIFY(disk.value("free", 0.0) > 0);
        QCOMPARE(disk.value("path", ""), std::filesystem::canonical(root()).string());
    }

    void refusesAnOffsetThatIsNotThere()
    {
        const std::string bytes = content(3'000'000);
        QVERIFY(storeErrorOf(upload(*m_agent, bytes, kMiB)).find("only 0 of the first 1048576") !=
                std::string::npos);
        QVERIFY(upload(*m_agent, bytes).value("stored", false));
    }

    void refusesBytesThatHashToSomethingElse()
    {
        const std::string hash = sha256Hex("the right bytes");
        const auto id = m_agent->send(putRequest(hash, 15));
        m_agent->sendChunk(id, "the wrong bytes");
        QVERIFY(storeErrorOf(m_agent->waitForReply(id)).find("hash to") != std::string::npos);
        QCOMPARE(haveBytes(*m_agent, hash), 0u);
    }

    void refusesMoreThanWasPromised()
    {
        const auto id = m_agent->send(putRequest(sha256Hex("abc"), 3));
        m_agent->sendChunk(id, "abcd");
        QVERIFY(storeErrorOf(m_agent->waitForReply(id)).find("received more bytes") != std::string::npos);
    }

    /// With a store that is busy, so that nothing is acknowledged while the chunks come.
    void refusesAClientThatIgnoresTheWindow()
    {
        std::mutex busy;
        std::optional<Status> end;
        WorkQueue work(1);
        const std::unique_lock hold(busy);
        work.run([&] { const std::lock_guard wait(busy); }, [] {});
        const auto upload = std::make_shared<Upload>(
            BlobStore(root()), BlobUpload{sha256Hex("x"), 1'000'000'000, 0}, work,
            Upload::Callbacks{[](std::uint64_t) {}, [&](const Status& status) { end = status; }});
        upload->begin();
        upload->take(std::string(kUploadWindow, 'x'));
        QVERIFY(!end);
        upload->take("x");
        QVERIFY(end && !end->ok());
        QVERIFY2(end->error().message.find("without an acknowledgement") != std::string::npos,
                 end->error().message.c_str());
    }

    void workApartHoldsUpNoOther()
    {
        std::mutex busy;
        QStringList ended;
        WorkQueue work(1);
        std::unique_lock hold(busy);
        QVERIFY(work.runApart([&] { const std::lock_guard wait(busy); }, [&] { ended << "apart"; }));
        work.run([] {}, [&] { ended << "queued"; });
        const auto endedSoFar = [&] {
            work.finish();
            return ended;
        };
        AWAIT_EQUAL(endedSoFar(), QStringList{"queued"});
        hold.unlock();
        AWAIT_EQUAL(endedSoFar(), (QStringList{"queued", "apart"}));
    }

    void survivesAClientThatIgnoresTheWindow()
    {
        const auto id = m_agent->send(putRequest(sha256Hex("x"), 1'000'000'000));
        const std::string chunk(kMaxPayload, 'x');
        for (int i = 0; i < 64; ++i)
            m_agent->sendChunk(id, chunk);
        QCOMPARE(m_agent->call({{"op", "ping"}}).value("ok", false), true);
    }

    void twoUploadsOfOneBlobBothSucceed()
    {
        for (unsigned round = 0; round < 20; ++round) {
            const std::string bytes = content(1'500'000, round + 1);
            AgentClient other(root());
            json replies[2];
            std::thread first([&] { replies[0] = upload(*m_agent, bytes); });
            std::thread second([&] { replies[1] = upload(other, bytes); });
            first.join();
            second.join();
            QVERIFY2(replies[0].value("stored", false), replies[0].dump().c_str());
            QVERIFY2(replies[1].value("stored", false), replies[1].dump().c_str());
            QVERIFY(readFile(BlobStore(root()).blob(sha256Hex(bytes))).value() == bytes);
        }
        for (const auto& entry : std::filesystem::recursive_directory_iterator(root() / "cas"))
            QVERIFY2(entry.is_directory() || isSha256(entry.path().filename().string()),
                     entry.path().c_str());
    }

    void assemblesABundleOfLinks()
    {
        const auto [request, id] = twoFileBundle();
        QCOMPARE(m_agent->call(request).value("created", false), true);
        QCOMPARE(m_agent->call(request).value("created", true), false);
        const auto folder = root() / "bundles" / id;
        QCOMPARE(readFile(folder / "bin" / "tool").value(), std::string("#!/bin/sh\n"));
        QVERIFY(::access((folder / "bin" / "tool").c_str(), X_OK) == 0);
        QCOMPARE(std::filesystem::hard_link_count(folder / "lib" / "data"), 2u);
        QCOMPARE(m_agent->call({{"op", "bundles"}})["bundles"].dump(), "[\"" + id + "\"]");
    }

    void racingAssembliesMakeOneBundle()
    {
        const auto [request, id] = twoFileBundle();
        AgentClient other(root());
        for (int round = 0; round < 50; ++round) {
            std::filesystem::remove_all(root() / "bundles" / id);
            const auto a = m_agent->send(request);
            const auto b = other.send(request);
            const json first = m_agent->waitForReply(a);
            const json second = other.waitForReply(b);
            QVERIFY2(first.value("ok", false) && second.value("ok", false),
                     (first.dump() + second.dump()).c_str());
            QVERIFY(first.value("created", false) != second.value("created", false));
            QCOMPARE(std::distance(std::filesystem::directory_iterator(root() / "bundles"), {}), 1);
        }
    }

    void makesNoBundleOutOfItsFolder_data()
    {
        QTest::addColumn<QString>("path");
        for (const char* path : {"../../evil", "/tmp/evil", "bin/../../../evil", "", "bin//evil"})
            QTest::addRow("%s", path) << QString(path);
    }
    void makesNoBundleOutOfItsFolder()
    {
        QFETCH(QString, path);
        upload(*m_agent, "evil");
        json request{{"op", "assemble"}, {"bundle", std::string(64, 'a')}};
        request["files"].push_back(bundleFile(path.toStdString(), sha256Hex("evil")));
        QVERIFY(!storeErrorOf(m_agent->call(request)).empty());
        QVERIFY(!std::filesystem::exists(root() / "bundles" / std::string(64, 'a')));
        QVERIFY(!std::filesystem::exists(root() / "evil"));
    }

    void refusesABundleThatIsNotWhatItsIdSays()
    {
        auto [request, id] = twoFileBundle();
        request["bundle"] = std::string(64, '0');
        QVERIFY(storeErrorOf(m_agent->call(request)).find("does not match its files") != std::string::npos);
        request["bundle"] = id;
        request["files"][0]["mode"] = "4755";
        QVERIFY(storeErrorOf(m_agent->call(request)).find("mode") != std::string::npos);
    }

    void leavesNothingOfABundleWithAMissingBlob()
    {
        json request{{"op", "assemble"}};
        request["files"].push_back(bundleFile("bin/tool", sha256Hex("never sent")));
        request["bundle"] = bundleId({{"bin/tool", false, sha256Hex("never sent")}}).value();
        QVERIFY(storeErrorOf(m_agent->call(request)).find("bin/tool is missing") != std::string::npos);
        QVERIFY(!std::filesystem::exists(root() / "bundles"));
    }

    void aFullDiskIsSaidInBytesAndHurtsNothing()
    {
        // A small disk of our own in a mount namespace of our own: nobody else sees it.
        if (::unshare(CLONE_NEWNS) != 0 || ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0)
            QSKIP("needs the right to make a mount namespace");
        QTemporaryDir disk;
        const std::filesystem::path path = disk.path().toStdString();
        QCOMPARE(::mount("tmpfs", path.c_str(), "tmpfs", 0, "size=6m"), 0);
        {
            AgentClient agent(path);
            QVERIFY(upload(agent, content(3'000'000, 1)).value("stored", false));
            const std::string error = storeErrorOf(upload(agent, content(5'000'000, 2)));
            QVERIFY2(error.find("needs 4.77 MiB (5000000 bytes), free 3.1") != std::string::npos,
                     error.c_str());
            QCOMPARE(haveBytes(agent, sha256Hex(content(3'000'000, 1))), UINT64_MAX);
            QCOMPARE(haveBytes(agent, sha256Hex(content(5'000'000, 2))), 0u);
            QVERIFY(upload(agent, content(2'000'000, 3)).value("stored", false));
        }
        ::umount(path.c_str());
    }

    void aDiskThatFillsUpDuringTheUploadKeepsWhatIsThere()
    {
        if (::unshare(CLONE_NEWNS) != 0 || ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0)
            QSKIP("needs the right to make a mount namespace");
        QTemporaryDir disk;
        const std::filesystem::path path = disk.path().toStdString();
        QCOMPARE(::mount("tmpfs", path.c_str(), "tmpfs", 0, "size=8m"), 0);
        {
            AgentClient agent(path);
            const std::string bytes = content(6'000'000);
            const auto id = agent.send(putRequest(sha256Hex(bytes), bytes.size()));
            sendWithinWindow(agent, id, std::string_view(bytes).substr(0, 2'500'000));
            while (agent.received(id) < 2'500'000)
                agent.takeChunks(0, 1, std::chrono::milliseconds(20));
            QVERIFY(writeFileAtomically(path / "other", content(5'000'000)).ok());
            sendWithinWindow(agent, id, std::string_view(bytes).substr(2'500'000));
            QVERIFY(storeErrorOf(agent.waitForReply(id)).find("no space left") != std::string::npos);
            std::filesystem::remove(path / "other");
            const std::uint64_t have = haveBytes(agent, sha256Hex(bytes));
            QVERIFY(have >= 2 * kMiB && have != UINT64_MAX);
            QVERIFY(upload(agent, bytes, have).value("stored", false));
        }
        ::umount(path.c_str());
    }

private:
    std::filesystem::path root() const { return m_folder->path().toStdString(); }

    /// Sends a part of a blob, and then the connection is gone.
    void breakUpload(const std::string& bytes, std::size_t part)
    {
        const auto id = m_agent->send(putRequest(sha256Hex(bytes), bytes.size()));
        sendWithinWindow(*m_agent, id, std::string_view(bytes).substr(0, part));
        while (m_agent->received(id) < part)
            m_agent->takeChunks(0, 1, std::chrono::milliseconds(20));
        m_agent->kill();
        m_agent = std::make_unique<AgentClient>(root());
    }

    std::pair<json, std::string> twoFileBundle()
    {
        upload(*m_agent, "#!/bin/sh\n");
        upload(*m_agent, "data");
        const std::string id =
            bundleId({{"bin/tool", true, sha256Hex("#!/bin/sh\n")}, {"lib/data", false, sha256Hex("data")}})
                .value();
        json request{{"op", "assemble"}, {"bundle", id}};
        request["files"].push_back(bundleFile("bin/tool", sha256Hex("#!/bin/sh\n"), "0755"));
        request["files"].push_back(bundleFile("lib/data", sha256Hex("data")));
        return {request, id};
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<AgentClient> m_agent;
};

QTEST_GUILESS_MAIN(TestAgentStore)
#include "tst_agent_store.moc"
