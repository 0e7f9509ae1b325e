#include <QTest>

#include "remote/wire/agent_folder.h"
#include "remote/wire/bundle_manifest.h"
#include "remote/wire/frame.h"
#include "remote/wire/greeting.h"

using namespace trainyard;

namespace {

struct OwnedFrame {
    std::uint32_t request;
    std::string payload;
};

std::vector<OwnedFrame> parsed(FrameParser& parser, std::string_view bytes)
{
    parser.feed(bytes);
    std::vector<OwnedFrame> frames;
    while (const auto frame = parser.next().value())
        frames.push_back({frame->request, std::string(frame->payload)});
    return frames;
}

const std::string kHash(64, 'a');

} // namespace

class TestWire : public QObject {
    Q_OBJECT

private slots:
    void findsTheAgentsFolderAsTheHostsShellDoes()
    {
        const QByteArray home = qgetenv("HOME");
        const QByteArray folder = qgetenv("TRAINYARD_HOME");
        qputenv("HOME", "/home/ada");
        qputenv("TRAINYARD_HOME", "/scratch/ada");
        QCOMPARE(agentFolder().string(), std::string("/scratch/ada"));
        qputenv("TRAINYARD_HOME", ""); // ${TRAINYARD_HOME:-...}
        QCOMPARE(agentFolder().string(), std::string("/home/ada/.trainyard"));
        qputenv("HOME", home);
        folder.isNull() ? qunsetenv("TRAINYARD_HOME") : qputenv("TRAINYARD_HOME", folder);
    }

    void encodesTheWorkedExampleOfTheProtocolPage()
    {
        const std::string expected =
            std::string("\x14\0\0\0\x01\x3e\xd0\x40\x73", 9) + R"({"id":1,"op":"ping"})";
        QCOMPARE(encodeMessage(R"({"id":1,"op":"ping"})"), expected);
        QCOMPARE(encodeChunk(7, "abc"), std::string("\x03\0\0\0\x02\x07\0\0\0abc", 12));
    }

    void cutsTheSameFramesFromPiecesOfAnySize_data()
    {
        QTest::addColumn<int>("piece");
        for (const int piece : {1, 2, 9, 10, 1000, 700'000})
            QTest::addRow("%d bytes", piece) << piece;
    }
    void cutsTheSameFramesFromPiecesOfAnySize()
    {
        QFETCH(int, piece);
        const std::string big(piece == 1 ? 5000 : kMaxPayload, 'x');
        const std::string stream = encodeMessage("{}") + encodeChunk(7, big) + encodeChunk(8, "");
        FrameParser parser;
        std::vector<OwnedFrame> frames;
        for (std::size_t at = 0; at < stream.size(); at += static_cast<std::size_t>(piece)) {
            for (OwnedFrame& frame :
                 parsed(parser, std::string_view(stream).substr(at, static_cast<std::size_t>(piece))))
                frames.push_back(std::move(frame));
        }
        QCOMPARE(frames.size(), std::size_t(3));
        QCOMPARE(frames[0].payload, std::string("{}"));
        QCOMPARE(frames[1].request, 7u);
        QVERIFY(frames[1].payload == big);
        QCOMPARE(frames[2].request, 8u);
        QVERIFY(frames[2].payload.empty());
    }

    void findsEveryFlippedByteOfAMessage()
    {
        const std::string frame = encodeMessage(R"({"id":1,"op":"ping"})");
        for (std::size_t at = 0; at < frame.size(); ++at) {
            std::string damaged = frame;
            damaged[at] = static_cast<char>(damaged[at] ^ 0x02);
            FrameParser parser;
            parser.feed(damaged);
            const auto next = parser.next();
            // A longer length only waits for more; everything else is an error.
            QVERIFY2(!next.ok() || !next->has_value(), qPrintable(QString::number(at)));
        }
    }

    void refusesAHugeLengthWithoutWaitingForIt()
    {
        FrameParser parser;
        parser.feed(std::string("\xff\xff\xff\xff\x01\0\0\0\0", 9));
        QCOMPARE(parser.next().error().kind, ErrorKind::BadInput);
        parser.feed(encodeMessage("{}"));
        QVERIFY(!parser.next().ok()); // out of step for ever
    }

    void findsTheGreetingBehindNoise()
    {
        const std::string nonce(kNonceDigits, 'f');
        GreetingScanner scanner(nonce);
        QVERIFY(!scanner.feed("Welcome!\ntrainyard-agent 0000\ntrainyard-ag").value());
        QVERIFY(scanner.feed("ent " + nonce + "\nrest").value());
        QCOMPARE(scanner.rest(), std::string("rest"));
        QCOMPARE(scanner.noise(), std::string("Welcome! trainyard-agent 0000 "));
    }

    void givesUpOnEndlessNoise()
    {
        GreetingScanner scanner(std::string(kNonceDigits, 'f'));
        Result<bool> found = false;
        for (int i = 0; i < 70 && found.ok(); ++i)
            found = scanner.feed(std::string(1024, 'y'));
        QCOMPARE(found.error().kind, ErrorKind::Unreachable);
    }

    void bundleIdDoesNotDependOnTheOrderOfFiles()
    {
        const BundleFile tool{"bin/tool", true, kHash};
        const BundleFile data{"lib/data", false, kHash};
        QCOMPARE(canonicalManifest({data, tool}).value(),
                 kHash + " 0755 bin/tool\n" + kHash + " 0644 lib/data\n");
        QCOMPARE(bundleId({data, tool}).value(), bundleId({tool, data}).value());
    }

    void refusesPathsThatLeaveTheBundle_data()
    {
        QTest::addColumn<QString>("path");
        for (const char* path :
             {"", "/etc/passwd", "../x", "bin/../../x", "bin//x", "./x", "bin/", "a\nb", "."})
            QTest::addRow("%s", path) << QString(path);
    }
    void refusesPathsThatLeaveTheBundle()
    {
        QFETCH(QString, path);
        QVERIFY(!bundleId({{path.toStdString(), false, kHash}}).ok());
    }

    void refusesPathsThatExcludeEachOther()
    {
        QVERIFY(!bundleId({{"bin", false, kHash}, {"bin-x", false, kHash}, {"bin/tool", false, kHash}}).ok());
        QVERIFY(!bundleId({{"bin", false, kHash}, {"bin", false, kHash}}).ok());
    }
};

QTEST_APPLESS_MAIN(TestWire)
#include "tst_wire.moc"
