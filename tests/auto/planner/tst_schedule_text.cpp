#include <QTest>

#include "engine/planner/pipeline/make_schedule.h"
#include "tests/support/schedule/schedule_text.h"

using namespace trainyard;

namespace {

using Kind = PipelineScheduleKind;

QString textOf(Kind kind, const PipelineShape& shape)
{
    return QString::fromStdString(toText(makeSchedule(kind, shape).value()));
}

/// The lists without transfers, reductions and step: what figures in papers show.
QString passesOf(Kind kind, const PipelineShape& shape)
{
    QStringList lines;
    for (const ActionList& list : makeSchedule(kind, shape).value().ranks) {
        QStringList words;
        for (const PipelineAction& action : list) {
            if (action.kind <= PipelineActionKind::BackwardWeight)
                words << QString::fromStdString(toText(action, shape));
        }
        lines << words.join(' ');
    }
    return lines.join('\n');
}

} // namespace

class TestScheduleText : public QObject {
    Q_OBJECT

private slots:
    void showsTransfersReductionsAndStep()
    {
        // By hand. Rank 1 takes >F1 before B0 because it is there by then: F0 and F1 end at 1 and 2, B0
        // starts at 2.
        QCOMPARE(textOf(Kind::OneForwardOneBackward, {2, 1, 2}),
                 "ranks 2, chunks 1, micro-batches 2\n"
                 "0: F0 F0> F1 F1> >B0 B0 >B1 B1 reduce step\n"
                 "1: >F0 F0 >F1 B0 B0> F1 B1 B1> reduce step\n");
        QCOMPARE(textOf(Kind::Interleaved, {1, 2, 1}), "ranks 1, chunks 2, micro-batches 1\n"
                                                       "0: F0.0 F0.1 B0.1 reduce.1 B0.0 reduce.0 step\n");
    }

    void ordersPassesAsInTheFigures_data()
    {
        QTest::addColumn<Kind>("kind");
        QTest::addColumn<PipelineShape>("shape");
        QTest::addColumn<QString>("passes");
        QTest::addRow("gpipe") << Kind::GPipe << PipelineShape{2, 1, 3}
                               << "F0 F1 F2 B0 B1 B2\n"
                                  "F0 F1 F2 B0 B1 B2";
        // Narayanan et al. (arXiv:2104.04473), figure 4: the pattern of its two halves, for fewer
        // micro-batches.
        QTest::addRow("1f1b") << Kind::OneForwardOneBackward << PipelineShape{4, 1, 5}
                              << "F0 F1 F2 F3 B0 F4 B1 B2 B3 B4\n"
                                 "F0 F1 F2 B0 F3 B1 F4 B2 B3 B4\n"
                                 "F0 F1 B0 F2 B1 F3 B2 F4 B3 B4\n"
                                 "F0 B0 F1 B1 F2 B2 F3 B3 F4 B4";
        QTest::addRow("interleaved")
            << Kind::Interleaved << PipelineShape{2, 2, 4}
            << "F0.0 F1.0 F0.1 F1.1 F2.0 B0.1 F3.0 B1.1 F2.1 B0.0 F3.1 B1.0 B2.1 B3.1 "
               "B2.0 B3.0\n"
               "F0.0 F1.0 F0.1 B0.1 F1.1 B1.1 F2.0 B0.0 F3.0 B1.0 F2.1 B2.1 F3.1 B3.1 "
               "B2.0 B3.0";
        // 5 micro-batches on 2 ranks: a group of 3, then one of 2.
        QTest::addRow("interleaved, uneven groups") << Kind::Interleaved << PipelineShape{2, 2, 5}
                                                    << "F0.0 F1.0 F2.0 F0.1 F1.1 F2.1 B0.1 F3.0 B1.1 F4.0 "
                                                       "B2.1 F3.1 B0.0 F4.1 B1.0 B2.0 B3.1 B4.1 B3.0 "
                                                       "B4.0\n"
                                                       "F0.0 F1.0 F2.0 F0.1 B0.1 F1.1 B1.1 F2.1 B2.1 F3.0 "
                                                       "B0.0 F4.0 B1.0 F3.1 B2.0 F4.1 B3.1 B4.1 B3.0 "
                                                       "B4.0";
        // ZB-H1 by the rule at computeOrder(); that it has the paper's length and memory is shown in
        // tst_simulator.
        QTest::addRow("zero-bubble") << Kind::ZeroBubble << PipelineShape{4, 1, 5}
                                     << "F0 F1 F2 F3 I0 W0 F4 I1 W1 I2 W2 I3 W3 I4 W4\n"
                                        "F0 F1 F2 I0 F3 I1 W0 F4 I2 W1 I3 W2 I4 W3 W4\n"
                                        "F0 F1 I0 F2 I1 F3 I2 W0 F4 I3 W1 I4 W2 W3 W4\n"
                                        "F0 I0 F1 I1 F2 I2 F3 I3 W0 F4 I4 W1 W2 W3 W4";
    }
    void ordersPassesAsInTheFigures()
    {
        QFETCH(Kind, kind);
        QFETCH(PipelineShape, shape);
        QTEST(passesOf(kind, shape), "passes");
    }

    void followsTheSpecification()
    {
        RunSpec spec;
        spec.layout.schedule = Kind::Interleaved;
        spec.layout.virtualStages = 2;
        spec.layout.pipeline = 2;
        spec.batch.accumulation = 4;
        QVERIFY(makeSchedule(spec).value() == makeSchedule(Kind::Interleaved, {2, 2, 4}).value());
        spec.layout.pipeline = 1;
        QCOMPARE(QString::fromStdString(toText(makeSchedule(spec).value())),
                 "ranks 1, chunks 1, micro-batches 4\n0: F0 B0 F1 B1 F2 B2 F3 B3 reduce step\n");
    }

    void readsBackWhatItWrote()
    {
        for (const auto& [kind, shape] : {std::pair{Kind::GPipe, PipelineShape{3, 1, 4}},
                                          {Kind::OneForwardOneBackward, {1, 1, 2}},
                                          {Kind::Interleaved, {4, 3, 11}},
                                          {Kind::ZeroBubble, {4, 1, 8}}}) {
            const PipelineSchedule schedule = makeSchedule(kind, shape).value();
            const auto read = parseSchedule(toText(schedule));
            QVERIFY2(read.ok(), read.ok() ? "" : read.error().text().c_str());
            QVERIFY(read.value() == schedule);
        }
    }

    void saysWhatItCannotRead_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("said");
        QTest::addRow("nothing") << ""
                                 << "line 1: the shape of the pipeline is missing";
        QTest::addRow("no chunks") << "ranks 2, micro-batches 4\n"
                                   << "line 1: the shape";
        QTest::addRow("zero ranks") << "ranks 0, chunks 1, micro-batches 4\n"
                                    << "line 1: the shape";
        QTest::addRow("a rank short") << "ranks 2, chunks 1, micro-batches 1\n0: F0\n"
                                      << "line 3: pipeline rank 1 is missing";
        QTest::addRow("a rank too many") << "ranks 1, chunks 1, micro-batches 1\n0: F0\n1: F0\n"
                                         << "line 3: the pipeline has 1 ranks";
        QTest::addRow("no action") << "ranks 1, chunks 1, micro-batches 1\n0: F0 G0\n"
                                   << "line 2: \"G0\" is not an action";
        QTest::addRow("arrows on both sides") << "ranks 1, chunks 1, micro-batches 1\n0: >F0>\n"
                                              << "\">F0>\" is not an action";
        QTest::addRow("negative") << "ranks 1, chunks 1, micro-batches 1\n0: F-1\n"
                                  << "\"F-1\" is not an action";
        QTest::addRow("chunk missing") << "ranks 1, chunks 2, micro-batches 1\n0: F0\n"
                                       << "write e.g. F0.1";
        QTest::addRow("chunk too many") << "ranks 1, chunks 1, micro-batches 1\n0: F0.0\n"
                                        << "\"F0.0\" is not an action";
        QTest::addRow("number too large") << "ranks 1, chunks 1, micro-batches 1\n0: F99999999999\n"
                                          << "is not an action";
    }
    void saysWhatItCannotRead()
    {
        QFETCH(QString, text);
        QFETCH(QString, said);
        const auto read = parseSchedule(text.toStdString());
        QVERIFY(!read.ok());
        const QString error = QString::fromStdString(read.error().text());
        QVERIFY2(error.contains(said), qPrintable(error));
    }
};

QTEST_APPLESS_MAIN(TestScheduleText)
#include "tst_schedule_text.moc"
