#include <QElapsedTimer>
#include <QTest>

#include <array>
#include <cstdio>
#include <fstream>
#include <memory>
#include <set>
#include <sstream>

#include <nlohmann/json.hpp>

#include "datasets/corpus/letters.h"
#include "datasets/corpus/punkt_segmenter.h"
#include "datasets/corpus/text_scan.h"
#include "engine/base/file.h"
#include "engine/base/hash.h"
#include "tests/support/patience.h"
#include "tests/support/reference_data.h"

using namespace trainyard;

namespace {

namespace fs = std::filesystem;

/// Texts and sentences that tests/golden/punkt/make_golden.py took from nltk.
fs::path golden()
{
    return TRAINYARD_SOURCE_DIR "/tests/golden/punkt";
}

std::string outputOf(const std::string& command)
{
    const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
    std::string output;
    std::array<char, 65536> buffer;
    while (const std::size_t size = fread(buffer.data(), 1, buffer.size(), pipe.get()))
        output.append(buffer.data(), size);
    return output;
}

/// Articles as their sentences, one a line.
std::multiset<std::string> articlesIn(const std::string& sentencePerLine)
{
    std::multiset<std::string> articles;
    std::string article;
    std::istringstream lines(sentencePerLine);
    for (std::string line; std::getline(lines, line);) {
        if (!line.empty())
            article.append(trimmed(line)).append("\n");
        else if (!article.empty())
            articles.insert(std::exchange(article, {}));
    }
    if (!article.empty())
        articles.insert(article);
    return articles;
}

QStringList split(const SentenceSegmenter& segmenter, const std::string& text)
{
    QStringList sentences;
    for (const std::string_view sentence : segmenter.split(text))
        sentences << QString::fromUtf8(sentence.data(), static_cast<qsizetype>(sentence.size()));
    return sentences;
}

void copyParameters(const fs::path& to)
{
    fs::remove_all(to);
    fs::copy(golden() / "parameters", to);
}

} // namespace

class TestPunkt : public QObject {
    Q_OBJECT

private slots:
    void endsSentencesWhereNltkDoes()
    {
        const PunktSegmenter segmenter(PunktParameters::load(golden() / "parameters").value());
        std::istringstream lines(readFile(golden() / "sentences.jsonl").value());
        int texts = 0;
        for (std::string line; std::getline(lines, line); ++texts) {
            const auto pair = nlohmann::json::parse(line);
            QStringList expected;
            for (const auto& sentence : pair["sentences"])
                expected << QString::fromStdString(sentence.get<std::string>());
            QCOMPARE(split(segmenter, pair["text"].get<std::string>()), expected);
        }
        QVERIFY(texts > 300);
    }

    void endsSentencesOfTheReferenceWhereNltkDoes()
    {
        const fs::path wiki = referenceData("wiki"); // a larger text with nltk's sentences
        NEEDS_REFERENCE(wiki / "punkt_params");
        const PunktSegmenter segmenter(PunktParameters::load(wiki / "punkt_params").value());
        const auto quoted = [&](const char* name) { return "'" + (wiki / name).string() + "'"; };
        std::istringstream texts(outputOf("gzip -dc " + quoted("reference_one_article_per_line.txt.gz")));
        std::string ours;
        for (std::string text; std::getline(texts, text);) {
            for (const std::string_view sentence : segmenter.split(text))
                ours.append(sentence).append("\n");
            ours += "\n";
        }
        const auto expected =
            articlesIn(outputOf("tar -xzOf " + quoted("reference_sentence_per_line.tar.gz")));
        QCOMPARE(expected.size(), std::size_t(105));
        QVERIFY(articlesIn(ours) == expected);
    }

    void staysFastOnTextsWithoutSentences_data()
    {
        QTest::addColumn<QString>("repeated");
        for (const char* text : {".",  ". ", " .", "..", "a.", "a. ",  "?!", "\"",  ".\" ", "-",    "- ", ",",
                                 "a,", "Σ",  "Σ.", "(",  ".)", ". . ", "\n", ".\n", "1.",   "中。", "中."})
            QTest::addRow("%s", qPrintable(QString::fromUtf8(text).simplified())) << QString::fromUtf8(text);
    }
    void staysFastOnTextsWithoutSentences()
    {
        QFETCH(QString, repeated);
        const PunktSegmenter segmenter(PunktParameters::load(golden() / "parameters").value());
        const std::string text = repeated.repeated(500'000).toStdString();
        QElapsedTimer timer;
        timer.start();
        QVERIFY(segmenter.split(text).size() <= text.size());
        QVERIFY2(timer.elapsed() < kPatienceMs, "the work is not in proportion to the text");
    }

    void namesItsParametersByTheirHash()
    {
        std::string all;
        for (const char* name :
             {"abbrev_types.txt", "collocations.tab", "ortho_context.tab", "sent_starters.txt"})
            all += readFile(golden() / "parameters" / name).value();
        QCOMPARE(PunktParameters::load(golden() / "parameters").value().sha256(), sha256Hex(all));
    }

    void readsFilesWithCarriageReturns()
    {
        const fs::path folder = fs::temp_directory_path() / "trainyard-punkt-crlf";
        copyParameters(folder);
        std::ofstream(folder / "abbrev_types.txt", std::ios::binary) << "zzz\r\nyyy\r\n";
        const auto parameters = PunktParameters::load(folder).value();
        QVERIFY(parameters.isAbbreviation("zzz") && parameters.isAbbreviation("yyy"));
        fs::remove_all(folder);
    }

    void refusesDamagedParameters_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QByteArray>("content");
        QTest::addColumn<QString>("message");
        const auto row = [](const char* name, const char* file, const QByteArray& content,
                            const char* message) { QTest::addRow("%s", name) << file << content << message; };
        row("missing file", "sent_starters.txt", {}, "sent_starters.txt");
        row("no tab", "ortho_context.tab", "a\t2\nb\n", "ortho_context.tab, line 2: there is no tab");
        row("no number", "ortho_context.tab", "a\tx\n", "line 1: \"x\" is not an orthographic context");
        row("unknown bits", "ortho_context.tab", "a\t2\nb\t129\n", "line 2: \"129\" is no");
        row("empty contexts", "ortho_context.tab", "", "ortho_context.tab is empty");
        row("one word", "collocations.tab", "a\tb\nc\n", "collocations.tab, line 2");
        row("three words", "collocations.tab", "a\tb\tc\n", "collocations.tab, line 1");
        row("other encoding", "abbrev_types.txt", "caf\xE9\n", "abbrev_types.txt is not UTF-8");
    }
    void refusesDamagedParameters()
    {
        QFETCH(QString, file);
        QFETCH(QByteArray, content);
        QFETCH(QString, message);
        const fs::path folder = fs::temp_directory_path() / "trainyard-punkt-damaged";
        copyParameters(folder);
        fs::remove(folder / file.toStdString());
        if (!content.isNull())
            std::ofstream(folder / file.toStdString(), std::ios::binary) << content.toStdString();
        const auto parameters = PunktParameters::load(folder);
        fs::remove_all(folder);
        QVERIFY(!parameters.ok());
        QVERIFY2(parameters.error().message.find(message.toStdString()) != std::string::npos,
                 parameters.error().message.c_str());
    }

    void refusesWhatIsNoFolder()
    {
        QVERIFY(!PunktParameters::load(golden() / "sentences.jsonl").ok());
        QVERIFY(!PunktParameters::load("/nowhere/at/all").ok());
    }

    void lowersCaseAsPythonDoes_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("lower");
        const auto row = [](const char* text, const char* lower) {
            QTest::addRow("%s", text) << QString::fromUtf8(text) << QString::fromUtf8(lower);
        };
        // What Python 3.11 prints for "...".lower().
        row("ÀÉÎ ŁŻ Ñ", "àéî łż ñ");
        row("ФАЙЛ ЁЇ ЋЂ", "файл ёї ћђ");
        row("ΟΔΟΣ ΟΔΟΣ. ΣΑΣ Σ ΑΣ'Β", "οδος οδος. σας σ ασ'β");
        row("İI ı ẞ Ǆ ǅ", "i̇i ı ß ǆ ǆ");
        row("ԱՐՄ ႠႡ Ა Ꭰ", "արմ ⴀⴁ ა ꭰ");
        row("𐐀 𞤀 中 ١", "𐐨 𞤢 中 ١");
    }
    void lowersCaseAsPythonDoes()
    {
        QFETCH(QString, text);
        QFETCH(QString, lower);
        QCOMPARE(QString::fromStdString(lowerCase(text.toStdString())), lower);
    }
};

QTEST_APPLESS_MAIN(TestPunkt)
#include "tst_punkt.moc"
