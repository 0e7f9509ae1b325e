#include <QDir>
#include <QJsonArray>
#include <QJsonObject>
#include <QTest>

#include "tests/integration/cli_fixture.h"
#include "tests/support/browser/headless_browser.h"
#include "tests/support/file_content.h"
#include "tests/support/patience.h"
#include "tests/support/sample_run/sample_run.h"

using namespace trainyard;
using trainyard::support::contentOf;
using trainyard::support::HeadlessBrowser;
using namespace trainyard::test;

namespace {

/// What the page says under the title of a curve.
const QString kReadOut = QStringLiteral("[...document.querySelectorAll('figure')].find(figure => "
                                        "figure.querySelector('figcaption span').textContent === '%1')"
                                        "?.querySelector('.muted').textContent ?? ''");

} // namespace

/// `trainyard share`, seen with a real browser.
class TestSharePage : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        if (HeadlessBrowser::program().isEmpty())
            QSKIP("there is no Chromium: packaging/setup --tests installs it");
    }

    void init() { m_cli = std::make_unique<CliFixture>(); }

    void aBrowserShowsEveryCurveFromADisk()
    {
        support::SampleRun sample;
        sample.steps = sample.reached = 9000; // more than an overview has
        sample.evaluateEvery = 1000;
        const QString run = QDir(support::writeSampleRun(m_cli->path("desk/runs"), sample)).dirName();
        MUST(share({run, "--out", m_cli->path("page")}));
        MUST(open());
        AWAIT(text(kReadOut.arg("loss")).startsWith("step 9,000: "));
        AWAIT(text(kReadOut.arg("held out/loss")).startsWith("step 9,000: "));
        QCOMPARE(value("document.querySelectorAll('#charts canvas').length > 5"), QJsonValue(true));
        QCOMPARE(text("document.querySelector('#runs td[title]').textContent"), sample.name);
        // Zoomed in, each point is there: those of the tiles.
        QVERIFY(value("zoomTo([4000, 4100]), true") == true);
        AWAIT(value("state.tiles.size > 0 && [...state.tiles.values()].every(tile => tile !== 'asked')") ==
              true);
        AWAIT(value("pointsOf(0, state.index.runs[0].curves[0], [4000, 4100]).stride") == 1);
    }

    void aBrowserFollowsARunThatContinues()
    {
        QString why;
        QVERIFY2(m_cli->makeDataset(&why), qPrintable(why));
        RunSpec spec = tinySpec(m_cli->dataset(), 1, 600);
        const CliResult launched = m_cli->run({"launch", m_cli->writeSpec("spec.json", spec)});
        QVERIFY2(launched.status == 0, qPrintable(launched.err));
        const QString run = launched.out.trimmed();
        const auto sharing = m_cli->start({"share", run, "--out", m_cli->path("page"), "--live"});
        AWAIT(QFile::exists(m_cli->path("page/data/index.js")));
        MUST(open());
        AWAIT(text("document.getElementById('status').textContent").startsWith("Live"));
        AWAIT(text("document.getElementById('status').textContent").startsWith("As of")); // the run has ended
        AWAIT(sharing->state() == QProcess::NotRunning);
        QCOMPARE(sharing->exitCode(), 0);
        AWAIT(text(kReadOut.arg("loss")).startsWith("step 600: "));

        // What the page drew last is the last value of the journal, to the digit.
        const CliResult exported = m_cli->run({"export", run, "--json", "-"});
        const QJsonArray losses =
            QJsonDocument::fromJson(exported.out.toUtf8())["series"]["loss"]["value"].toArray();
        QCOMPARE(losses.size(), 600);
        QCOMPARE(value("state.curves[0].loss.min[599]").toDouble(), losses.last().toDouble());
        const QJsonDocument data = QJsonDocument::fromJson(contentOf(m_cli->path("page/data.json")));
        QCOMPARE(data["runs"].toArray().at(0)["metrics"]["loss"].toDouble(), losses.last().toDouble());
        QCOMPARE(data["runs"].toArray().at(0)["state"].toString(), "finished");
    }

private:
    void share(const QStringList& arguments)
    {
        const CliResult shared = m_cli->run(QStringList{"share"} + arguments);
        QVERIFY2(shared.status == 0, qPrintable(shared.err));
        QCOMPARE(shared.out.trimmed(), m_cli->path("page/index.html"));
    }

    void open()
    {
        QString why;
        m_browser = HeadlessBrowser::open("file://" + m_cli->path("page/index.html"), &why);
        QVERIFY2(m_browser, qPrintable(why));
    }

    QJsonValue value(const QString& expression) const
    {
        return m_browser->evaluate(expression).value_or(QJsonValue(QJsonValue::Undefined));
    }
    QString text(const QString& expression) const { return value(expression).toString(); }

    std::unique_ptr<CliFixture> m_cli;
    std::unique_ptr<HeadlessBrowser> m_browser;
};

QTEST_GUILESS_MAIN(TestSharePage)
#include "tst_share_page.moc"
