#include <QRegularExpression>
#include <QTest>

#include <algorithm>
#include <filesystem>

#include "engine/base/file.h"
#include "engine/hand_over/model_card.h"

using namespace trainyard;

namespace {

Manifest dataSet()
{
    Manifest data;
    data.sequenceLength = 64;
    data.vocabularySize = 4096;
    data.vocabularySha256 = std::string(64, 'a');
    data.shards = {{"train.hdf5", 10000, {}, true}, {"test.hdf5", 500, {}, false}};
    data.settings.dumps = {"enwiki-20260101-pages-articles.xml.bz2"};
    data.settings.maskedShare = 0.15;
    data.statistics.documents = 110;
    data.statistics.testDocuments = 10;
    data.statistics.tokens = 1234567;
    return data;
}

TrainingHistory history()
{
    TrainingHistory history;
    history.curve = {{1, 9.5, 8.75, 0.75, 1e-4}, {60, 5.25, 4.625, 0.625, 2e-3}};
    EvaluationRecord record;
    record.step = 60;
    record.loss = 5.5;
    record.tokenLoss = 4.875;
    record.sequenceLoss = 0.625;
    record.tokenAccuracy = 0.25;
    record.sequenceAccuracy = 0.5;
    record.tokens = 6400;
    record.rows = 640;
    history.evaluations = {record};
    history.steps = 60;
    history.tokens = 61440;
    history.seconds = 90;
    history.attempts = 1;
    return history;
}

CardFacts facts()
{
    CardFacts facts;
    facts.name = "bert-tiny";
    facts.family = "BertForPreTraining";
    facts.spec.name = "my run";
    facts.spec.model.vocabulary = 4096;
    facts.spec.dataset.path = "/secret/place/wiki-64";
    facts.spec.cluster.nodes.front().host = "secret-host";
    facts.spec.launch.steps = 100;
    facts.step = Step{60};
    facts.consumedSamples = 1920;
    facts.tokenizer = CardTokenizer{4096, false, "hf-0.23"};
    facts.dataSet = dataSet();
    facts.history = history();
    facts.hardware = "1 host with 8 x NVIDIA H100";
    return facts;
}

CardFacts ofClassifier()
{
    CardFacts classifier = facts();
    classifier.family = "BertForSequenceClassification";
    classifier.spec.model.task = {.kind = TaskKind::Classify, .labels = 2};
    classifier.labels = {"late", "on_time"};
    classifier.dataSet->settings.objective = "classify";
    classifier.dataSet->settings.format = "examples";
    classifier.dataSet->task.labels = classifier.labels;
    classifier.dataSet->task.heldOut = {"dev.tsv"};
    EvaluationRecord& record = classifier.history->evaluations.back();
    record.loss = 0.5;
    record.tokenAccuracy = 0.875;
    record.task.kind = TaskKind::Classify;
    record.task.f1 = 0.75;
    record.task.matthews = 0.625;
    return classifier;
}

QString cardOf(const CardFacts& facts)
{
    return QString::fromStdString(modelCard(facts));
}

/// The value behind a name in one of the card's tables.
QString valueOf(const QString& card, const QString& name)
{
    const QRegularExpression row("^\\| " + QRegularExpression::escape(name) + " \\| (.*) \\|$",
                                 QRegularExpression::MultilineOption);
    return row.match(card).captured(1);
}

} // namespace

class TestModelCard : public QObject {
    Q_OBJECT

private slots:
    void namesTheSharesOfAMixture()
    {
        CardFacts mixed = facts();
        mixed.dataSet->sources = {{.weight = 3, .documents = 10, .tokens = 1000, .mixedTokens = 1500},
                                  {.weight = 1, .documents = 90, .tokens = 5000, .mixedTokens = 500}};
        QCOMPARE(valueOf(cardOf(mixed), "Shares of the training tokens"),
                 "75.0 % (1.50 passes), 25.0 % (0.10 passes)");
        QVERIFY(valueOf(cardOf(mixed), "Rows made of each document").isEmpty());
    }

    /// Every section in its place. After a wanted change: TRAINYARD_WRITE_GOLDEN=1 tests_hand_over
    /// tst_model_card
    void isTheCardOfTheFile()
    {
        const std::filesystem::path file =
            std::filesystem::path(TRAINYARD_SOURCE_DIR) / "tests" / "auto" / "hand_over" / "model_card.md";
        const QString card =
            cardOf(facts()).replace("| Trainyard " TRAINYARD_VERSION " |", "| Trainyard VERSION |");
        if (qEnvironmentVariableIsSet("TRAINYARD_WRITE_GOLDEN"))
            QVERIFY(writeFileAtomically(file, card.toStdString()).ok());
        const QStringList expected = QString::fromStdString(readFile(file).value()).split(u'\n');
        const QStringList lines = card.split(u'\n');
        for (qsizetype line = 0; line < std::min(lines.size(), expected.size()); ++line)
            QCOMPARE(lines[line], expected[line]);
        QCOMPARE(lines.size(), expected.size());
    }

    void beginsWithTheHubsMetadata()
    {
        const QString card = cardOf(facts());
        QVERIFY(card.startsWith("---\nlanguage:\n- en\n"));
        const QString head = card.section("---\n", 1, 1);
        QVERIFY(head.contains("\nlibrary_name: transformers\n"));
        QVERIFY(head.contains("\npipeline_tag: fill-mask\n"));
        QVERIFY(head.contains("\ndatasets:\n- wikipedia\n"));
        QVERIFY(head.contains("\n# license:")); // nobody but the user knows
        QVERIFY(!head.contains("\nlicense:"));
    }

    void tellsDataAndRecipe()
    {
        const QString card = cardOf(facts());
        QCOMPARE(valueOf(card, "Documents"), "100, and 10 held out");
        QCOMPARE(valueOf(card, "Rows"), "10,000, and 500 held out");
        QCOMPARE(valueOf(card, "Tokens of all documents"), "1,234,567");
        QCOMPARE(valueOf(card, "Steps"), "60 of 100");
        QCOMPARE(valueOf(card, "Rows seen"), "1,920, 0.19 times the training rows");
        QCOMPARE(valueOf(card, "Tokens seen, without padding"), "61,440");
        QVERIFY(valueOf(card, "Optimizer").startsWith("adamw, beta 0.9 and 0.999, epsilon 1e-08"));
        QCOMPARE(valueOf(card, "Hardware"), "1 host with 8 x NVIDIA H100");
        QCOMPARE(valueOf(card, "Time of its steps"), "1 min 30 s");
    }

    void showsCurveAndHeldOutResults()
    {
        const QString card = cardOf(facts());
        QVERIFY(card.contains("| Step | Loss | Masked tokens | Next sentence | Learning rate |\n"));
        QVERIFY(card.contains("| 60 | 5.2500 | 4.6250 | 0.6250 | 0.002 |\n"));
        QVERIFY(card.contains("| Step | loss | mlm_loss | mlm_accuracy | nsp_loss | nsp_accuracy |\n"));
        QVERIFY(card.contains("| 60 | 5.5000 | 4.8750 | 0.2500 | 0.6250 | 0.5000 |\n"));
        QVERIFY(card.contains("Means over 6,400 tokens to predict in 640 held-out rows"));
    }

    void tellsItsLimits()
    {
        const QString card = cardOf(facts());
        QVERIFY(card.contains("positions from 64 to 511 were never trained"));
        QVERIFY(card.contains("This is step 60 of the 100 planned."));
        CardFacts whole = facts();
        whole.dataSet->sequenceLength = 512;
        whole.step = Step{100};
        whole.spec.model.vocabulary = 5000;
        const QString other = cardOf(whole);
        QVERIFY(!other.contains("never trained"));
        QVERIFY(other.contains("tokens from 4096 to 4999 never occur"));
        QVERIFY(!other.contains("not finished"));
    }

    void tellsOfPhases()
    {
        CardFacts phased = facts();
        phased.spec.dataset.path.clear();
        PhaseSpec phase;
        phase.named = {"dataset.path", "batch.global"};
        phase.name = "short";
        phase.steps = 40;
        phase.dataset.path = "/secret/place/wiki-64";
        phase.batch.global = 32;
        phased.spec.phases.push_back(phase);
        phase.name.clear();
        phase.steps = 60;
        phase.dataset.path = "/secret/place/wiki-512";
        phase.batch.global = 16;
        phased.spec.phases.push_back(phase);
        const QString card = cardOf(phased);
        QVERIFY(card.contains("| short | 40 of 40 | wiki-64 | 32 rows | "));
        QVERIFY(card.contains("| phase 2 | 20 of 60 | wiki-512 | 16 rows | "));
        QCOMPARE(valueOf(card, "Batch"), "16 rows");
        QCOMPARE(valueOf(card, "Steps"), "60 of 100");
        QCOMPARE(valueOf(card, "Rows seen"), "1,920"); // of two data sets
        QVERIFY(!card.contains("never trained"));
        QVERIFY(!card.contains("secret"));
    }

    /// Steps are missing in the journal: a sum over the others would be wrong.
    void leavesOutSumsOfAJournalWithGaps()
    {
        CardFacts gaps = facts();
        gaps.history->steps = 59;
        QVERIFY(!cardOf(gaps).contains("Tokens seen"));
        QVERIFY(!cardOf(gaps).contains("Time of its steps"));
    }

    void inventsNothing()
    {
        CardFacts unknown = facts();
        unknown.dataSet.reset();
        unknown.history.reset();
        unknown.hardware.clear();
        unknown.tokenizer.reset();
        const QString card = cardOf(unknown);
        QVERIFY(card.startsWith("---\n# license:"));
        QVERIFY(!card.contains("datasets:"));
        QVERIFY(card.contains("The data set \"wiki-64\" was not available"));
        QVERIFY(card.contains("The records of its steps were not available"));
        QVERIFY(card.contains("None were recorded up to this step."));
        QVERIFY(card.contains("The folder has no tokenizer."));
        QVERIFY(!card.contains("AutoTokenizer"));
        QVERIFY(!card.contains("Hardware"));
    }

    void ofImportedWeightsTellsNoTraining()
    {
        CardFacts imported;
        imported.name = "bert";
        imported.family = "BertForMaskedLM";
        imported.spec.model.nextSentence = false;
        const QString card = cardOf(imported);
        QVERIFY(card.contains("how they were trained is not recorded"));
        QVERIFY(!card.contains("## Training"));
        QVERIFY(card.contains("AutoModelForMaskedLM.from_pretrained(folder)"));
    }

    void loadsAModelOfATaskAsOne()
    {
        CardFacts tagger = facts();
        tagger.family = "BertForTokenClassification";
        tagger.spec.model.task.kind = TaskKind::Tag;
        const QString card = cardOf(tagger);
        QVERIFY(card.contains("\npipeline_tag: token-classification\n"));
        QVERIFY(card.contains("import AutoModelForTokenClassification, AutoTokenizer, pipeline\n"));
        QVERIFY(!card.contains("[MASK]"));
        QVERIFY(!card.contains("next-sentence head"));
    }

    // What transformers reports of such folders with output_loading_info.
    void namesTheClassThatLoadsItWithoutRemarks()
    {
        QVERIFY(cardOf(facts()).contains(
            "\nAutoModelForPreTraining loads every tensor of the folder and adds none. AutoModel loads the "
            "encoder alone: it names the tensors of the heads as unexpected, as it does for checkpoints of "
            "Hugging Face.\nAutoModelForMaskedLM leaves the pooler and the next-sentence head out.\n"));
        CardFacts masked = facts();
        masked.family = "BertForMaskedLM";
        masked.spec.model.nextSentence = false;
        QVERIFY(cardOf(masked).contains("\nAutoModelForMaskedLM loads every tensor"));
        QVERIFY(cardOf(masked).contains("tensors of the head as unexpected"));
        QVERIFY(cardOf(masked).contains("and adds a pooler with random weights.\n"));
        QVERIFY(!cardOf(ofClassifier()).contains("random weights"));
        CardFacts decoder = facts();
        decoder.spec.model.setFamily(ModelFamily::Gpt);
        QVERIFY(cardOf(decoder).contains("AutoModel loads the decoder without its head.\n"));
        decoder.spec.model.tiedHead = false;
        QVERIFY(cardOf(decoder).contains("tensors of the head as unexpected"));
        decoder.adaptersAlone = true;
        QVERIFY(!cardOf(decoder).contains("unexpected"));
    }

    void ofATaskNamesLabelsAndMetrics()
    {
        CardFacts classifier = ofClassifier();
        const QString card = cardOf(classifier);
        QVERIFY(card.contains("\npipeline_tag: text-classification\nmetrics:\n- accuracy\n- f1\n"
                              "- matthews_correlation\n"));
        QVERIFY(card.contains("\n## Task\n\nIt finds the class of a text, or of a pair of texts.\n\n"
                              "| Output | Label |\n| --- | --- |\n| 0 | late |\n| 1 | on\\_time |\n"));
        QVERIFY(card.contains("run = pipeline(\"text-classification\", model=folder, tokenizer=folder)\n"));
        QVERIFY(card.contains("| Step | loss | accuracy | f1 | matthews |\n"));
        QVERIFY(card.contains("| 60 | 0.5000 | 0.8750 | 0.7500 | 0.6250 |\n"));
        QVERIFY(card.contains("Figures over 640 held-out rows of its data set"));
        QVERIFY(card.contains("It was trained from scratch"));
    }

    void ofATaskTellsItsExamples()
    {
        CardFacts classifier = ofClassifier();
        const QString card = cardOf(classifier);
        QCOMPARE(valueOf(card, "Labelled examples"), "100, and 10 held out");
        QCOMPARE(valueOf(card, "Files of the held-out examples"), "dev.tsv");
        QCOMPARE(valueOf(card, "Task"), "the class of each row, one of 2");
        QVERIFY(!card.contains("| Sentences |"));
        QVERIFY(!card.contains("masked"));
    }

    void ofATaskWithoutNamesSaysSo()
    {
        CardFacts classifier = ofClassifier();
        classifier.labels.clear();
        const QString card = cardOf(classifier);
        QVERIFY(card.contains("Its 2 labels have no names here"));
        QVERIFY(!card.contains("| Output |"));
        classifier.spec.model.task.kind = TaskKind::Regress;
        QVERIFY(cardOf(classifier).contains("one number."));
        QVERIFY(!cardOf(classifier).contains("have no names"));
    }

    void listsNoMoreLabelsThanAReaderLooksAt()
    {
        CardFacts classifier = ofClassifier();
        classifier.labels.assign(130, "name");
        classifier.spec.model.task.labels = 130;
        const QString card = cardOf(classifier);
        QVERIFY(card.contains("| 99 | name |\n\n30 more are in config.json, id2label.\n"));
    }

    void adaptersOfATaskNameTheSizeOfTheHead()
    {
        CardFacts classifier = ofClassifier();
        classifier.adaptersAlone = true;
        classifier.spec.model.lora.rank = 4;
        QVERIFY(cardOf(classifier).contains("from_pretrained(\"...\", num_labels=2)"));
    }

    void namesNoMachine() { QVERIFY(!cardOf(facts()).contains("secret")); }

    void namesStayText()
    {
        CardFacts hostile = facts();
        hostile.spec.name = "a|b](x)\n# c";
        hostile.name = "quo\"te";
        hostile.dataSet->settings.dumps = {"x | <script>.xml"};
        const QString card = cardOf(hostile);
        QVERIFY(card.contains("# a\\|b\\](x) \\# c\n"));
        QVERIFY(card.contains("folder = \"quo\\\"te\"\n"));
        QCOMPARE(valueOf(card, "Files"), "x \\| \\<script\\>.xml");
    }

    void loadsADecoderAsOne()
    {
        CardFacts decoder = facts();
        decoder.spec.model.setFamily(ModelFamily::Gpt);
        decoder.family = "GPT2LMHeadModel";
        decoder.dataSet->settings.objective = "gpt";
        const QString card = cardOf(decoder);
        QVERIFY(card.contains("pipeline_tag: text-generation\n"));
        QVERIFY(card.contains("model = AutoModelForCausalLM.from_pretrained(folder)\n"));
        QVERIFY(card.contains("| Step | Loss | Learning rate |\n"));
        QVERIFY(card.contains("| Step | loss | perplexity | accuracy |\n"));
    }
};

QTEST_GUILESS_MAIN(TestModelCard)
#include "tst_model_card.moc"
