#include <QTest>

#include "engine/spec/lora_targets.h"
#include "engine/spec/spec_json.h"
#include "engine/spec/validate.h"
#include "tests/auto/spec/problem_text.h"

using namespace trainyard;

/// Tasks and adapters that cannot work.
class TestTaskRules : public QObject {
    Q_OBJECT

private slots:
    void findsTheProductsOfATarget_data()
    {
        QTest::addColumn<QString>("family");
        QTest::addColumn<QStringList>("targets");
        QTest::addColumn<QStringList>("products");
        QTest::addRow("PEFT's of bert")
            << "bert" << QStringList() << QStringList{"attention.self.query", "attention.self.value"};
        QTest::addRow("PEFT's of gpt") << "gpt" << QStringList() << QStringList{"attn.c_attn"};
        QTest::addRow("dense") << "bert" << QStringList{"dense"}
                               << QStringList{"attention.output.dense", "intermediate.dense", "output.dense"};
        QTest::addRow("output.dense")
            << "bert" << QStringList{"output.dense"} << QStringList{"attention.output.dense", "output.dense"};
        QTest::addRow("both, in the order of the layer")
            << "gpt" << QStringList{"mlp.c_proj", "c_attn"} << QStringList{"attn.c_attn", "mlp.c_proj"};
    }
    void findsTheProductsOfATarget()
    {
        QFETCH(QString, family);
        QFETCH(QStringList, targets);
        QFETCH(QStringList, products);
        ModelSpec model;
        model.setFamily(family == "gpt" ? ModelFamily::Gpt : ModelFamily::Bert);
        QVERIFY(adaptedProducts(model).empty());
        model.lora.rank = 2;
        for (const QString& target : targets)
            model.lora.targets.push_back(target.toStdString());
        QStringList found;
        for (const AdaptableProduct& product : adaptedProducts(model))
            found << QString::fromUtf8(product.name.data(), qsizetype(product.name.size()));
        QCOMPARE(found, products);
        QCOMPARE(isAdapted(model, "bert.encoder.layer.0.attention.output.dense"),
                 products.contains("attention.output.dense"));
    }

    void refusesAdaptersThatCannotWork_data()
    {
        QTest::addColumn<QString>("json");
        QTest::addColumn<QString>("said");
        QTest::addRow("rank 0") << R"("lora":{"rank":0})"
                                << "lora.rank: is 0";
        QTest::addRow("no rank") << R"("lora":{"alpha":16})"
                                 << "lora.rank: is missing";
        QTest::addRow("negative rank") << R"("lora":{"rank":-1})"
                                       << "lora.rank: is -1";
        QTest::addRow("no alpha") << R"("lora":{"rank":2,"alpha":0})"
                                  << "lora.alpha: is 0";
        QTest::addRow("everything dropped") << R"("lora":{"rank":2,"dropout":1})"
                                            << "lora.dropout: is 1";
        QTest::addRow("another model's target")
            << R"("lora":{"rank":2,"targets":["query","q_proj"]})"
            << R"(lora.targets: "q_proj" names no product of a layer of this bert model)";
        QTest::addRow("half a name") << R"("lora":{"rank":2,"targets":["uery"]})"
                                     << R"(lora.targets: "uery" names no product)";
        QTest::addRow("empty name") << R"("lora":{"rank":2,"targets":[""]})"
                                    << R"(lora.targets: "" names no product)";
        QTest::addRow("encoder's target of a decoder")
            << R"("lora":{"rank":2,"targets":["query"]},"model":{"family":"gpt"})"
            << R"(lora.targets: "query" names no product of a layer of this gpt model)";
        QTest::addRow("gate without one") << R"("lora":{"rank":2,"targets":["gate"]})"
                                          << R"(lora.targets: "gate" names no product)";
        QTest::addRow("in a phase") << R"("phases":[{"steps":5,"lora":{"rank":2}}])"
                                    << "phases[0].lora: a phase cannot change the lora of its run";
    }
    void refusesAdaptersThatCannotWork()
    {
        QFETCH(QString, json);
        QFETCH(QString, said);
        const ParsedSpec parsed =
            parseSpec(QString(R"({"trainyard":1,"dataset":{"path":"/d"},%1})").arg(json).toStdString());
        const QString problems = print(parsed.diagnostics) + print(validate(parsed.spec));
        QVERIFY2(problems.contains(said), qPrintable(problems));
    }

    void refusesTasksThatCannotWork_data()
    {
        QTest::addColumn<QString>("json");
        QTest::addColumn<QString>("said");
        QTest::addRow("classifying decoder") << R"("task":{"kind":"classify"},"model":{"family":"gpt"})"
                                             << "task.kind: is classify, which gpt models do not learn";
        QTest::addRow("completing encoder") << R"("task":{"kind":"complete"})"
                                            << "task.kind: is complete, which bert models do not learn";
        QTest::addRow("one label") << R"("task":{"kind":"classify","labels":1})"
                                   << "task.labels: is 1";
        QTest::addRow("shared rows")
            << R"("task":{"kind":"answer"},"layout":{"context":2},"cluster":{"nodes":[{"slots":2}]})"
            << "layout.context: is 2";
        QTest::addRow("packed rows") << R"("task":{"kind":"answer"},"batch":{"packing":true})"
                                     << "batch.packing: is true";
    }
    void refusesTasksThatCannotWork()
    {
        QFETCH(QString, json);
        QFETCH(QString, said);
        const ParsedSpec parsed =
            parseSpec(QString(R"({"trainyard":1,"dataset":{"path":"/d"},%1})").arg(json).toStdString());
        QCOMPARE(print(parsed.diagnostics), "");
        const Diagnostics problems = validate(parsed.spec);
        QCOMPARE(problems.size(), std::size_t{1});
        QVERIFY2(print(problems).contains(said), qPrintable(print(problems)));
    }
};

QTEST_APPLESS_MAIN(TestTaskRules)
#include "tst_task_rules.moc"
