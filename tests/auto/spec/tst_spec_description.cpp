#include <QFile>
#include <QTest>

#include <set>

#include "engine/spec/field_changes.h"
#include "engine/spec/field_list.h"
#include "engine/spec/spec_json.h"
#include "engine/spec/validate.h"
#include "tests/auto/spec/field_documents.h"

using namespace trainyard;

namespace {

/// Compares a file of the repository with the text that it is made of. With TRAINYARD_WRITE_GOLDEN=1 in the
/// environment it is written instead, to be reviewed as a diff.
void compareWithFile(const char* path, const std::string& text)
{
    QFile file(QStringLiteral(TRAINYARD_SOURCE_DIR "/") + path);
    if (qEnvironmentVariableIsSet("TRAINYARD_WRITE_GOLDEN")) {
        QVERIFY(file.open(QIODevice::WriteOnly));
        QVERIFY(file.write(text.data(), qsizetype(text.size())) == qsizetype(text.size()));
        return;
    }
    QVERIFY2(file.open(QIODevice::ReadOnly), path);
    QVERIFY2(file.readAll().toStdString() == text,
             path + QByteArray(" is out of date: TRAINYARD_WRITE_GOLDEN=1 tests_spec tst_spec_description"));
}

} // namespace

class TestSpecDescription : public QObject {
    Q_OBJECT

private slots:
    void theSchemaIsUpToDate() { compareWithFile("resources/schema/run_spec.schema.json", specSchema()); }

    void theManualIsUpToDate() { compareWithFile("engine/spec/FIELDS.md", fieldManual()); }

    void everyFieldIsExplainedOnce()
    {
        std::set<std::string> paths;
        for (const ListedField& field : fieldList()) {
            const std::string_view help = field.info.help;
            QVERIFY2(!help.empty() && !help.ends_with('.'), field.path.c_str());
            QVERIFY2(help.size() + field.defaultJson.size() + std::string_view(field.info.source).size() <
                         180,
                     field.path.c_str()); // four lines under the form
            QVERIFY2(paths.insert(field.path).second, field.path.c_str());
            QVERIFY2(field.kind != FieldKind::Size || field.info.isSize(), field.path.c_str());
            QVERIFY2((field.kind == FieldKind::Choice) == !field.choices.empty() ||
                         field.kind == FieldKind::Partition,
                     field.path.c_str());
        }
        QVERIFY(paths.contains("cluster.nodes[].slots"));
        QVERIFY(paths.contains("precision.loss_scale.backoff"));
    }

    void saysWhatIsOutOfRange_data()
    {
        QTest::addColumn<QString>("json");
        QTest::addColumn<QString>("said");
        QTest::addColumn<QString>("equation");
        const auto row = [](const char* json, const char* said, const char* equation = "") {
            QTest::addRow("%s", json) << json << said << equation;
        };
        row(R"("model":{"layers":0})", "model.layers: is 0 — must be at least 1", "0 < 1");
        row(R"("model":{"layers":1025})", "model.layers: is 1025 — must be at most 1024", "1025 > 1024");
        row(R"("model":{"dropout":1})", "model.dropout: is 1 — must be at least 0 and below 1", "1 >= 1");
        row(R"("model":{"dropout":-0.5})", "model.dropout: is -0.5 — must be at least 0 and below 1",
            "-0.5 < 0");
        row(R"("model":{"layer_norm_epsilon":0})",
            "model.layer_norm_epsilon: is 0 — must be positive, e.g. 1e-12");
        row(R"("cluster":{"nodes":[{"slots":1},{"host":"b","slots":65537}]})",
            "cluster.nodes[1].slots: is 65537 — must be at most 65536", "65537 > 65536");
        row(R"("layout":{"bucket_size":"1 KiB"})",
            "layout.bucket_size: is 1.00 KiB — must be at least 64 KiB; 25 MiB is a good start");
        row(R"("optimizer":{"weight_decay":-1})", "optimizer.weight_decay: is -1 — must be at least 0",
            "-1 < 0");
        row(R"("precision":{"loss_scale":{"backoff":1}})",
            "precision.loss_scale.backoff: is 1 — must be between 0 and 1, e.g. 0.5");
        row(R"("memory":{"zero_stage":4})", "memory.zero_stage: is 4 — must be 0, 1, 2 or 3", "4 > 3");
        row(R"("launch":{"grace_period":"601 s"})",
            "launch.grace_period: is 10 min 1 s — must be at most 10 min 0 s");
        row(R"("launch":{"restart":{"limit":1001}})", "launch.restart.limit: is 1001 — must be at most 1000",
            "1001 > 1000");
    }
    void saysWhatIsOutOfRange()
    {
        QFETCH(QString, json);
        const ParsedSpec parsed =
            parseSpec(QString(R"({"trainyard":1,"dataset":{"path":"/d"},%1})").arg(json).toStdString());
        QCOMPARE(parsed.diagnostics.size(), std::size_t{0});
        const Diagnostics problems = validate(parsed.spec);
        QCOMPARE(problems.size(), std::size_t{1});
        QTEST(QString::fromStdString(problems[0].text()), "said");
        QTEST(QString::fromStdString(problems[0].equation), "equation");
    }

    void namesEveryFieldThatDiffers()
    {
        RunSpec before;
        RunSpec after;
        before.model.preset = "bert-base"; // is no setting of a model that has none
        after.batch.micro = 2;
        after.layout.schedule = PipelineScheduleKind::GPipe;
        after.cluster.nodes.push_back({"b", 2});
        QCOMPARE(textOf(changesBetween(before, after)),
                 R"(batch.micro 2, cluster.nodes [{"host":"localhost","slots":1},{"host":"b","slots":2}], )"
                 R"(layout.schedule "gpipe")");
        QCOMPARE(changesBetween(after, after).size(), std::size_t{0});
    }

    void givesEveryFieldOfASpecification()
    {
        RunSpec spec;
        spec.layout.partition = {PartitionKind::ByHand, {3, 4}};
        const auto texts = fieldTexts(spec);
        const auto has = [&](const char* path, const char* value) {
            return std::ranges::count(texts, FieldChange{path, value}) == 1;
        };
        QVERIFY(has("seed", "42"));
        QVERIFY(has("cluster.nodes[0].host", "localhost"));
        QVERIFY(has("layout.partition[1]", "4"));
        QVERIFY(has("layout.bucket_size", "25 MiB"));
        QVERIFY(has("precision.loss_scale.initial", "65536"));
        QVERIFY(has("launch.restart.elastic", "false"));
    }
};

QTEST_APPLESS_MAIN(TestSpecDescription)
#include "tst_spec_description.moc"
