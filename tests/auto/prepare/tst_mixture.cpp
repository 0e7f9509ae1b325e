#include <QDir>
#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <random>

#include "datasets/options/prepare_command_line.h"
#include "datasets/shards/manifest.h"
#include "engine/base/file.h"
#include "tests/auto/prepare/prepare_program.h"

using namespace trainyard;

namespace {

constexpr int kShortDocuments = 40, kLongDocuments = 60;

/// The share of the first input in the tokens of training rows.
double shareOf(const Manifest& manifest)
{
    double all = 0;
    for (const MixedSource& source : manifest.sources)
        all += static_cast<double>(source.mixedTokens);
    return static_cast<double>(manifest.sources.at(0).mixedTokens) / all;
}

} // namespace

/// `prepare --weights`: inputs are repeated or used in part, so that each has its share of the training rows.
class TestMixture : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        std::mt19937 random(8);
        write("first.jsonl", kShortDocuments, 200, random);
        write("second.jsonl", kLongDocuments, 900, random);
        QCOMPARE(runPrepareProgram({"prepare", at("first.jsonl"), at("second.jsonl"), "--train-vocab", "300",
                                    "--out", at("words")})
                     .status,
                 0);
        QVERIFY(QFile::copy(at("words/vocab.txt"), at("vocab.txt")));
    }

    void giveEachInputItsShare_data()
    {
        QTest::addColumn<QString>("weights");
        QTest::addColumn<double>("share");
        QTest::addColumn<QString>("objective");
        for (const char* objective : {"gpt", "bert", "mlm"}) {
            QTest::addRow("%s, a half", objective) << "1,1" << 0.5 << objective;
            QTest::addRow("%s, most", objective) << "0.9,0.1" << 0.9 << objective;
            QTest::addRow("%s, little", objective) << "1,49" << 0.02 << objective;
        }
    }
    void giveEachInputItsShare()
    {
        QFETCH(QString, weights);
        QFETCH(double, share);
        QFETCH(QString, objective);
        const auto made = prepare({"--weights", weights, "--objective", objective});
        QVERIFY(made.has_value());
        QCOMPARE(made->sources.size(), std::size_t(2));
        const double all =
            static_cast<double>(made->sources[0].tokens + made->sources[1].tokens) * 3; // --dupe
        QVERIFY2(std::abs(shareOf(*made) - share) < 900 / all, qPrintable(QString::number(shareOf(*made))));
        const double mixed = static_cast<double>(made->sources[0].mixedTokens + made->sources[1].mixedTokens);
        QVERIFY(std::abs(mixed - all) < 1000); // as many as without weights, to half a document of each
        const ProgramOutcome verified = runPrepareProgram({"verify", at("out")});
        QVERIFY2(verified.status == 0, qPrintable(verified.err));
    }

    void countTheTokensOfTheRows()
    {
        const auto made = prepare({"--weights", "3,1", "--objective", "gpt", "--test-fraction", "0"});
        QVERIFY(made.has_value());
        std::uint64_t expected = 0, found = 0;
        for (const MixedSource& source : made->sources)
            expected += source.mixedTokens + source.mixedDocuments; // [SEP] behind each
        for (const ShardEntry& shard : made->shards)
            found += shard.tokens;
        QVERIFY(found <= expected && found + 64 > expected);
        QCOMPARE(made->sources[0].documents, std::uint64_t(kShortDocuments));
        QCOMPARE(made->sources[1].documents, std::uint64_t(kLongDocuments));
        QVERIFY(made->sources[0].mixedDocuments > 3 * kShortDocuments);
        QVERIFY(made->sources[1].mixedDocuments < 3 * kLongDocuments);
    }

    void giveTheSameBytes_data()
    {
        QTest::addColumn<QString>("objective");
        QTest::newRow("gpt") << "gpt";
        QTest::newRow("bert") << "bert";
    }
    void giveTheSameBytes()
    {
        QFETCH(QString, objective);
        const QStringList options{"--weights", "2,1", "--objective", objective};
        const auto one = prepare(options + QStringList{"--threads", "1"});
        const auto five = prepare(options + QStringList{"--threads", "5"});
        QVERIFY(one && five);
        QCOMPARE(five->toJson(), one->toJson());
        for (const char* part : {"first", "second"})
            QCOMPARE(runPrepareProgram({"documents", at(QString(part) + ".jsonl"), "--vocab", at("vocab.txt"),
                                        "--out", at(part + objective)})
                         .status,
                     0);
        const auto joined =
            prepare(options, {"--documents", at("first" + objective), at("second" + objective)});
        QVERIFY(joined.has_value());
        QCOMPARE(digestsOf(*joined), digestsOf(*one));
        QVERIFY(digestsOf(*prepare({"--weights", "2,1.5", "--objective", objective})) != digestsOf(*one));
        QVERIFY(digestsOf(*prepare(options + QStringList{"--seed", "4"})) != digestsOf(*one));
    }

    void goOnAfterKills()
    {
        const QStringList options{"--weights", "2,1", "--threads", "2", "--save-every", "0.001"};
        const auto whole = prepare(options);
        QVERIFY(whole.has_value());
        QDir(at("out")).removeRecursively();
        int kills = 0;
        for (int life = 10; killAfter(options, life); life += 10)
            ++kills;
        QVERIFY(kills > 1);
        QCOMPARE(Manifest::load(at("out").toStdString())->toJson(), whole->toJson());
    }

    void changeNothingAlone()
    {
        const auto plain = prepare({}, {at("first.jsonl")});
        const auto alone = prepare({"--weights", "5"}, {at("first.jsonl")});
        QVERIFY(plain && alone && plain->sources.empty());
        QCOMPARE(digestsOf(*alone), digestsOf(*plain));
    }

    void countAFolderAsOneInput()
    {
        QVERIFY(QDir().mkpath(at("folder")));
        for (const char* name : {"a.jsonl", "b.jsonl"})
            QVERIFY(QFile::copy(at("first.jsonl"), at(QString("folder/") + name)));
        const auto made = prepare({"--weights", "1,1"}, {at("folder"), at("second.jsonl")});
        QVERIFY(made && made->sources.size() == 2);
        QCOMPARE(made->sources[0].documents + made->sources[1].documents + made->statistics.testDocuments,
                 std::uint64_t(2 * kShortDocuments + kLongDocuments));
        QVERIFY(std::abs(shareOf(*made) - 0.5) < 0.02);
    }

    void refuseOtherWeights_data()
    {
        QTest::addColumn<QString>("weights");
        QTest::addColumn<QString>("named");
        QTest::newRow("too few") << "1"
                                 << "1 weight for 2 inputs";
        QTest::newRow("too many") << "1,2,3"
                                  << "3 weights for 2 inputs";
        QTest::newRow("none") << "0,1"
                              << "greater than 0";
        QTest::newRow("negative") << "-1,1"
                                  << "--weights";
        QTest::newRow("not a number") << "a,1"
                                      << "--weights";
        QTest::newRow("a share that repeats too often") << "10000000,1"
                                                        << "would repeat";
    }
    void refuseOtherWeights()
    {
        QFETCH(QString, weights);
        QFETCH(QString, named);
        QDir(at("out")).removeRecursively();
        const ProgramOutcome refused = runPrepareProgram(
            arguments(files(), {"--weights=" + weights}).replaceInStrings(QRegularExpression("^3$"), "900"));
        QCOMPARE(refused.status, 2);
        QVERIFY2(refused.err.contains(named), qPrintable(refused.err));
        QVERIFY(!QFile::exists(at("out")) && !QFile::exists(at(".out.part")));
    }

    void surviveTheCommandLine()
    {
        PrepareOptions options;
        options.dumps = {"a", "b"};
        options.vocabulary = "v";
        options.out = "o";
        options.weights = {0.7, 0.3};
        options.task.text = "content";
        options.shapes = {{128, 20}};
        const auto again = fromPrepareArguments(prepareArguments(options));
        QVERIFY(again.has_value());
        QVERIFY(*again == options);
    }

private:
    QString at(const QString& name) const { return m_folder.filePath(name); }
    QStringList files() const { return {at("first.jsonl"), at("second.jsonl")}; }

    void write(const QString& name, int documents, unsigned words, std::mt19937& random) const
    {
        std::string lines;
        for (int document = 0; document < documents; ++document) {
            lines += "{\"text\": \"";
            for (unsigned word = words / 2 + random() % words; word > 0; --word)
                lines += std::string(1 + random() % 4, static_cast<char>('a' + random() % 6)) +
                         (random() % 9 ? " " : ". ");
            lines += "\"}\n";
        }
        QVERIFY(writeFileAtomically(at(name).toStdString(), lines).ok());
    }

    QStringList arguments(const QStringList& inputs, const QStringList& options) const
    {
        return QStringList{"prepare"} + inputs +
               QStringList{"--vocab", at("vocab.txt"), "--out", at("out"), "--seq-len",
                           "64",      "--shards",      "2",     "--dupe",  "3"} +
               options;
    }
    std::optional<Manifest> prepare(const QStringList& options, const QStringList& inputs = {}) const
    {
        QDir(at("out")).removeRecursively();
        const ProgramOutcome made =
            runPrepareProgram(arguments(inputs.isEmpty() ? files() : inputs, options));
        const auto manifest = Manifest::load(at("out").toStdString());
        if (!manifest.ok())
            qWarning() << made.err;
        return manifest.ok() ? std::optional(*manifest) : std::nullopt;
    }
    static QStringList digestsOf(const Manifest& manifest)
    {
        QStringList digests;
        for (const ShardEntry& shard : manifest.shards)
            digests << QString::fromStdString(shard.sha256);
        return digests;
    }
    bool killAfter(const QStringList& options, int milliseconds) const
    {
        QProcess process;
        process.start(TRAINYARD_BIN_DIR "/trainyard-prepare", arguments(files(), options));
        if (process.waitForFinished(milliseconds))
            return false;
        process.kill();
        process.waitForFinished(kPatienceMs);
        return true;
    }

    QTemporaryDir m_folder;
};

QTEST_GUILESS_MAIN(TestMixture)
#include "tst_mixture.moc"
