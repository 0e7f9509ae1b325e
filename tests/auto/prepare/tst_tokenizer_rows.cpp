// Data sets that are made with a tokenizer.json instead of a vocab.txt.
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <csignal>
#include <map>
#include <set>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "datasets/prepare/document_part.h"
#include "datasets/prepare/preparation.h"
#include "datasets/shards/shard_reader.h"
#include "datasets/tokenizer_json/byte_pair_trainer.h"
#include "datasets/tokenizer_json/row_tokenizer.h"
#include "datasets/verification/verification.h"
#include "engine/base/file.h"
#include "engine/base/hash.h"
#include "tests/auto/prepare/prepare_program.h"
#include "tests/auto/prepare/sample_dump.h"

using namespace trainyard;
using nlohmann::json;

namespace fs = std::filesystem;

namespace {

using Ids = std::vector<std::int32_t>;

const std::vector<std::string> kRobertaTokens{"<s>", "<pad>", "</s>", "<unk>", "<mask>"};

/// Paragraphs, white space and signs whose tokens depend on what is beside them.
std::string textOf(int number)
{
    const std::string n = std::to_string(number);
    return "Station " + n + " isn't far.\nThe  café opens at " + n +
           ":30!  \"Really?\" Yes.\n\n\tif (a == " + n + ")\n        b += 1;\n再见。 Good bye, number " + n +
           ". The train leaves the town of " + n + " and it doesn't wait. Nobody knows the way to the river";
}

std::string trained(const std::vector<std::string>& special, BytePairSplit split = BytePairSplit::Gpt2)
{
    WordCounts counts;
    const PieceCounter counter(split);
    for (int i = 0; i < 60; ++i)
        counter.count(textOf(i), counts);
    return trainBytePairs(counts, {.size = 420, .split = split, .special = special}).value();
}

Result<Manifest> prepareRows(const PrepareOptions& options)
{
    Progress progress;
    const CancelFlag cancel;
    TRAINYARD_TRY(auto sets, prepareDataset(options, progress, cancel));
    return std::move(sets.front().manifest);
}

VerificationReport verified(const fs::path& folder)
{
    Progress progress;
    const CancelFlag cancel;
    auto report = verifyDataset({folder, {}, 4}, progress, cancel);
    if (!report.ok())
        qFatal("%s", report.error().text().c_str());
    return std::move(report).value();
}

std::string firstViolation(const VerificationReport& report)
{
    return report.ok() ? "" : report.violations[0].text();
}

/// The tokens of all rows, one after the other.
Ids tokensIn(const fs::path& folder, const Manifest& manifest)
{
    Ids all;
    for (const ShardEntry& shard : manifest.shards) {
        auto reader =
            ShardReader::open(folder / shard.file, manifest.sequenceLength, manifest.maxPredictions);
        RowBlock rows;
        if (!reader.ok() || !reader->read(0, shard.rows, rows).ok())
            qFatal("cannot read %s", shard.file.c_str());
        all.insert(all.end(), rows.inputIds.begin(), rows.inputIds.end());
    }
    return all;
}

std::map<std::string, std::string> hashesBelow(const fs::path& folder)
{
    std::map<std::string, std::string> hashes;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
        if (entry.is_regular_file())
            hashes[fs::relative(entry.path(), folder)] = sha256OfFile(entry.path()).value();
    }
    return hashes;
}

} // namespace

class TestTokenizerRows : public QObject {
    Q_OBJECT

private slots:
    void init()
    {
        m_dir = std::make_unique<QTemporaryDir>();
        std::string lines;
        for (int i = 0; i < 60; ++i)
            lines += json{{"text", textOf(i)}}.dump() + "\n";
        write("corpus.jsonl", lines);
    }

    void givesTheTokensOfWholeTexts_data()
    {
        QTest::addColumn<int>("split");
        QTest::addRow("GPT-2") << int(BytePairSplit::Gpt2);
        QTest::addRow("Llama 3") << int(BytePairSplit::Llama3);
        QTest::addRow("Qwen") << int(BytePairSplit::Qwen);
    }
    void givesTheTokensOfWholeTexts()
    {
        QFETCH(int, split);
        write("tokenizer.json", trained({"<|endoftext|>"}, BytePairSplit(split)));
        const PrepareOptions options = asked(Objective::Tokens);
        const auto manifest = prepareRows(options);
        QVERIFY2(manifest.ok(), manifest.ok() ? "" : manifest.error().text().c_str());
        const RowTokenizer tokenizer = loadRowTokenizer(options.tokenizer).value();
        std::set<Ids> texts;
        const auto encoder = tokenizer.tokenizer->encoder();
        for (int i = 0; i < 60; ++i) {
            Ids ids;
            encoder->encode(textOf(i), ids);
            texts.insert(std::move(ids));
        }
        const Ids all = tokensIn(out(), *manifest);
        auto begin = all.begin();
        std::size_t found = 0;
        for (auto end = begin; (end = std::find(begin, all.end(), 0)) != all.end(); begin = end + 1)
            found += texts.contains(Ids(begin, end));
        QVERIFY(found >= 59); // the last row may tear one
        QCOMPARE(manifest->tokenizer.special, (std::map<std::string, std::int32_t>{{"end", 0}}));
        QCOMPARE(manifest->vocabularyFile, std::string("tokenizer.json"));
        QCOMPARE(readFile(out() / "tokenizer.json").value(), readFile(options.tokenizer).value());
        QCOMPARE(firstViolation(verified(out())), std::string());
    }

    void putsNothingBetweenDocumentsWithoutAToken()
    {
        write("tokenizer.json", trained({}));
        const auto manifest = prepareRows(asked(Objective::Tokens));
        QVERIFY2(manifest.ok(), manifest.ok() ? "" : manifest.error().text().c_str());
        QVERIFY(manifest->tokenizer.special.empty());
        QCOMPARE(manifest->statistics.rowTokens + manifest->counters.at("tokens_after_the_last_row"),
                 manifest->statistics.tokens);
        QCOMPARE(firstViolation(verified(out())), std::string());
    }

    void takesNamesOfSpecialTokensInTextsForText()
    {
        write("tokenizer.json", trained({"<|endoftext|>"}));
        std::string lines;
        for (int i = 0; i < 40; ++i)
            lines += json{{"text", "a <|endoftext|> b " + textOf(i)}}.dump() + "\n";
        write("corpus.jsonl", lines);
        const auto manifest = prepareRows(asked(Objective::Tokens));
        const Ids all = tokensIn(out(), *manifest);
        QVERIFY(std::ranges::count(all, 0) <= 40);
        QCOMPARE(firstViolation(verified(out())), std::string());
    }

    void masksRows_data()
    {
        QTest::addColumn<int>("objective");
        QTest::addColumn<bool>("wholeWords");
        QTest::addRow("masks") << int(Objective::Masked) << false;
        QTest::addRow("whole words") << int(Objective::Masked) << true;
        QTest::addRow("pairs") << int(Objective::Bert) << false;
        QTest::addRow("pairs with whole words") << int(Objective::Bert) << true;
    }
    void masksRows()
    {
        QFETCH(int, objective);
        QFETCH(bool, wholeWords);
        write("tokenizer.json", trained(kRobertaTokens));
        PrepareOptions options = asked(Objective(objective));
        options.instances.wholeWords = wholeWords;
        options.extra.provenance = true;
        options.extra.megatron = options.extra.mds = true;
        const auto manifest = prepareRows(options);
        QVERIFY2(manifest.ok(), manifest.ok() ? "" : manifest.error().text().c_str());
        QCOMPARE(manifest->tokenizer.special,
                 (std::map<std::string, std::int32_t>{
                     {"cls", 0}, {"pad", 1}, {"sep", 2}, {"end", 2}, {"mask", 4}}));
        const VerificationReport report = verified(out());
        QCOMPARE(firstViolation(report), std::string());
        QVERIFY(report.statistics.sentences > 5 * report.statistics.documents);
        QCOMPARE(report.samples[0].tokens[0].text, std::string("<s>"));
        // Words are shown as words.
        std::set<std::string> shown;
        for (const SampleRow& sample : report.samples) {
            for (const SampleRow::Token& token : sample.tokens)
                shown.insert(token.text);
        }
        QVERIFY(shown.contains("the") || shown.contains("The"));
    }

    void maskTheWordsOfThePreTokenizer()
    {
        write("tokenizer.json", trained(kRobertaTokens));
        const RowTokenizer tokenizer = loadRowTokenizer(file("tokenizer.json")).value();
        Ids ids;
        tokenizer.tokenizer->encoder()->encode("Zyx isn't, quxwv café", ids);
        std::vector<bool> starts;
        tokenizer.vocabulary.findWords(ids, starts);
        std::vector<std::string> words;
        for (std::size_t i = 0; i < ids.size(); ++i) {
            if (starts[i])
                words.emplace_back();
            words.back() += tokenizer.bytes->bytesOf(ids[i]);
        }
        QCOMPARE(words, (std::vector<std::string>{"Zyx", " isn", "'t", ",", " quxwv", " café"}));
        // Torn in the middle of a character, it stays in one word.
        const Ids torn(ids.end() - 1, ids.end());
        tokenizer.vocabulary.findWords(torn, starts);
        QCOMPARE(starts, std::vector<bool>{true});
    }

    void takesRolesFromTheFilesBeside()
    {
        write("tokenizer.json", trained({"<a>", "<b>", "<c>", "<d>"}));
        write("special_tokens_map.json",
              R"({"cls_token": "<a>", "sep_token": {"content": "<b>"}, "mask_token": "<c>"})");
        write("tokenizer_config.json", R"({"pad_token": "<d>", "eos_token": "<b>"})");
        const auto manifest = prepareRows(asked(Objective::Masked));
        QVERIFY2(manifest.ok(), manifest.ok() ? "" : manifest.error().text().c_str());
        QCOMPARE(manifest->tokenizer.special,
                 (std::map<std::string, std::int32_t>{
                     {"cls", 0}, {"sep", 1}, {"end", 1}, {"mask", 2}, {"pad", 3}}));
        QCOMPARE(manifest->tokenizer.files.size(), std::size_t(2));
        QCOMPARE(Manifest::load(out())->toJson(), manifest->toJson());
        QCOMPARE(firstViolation(verified(out())), std::string());
        write("out/special_tokens_map.json", R"({"cls_token": "<a>", "mask_token": "<b>"})");
        QVERIFY(firstViolation(verified(out())).find("special_tokens_map.json") != std::string::npos);
    }

    void readsWordPieceToo()
    {
        json tokens;
        for (const char* token : {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"})
            tokens[token] = tokens.size();
        for (char letter = 'a'; letter <= 'z'; ++letter) {
            tokens[std::string(1, letter)] = tokens.size();
            tokens["##" + std::string(1, letter)] = tokens.size();
        }
        tokens["the"] = tokens.size();
        tokens["."] = tokens.size();
        write("tokenizer.json", json{{"version", "1.0"},
                                     {"added_tokens", json::array()},
                                     {"normalizer", {{"type", "Lowercase"}}},
                                     {"pre_tokenizer", {{"type", "BertPreTokenizer"}}},
                                     {"model",
                                      {{"type", "WordPiece"},
                                       {"unk_token", "[UNK]"},
                                       {"continuing_subword_prefix", "##"},
                                       {"max_input_chars_per_word", 100},
                                       {"vocab", tokens}}}}
                                    .dump());
        PrepareOptions options = asked(Objective::Bert);
        options.instances.wholeWords = true;
        const auto manifest = prepareRows(options);
        QVERIFY2(manifest.ok(), manifest.ok() ? "" : manifest.error().text().c_str());
        QVERIFY(!manifest->settings.cased);
        QCOMPARE(firstViolation(verified(out())), std::string());
    }

    void trainsATokenizer_data()
    {
        QTest::addColumn<int>("objective");
        QTest::addRow("running text") << int(Objective::Tokens);
        QTest::addRow("masks") << int(Objective::Masked);
    }
    /// The same bytes for any number of threads; the manifest has the hashes of everything else.
    void trainsATokenizer()
    {
        QFETCH(int, objective);
        std::set<std::string> manifests;
        for (const int threads : {1, 2, 5}) {
            PrepareOptions options = smallOptions(file("threads" + std::to_string(threads)));
            options.trainVocabulary = 0;
            options.trainTokenizer = 700;
            options.instances.objective = Objective(objective);
            options.threads = threads;
            const auto manifest = prepareRows(options);
            QVERIFY2(manifest.ok(), manifest.ok() ? "" : manifest.error().text().c_str());
            QCOMPARE(manifest->vocabularySize, 700);
            manifests.insert(manifest->toJson());
        }
        QCOMPARE(manifests.size(), std::size_t(1));
        QCOMPARE(firstViolation(verified(file("threads5"))), std::string());
    }

    void goesOnAfterAKill()
    {
        const auto argumentsFor = [&](const char* name) {
            return QStringList{"prepare",
                               QString::fromStdString(sampleDump()),
                               "--out",
                               QString::fromStdString(file(name)),
                               "--threads",
                               "2",
                               "--shards",
                               "3",
                               "--train-tokenizer",
                               "900",
                               "--objective",
                               "gpt",
                               "--seq-len",
                               "64",
                               "--save-every",
                               "0.001"};
        };
        QCOMPARE(runPrepareProgram(argumentsFor("whole")).status, 0);
        int kills = 0;
        for (useconds_t life = 10'000; !fs::exists(file("often")); life += life / 5) {
            QProcess process;
            process.start(TRAINYARD_BIN_DIR "/trainyard-prepare", argumentsFor("often"));
            QVERIFY(process.waitForStarted(kPatienceMs));
            ::usleep(life);
            ::kill(static_cast<pid_t>(process.processId()), SIGKILL);
            QVERIFY(process.waitForFinished(kPatienceMs));
            ++kills;
        }
        QCOMPARE(runPrepareProgram(argumentsFor("often")).status >= 0, true); // clears up, if that was left
        QCOMPARE(hashesBelow(file("often")), hashesBelow(file("whole")));
        qInfo("%d kills", kills);
    }

    void theJoinedPartsAreTheWhole()
    {
        write("tokenizer.json", trained({"<|endoftext|>"}));
        PrepareOptions options = asked(Objective::Tokens);
        QVERIFY(prepareRows(options).ok());
        PrepareOptions part;
        part.dumps = options.dumps;
        part.tokenizer = options.tokenizer;
        part.out = file("part");
        Progress progress;
        const CancelFlag cancel;
        QVERIFY(prepareDocuments(part, progress, cancel).ok());
        options.dumps.clear();
        options.parts = {part.out};
        options.out = file("joined");
        const auto joined = prepareRows(options);
        QVERIFY2(joined.ok(), joined.ok() ? "" : joined.error().text().c_str());
        QCOMPARE(hashesBelow(options.out), hashesBelow(out()));
    }

    void refusesWhatCannotBe_data()
    {
        QTest::addColumn<QString>("says");
        for (const char* says :
             {"[MASK] or <mask>", "--vocab and --tokenizer cannot be combined", "is required",
              "tokenizer.json", "model.type", "--cased cannot be combined with --tokenizer",
              "special_tokens_map.json", "--train-tokenizer cannot be combined with --task",
              "--train-tokenizer: 100 tokens"})
            QTest::addRow("%s", says) << says;
    }
    void refusesWhatCannotBe()
    {
        QFETCH(QString, says);
        const auto is = [&](const char* row) { return says == QLatin1String(row); };
        write("tokenizer.json", trained({"<s>", "</s>"}));
        PrepareOptions options = asked(is("[MASK] or <mask>") ? Objective::Masked : Objective::Tokens);
        if (is("--vocab and --tokenizer cannot be combined"))
            options.vocabulary = "vocab.txt";
        else if (is("is required"))
            options.tokenizer.clear();
        else if (is("tokenizer.json"))
            options.tokenizer = file("nowhere/tokenizer.json");
        else if (is("model.type"))
            write("tokenizer.json", R"({"version": "1.0", "model": {"type": "Unigram"}})");
        else if (is("--cased cannot be combined with --tokenizer"))
            options.cased = true;
        else if (is("special_tokens_map.json"))
            write("special_tokens_map.json", "[");
        else if (is("--train-tokenizer cannot be combined with --task"))
            options.task.kind = TaskKind::Classify, options.instances.objective = Objective::Bert,
            options.dupeFactor = PrepareOptions().dupeFactor, options.tokenizer.clear(),
            options.trainTokenizer = 700;
        else if (is("--train-tokenizer: 100 tokens"))
            options.tokenizer.clear(), options.trainTokenizer = 100;
        const auto refused = prepareRows(options);
        QVERIFY(!refused.ok());
        QVERIFY(refused.error().kind == ErrorKind::BadInput);
        QVERIFY2(refused.error().message.find(says.toStdString()) != std::string::npos,
                 refused.error().text().c_str());
        QVERIFY(!refused.error().hint.empty());
        QVERIFY(!fs::exists(out()));
    }

private:
    fs::path file(const std::string& name) const { return fs::path(m_dir->path().toStdString()) / name; }
    fs::path out() const { return file("out"); }
    void write(const std::string& name, const std::string& content) const
    {
        QVERIFY(writeFileAtomically(file(name), content).ok());
    }

    /// Of the corpus with tokenizer.json, in the folder "out".
    PrepareOptions asked(Objective objective) const
    {
        PrepareOptions options = smallOptions(out());
        options.dumps = {file("corpus.jsonl")};
        options.trainVocabulary = 0;
        options.tokenizer = file("tokenizer.json");
        options.instances.objective = objective;
        options.instances.sequenceLength = 32;
        options.instances.maxPredictions = 5;
        options.testFraction = 0;
        options.dupeFactor = objective == Objective::Tokens ? 1 : 4;
        return options;
    }

    std::unique_ptr<QTemporaryDir> m_dir;
};

QTEST_GUILESS_MAIN(TestTokenizerRows)
#include "tst_tokenizer_rows.moc"
