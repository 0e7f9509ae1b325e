#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QTest>

#include "app/exchange/event_file.h"
#include "app/exchange/masked_crc.h"
#include "app/exchange/run_sources.h"
#include "app/exchange/tensorboard_import.h"
#include "tests/support/file_content.h"

using namespace trainyard;
using trainyard::support::contentOf;

namespace {

const QString kGolden = QStringLiteral(TRAINYARD_SOURCE_DIR "/tests/golden/tensorboard");

double numberFrom(const QJsonValue& value)
{
    if (value.isDouble())
        return value.toDouble();
    return value.toString() == "NaN" ? std::nan("") : value.toString() == "Infinity" ? INFINITY : -INFINITY;
}

bool areSame(double a, double b)
{
    return a == b || (std::isnan(a) && std::isnan(b));
}

/// Compares a series with [[step, wall time, value], ...] and says where they differ.
QString differenceOf(const PointSeries& series, const QJsonArray& expected)
{
    if (qsizetype(series.points.size()) != expected.size())
        return QString("%1: %2 points, not %3")
            .arg(series.name)
            .arg(series.points.size())
            .arg(expected.size());
    for (qsizetype i = 0; i < expected.size(); ++i) {
        const QJsonArray point = expected[i].toArray();
        const SeriesPoint& own = series.points[std::size_t(i)];
        if (own.step != point[0].toDouble() || own.wallSeconds != point[1].toDouble() ||
            !areSame(own.value, numberFrom(point[2])))
            return QString("%1: point %2 is %3 at step %4")
                .arg(series.name)
                .arg(i)
                .arg(own.value)
                .arg(own.step);
    }
    return {};
}

LoadedRun load(const QString& folder)
{
    return loadTensorBoardLog(findTensorBoardLogs(folder.toStdString()).value().front()).value();
}

} // namespace

class TestTensorBoardImport : public QObject {
    Q_OBJECT

private slots:
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }

    void sumsUpAsTheStandardSays()
    {
        // RFC 3720, B.4, and the usual check value of CRC-32C.
        const auto unmasked = [](std::uint32_t masked) {
            const std::uint32_t turned = masked - 0xa282ead8;
            return (turned >> 17) | (turned << 15);
        };
        QCOMPARE(unmasked(maskedCrc32c(std::string(32, '\0'))), 0x8a9136aau);
        QCOMPARE(unmasked(maskedCrc32c(std::string(32, '\xff'))), 0x62a8ab43u);
        QCOMPARE(unmasked(maskedCrc32c("123456789")), 0xe3069283u);
    }

    void findsARunInEveryFolder()
    {
        const auto logs = findTensorBoardLogs((kGolden + "/logs").toStdString()).value();
        QStringList names;
        for (const TensorBoardLog& log : logs)
            names.append(log.name);
        QCOMPARE(names, (QStringList{"pytorch", "sweep/tensorboardX", "tensorboard"}));
        QCOMPARE(logs.front().files.size(), std::size_t(2));
        QCOMPARE(findTensorBoardLogs((kGolden + "/logs/pytorch/").toStdString()).value().front().name,
                 "pytorch");
        QVERIFY(findTensorBoardLogs(m_folder->path().toStdString()).value().empty());
    }

    void readsWhatTensorBoardReads_data()
    {
        QTest::addColumn<QString>("run");
        for (const char* run : {"pytorch", "sweep/tensorboardX", "tensorboard"})
            QTest::addRow("%s", run) << run;
    }

    void readsWhatTensorBoardReads()
    {
        QFETCH(QString, run);
        const QJsonObject expected =
            QJsonDocument::fromJson(contentOf(kGolden + "/expected.json")).object()[run].toObject();
        const LoadedRun loaded = load(kGolden + "/logs/" + run);
        QVERIFY2(loaded.warnings.isEmpty(), qPrintable(loaded.warnings.join('\n')));
        const QJsonObject scalars = expected["scalars"].toObject();
        QCOMPARE(qsizetype(loaded.series.size()), scalars.size());
        for (const PointSeries& series : loaded.series) {
            const QString difference = differenceOf(series, scalars[series.name].toArray());
            QVERIFY2(difference.isEmpty(), qPrintable(difference));
        }
        const QJsonObject texts = expected["texts"].toObject();
        QCOMPARE(qsizetype(loaded.import.texts.size()), texts.size());
        for (const auto& [tag, text] : loaded.import.texts)
            QCOMPARE(text, texts[tag].toString());
    }

    void recognisesTheLoss()
    {
        QCOMPARE(load(kGolden + "/logs/pytorch").import.metrics.at(ImportedMetric::Loss),
                 QString("train/loss"));
        QCOMPARE(load(kGolden + "/logs/sweep/tensorboardX").import.metrics.at(ImportedMetric::Loss),
                 QString("lm_loss"));
    }

    /// A run that is being written may be imported at any moment.
    void readsUpToATornTail()
    {
        const QByteArray whole =
            contentOf(kGolden + "/logs/sweep/tensorboardX/events.out.tfevents.1790000000.0");
        QVERIFY(!whole.isEmpty());
        std::size_t before = 0;
        for (qsizetype size = 0; size < whole.size(); size += 7) {
            writeLog(whole.left(size));
            std::size_t events = 0;
            const auto end =
                readEventFile(logPath().toStdString(), [&](const EventMessage&) { ++events; }).value();
            QVERIFY(!end.isDamaged);
            QCOMPARE(end.isTorn, end.bytes < std::uint64_t(size));
            QVERIFY(events >= before);
            before = events;
        }
        QVERIFY(before > 50);
    }

    /// Whatever byte is wrong: nothing of what is behind it is taken for true, and nothing is read twice.
    void stopsAtDamage()
    {
        const QByteArray whole = contentOf(kGolden + "/logs/tensorboard/events.out.tfevents.1790000000.0");
        for (qsizetype at = 0; at < whole.size(); at += 3) {
            QByteArray damaged = whole;
            damaged[at] = char(damaged[at] ^ 0x10);
            writeLog(damaged);
            const auto end = readEventFile(logPath().toStdString(), [](const EventMessage&) {}).value();
            QVERIFY2(end.isDamaged || end.isTorn, qPrintable(QString::number(at)));
            QVERIFY(end.bytes <= std::uint64_t(at));
        }
        const LoadedRun run = load(m_folder->path());
        QCOMPARE(run.warnings.size(), 1);
        QVERIFY(run.warnings.first().contains("tfevents"));
    }

    void saysWhyThereIsNothingToImport_data()
    {
        QTest::addColumn<QByteArray>("content");
        QTest::addColumn<QString>("why");
        const QByteArray whole =
            contentOf(kGolden + "/logs/sweep/tensorboardX/events.out.tfevents.1790000000.0");
        QTest::newRow("empty") << QByteArray() << "contains no values";
        QTest::newRow("cut within the first record") << whole.left(10) << "ends in the middle of a record";
        QTest::newRow("garbage") << QByteArray(1000, '\xff') << "is damaged at byte 0";
        QTest::newRow("zeros") << QByteArray(1000, '\0') << "is damaged at byte 0";
    }

    void saysWhyThereIsNothingToImport()
    {
        QFETCH(QByteArray, content);
        QFETCH(QString, why);
        writeLog(content);
        for (const QString& place : {m_folder->path(), logPath()}) {
            const auto loaded = loadRuns(place.toStdString());
            QVERIFY(!loaded.ok());
            QCOMPARE(loaded.error().kind, ErrorKind::BadInput);
            const QString text = QString::fromStdString(loaded.error().text());
            QVERIFY2(text.contains(place) && text.contains(why), qPrintable(text));
        }
    }

    void saysThatThereIsNoFolderAndNoFile()
    {
        for (const QString& place : {m_folder->filePath("none"), m_folder->path()}) {
            const auto loaded = loadRuns(place.toStdString());
            QVERIFY(!loaded.ok());
            QCOMPARE(loaded.error().kind, ErrorKind::BadInput);
            QVERIFY(loaded.error().message.find(place.toStdString()) != std::string::npos);
        }
    }

    void leavesOutARunWithoutScalarsAndTellsOfIt()
    {
        QVERIFY(QDir(m_folder->path()).mkpath("empty") && QDir(m_folder->path()).mkpath("good"));
        QFile empty(m_folder->filePath("empty/events.out.tfevents.1"));
        QVERIFY(empty.open(QIODevice::WriteOnly));
        QVERIFY(QFile::copy(kGolden + "/logs/tensorboard/events.out.tfevents.1790000000.0",
                            m_folder->filePath("good/events.out.tfevents.1")));
        const auto loaded = loadRuns(m_folder->path().toStdString()).value();
        QCOMPARE(loaded.runs.size(), std::size_t(1));
        QCOMPARE(loaded.runs.front().import.name, QString("good"));
        QCOMPARE(loaded.warnings, QStringList{"empty contains no values"});
    }

    /// Messages whose checksum is right but whose content is foreign.
    void survivesHostileMessages_data()
    {
        QTest::addColumn<QByteArray>("message");
        QTest::newRow("empty") << QByteArray();
        QTest::newRow("endless number") << QByteArray(20, '\xff');
        QTest::newRow("longer than it is") << QByteArray("\x2a\xff\xff\xff\x7f", 5);
        QTest::newRow("a value within a value") << QByteArray("\x2a\x04\x0a\x02\x0a\x01", 6);
        QTest::newRow("a group") << QByteArray("\x0b\x0c", 2);
        QTest::newRow("field zero") << QByteArray("\x00\x00", 2);
        QTest::newRow("a shape of 2^63 by 2^63") << QByteArray(
            "\x2a\x25\x0a\x23\x0a\x01t\x42\x1e\x08\x01\x12\x1a\x12\x0b\x08\xff\xff\xff\xff\xff\xff\xff"
            "\xff\x7f\x00\x12\x0b\x08\xff\xff\xff\xff\xff\xff\xff\xff\x7f\x00",
            39);
    }

    void survivesHostileMessages()
    {
        QFETCH(QByteArray, message);
        const auto event = parseEvent(std::string_view(message.constData(), std::size_t(message.size())));
        QVERIFY(!event || event->values.empty());
    }

    void canBeStopped()
    {
        auto writer = EventFileWriter::create(m_folder->path().toStdString(), 1).value();
        for (int step = 0; step < 200'000; ++step)
            QVERIFY(writer.append(encodeScalar(step, step, "loss", step)).ok());
        QVERIFY(writer.finish().ok());
        const auto log = findTensorBoardLogs(m_folder->path().toStdString()).value().front();
        const auto stopped = loadTensorBoardLog(log, [](double) { return false; });
        QVERIFY(!stopped.ok());
        QCOMPARE(stopped.error().kind, ErrorKind::Cancelled);
        double last = 0;
        QVERIFY(loadTensorBoardLog(log, [&](double share) {
                    const bool grows = share >= last && share <= 1;
                    last = share;
                    return grows;
                }).ok());
        QVERIFY(last > 0);
    }

private:
    QString logPath() const { return m_folder->filePath("events.out.tfevents.1"); }
    void writeLog(const QByteArray& bytes)
    {
        QFile file(logPath());
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(bytes);
    }

    std::unique_ptr<QTemporaryDir> m_folder;
};

QTEST_GUILESS_MAIN(TestTensorBoardImport)
#include "tst_tensorboard_import.moc"
