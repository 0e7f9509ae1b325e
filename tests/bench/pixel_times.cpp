// From the moment at which a node writes the record of a step to the pixel that shows it: a journal on a host
// of the lab (as root), its agent behind a real sshd, the follower with its mirror, the run's model, and the
// loss chart of the place Runs, painted. Host and desk are one machine here, so both read the same monotonic
// clock. See README.md.
#include <algorithm>
#include <deque>
#include <random>
#include <thread>

#include <CLI/CLI.hpp>
#include <QApplication>
#include <QTemporaryDir>
#include <fmt/format.h>

#include "app/alerts/alert_center.h"
#include "app/base/theme.h"
#include "app/charts/curve_chart.h"
#include "app/charts/curve_layer.h"
#include "app/monitor/charts_tab.h"
#include "app/monitor/remote_run_hosts.h"
#include "app/monitor/runs_page.h"
#include "app/plan/hardware_library.h"
#include "app/runs/run_database.h"
#include "app/runs/run_store.h"
#include "engine/base/clock.h"
#include "remote/launch/run_service.h"
#include "remote/target/data_dirs.h"
#include "tests/bench/waiting.h"
#include "tests/support/journal/fed_run.h"
#include "tests/support/lab/netns_lab.h"

using namespace trainyard;
using namespace trainyard::support;
using namespace std::chrono_literals;
using bench::percentile;
using bench::waitUntil;

namespace {

const QString kRun = QStringLiteral("20261122T091505Z-pixels-0001");

double millisecondsSince(std::int64_t monotonicNs)
{
    return double(systemClock().now().monotonicNs - monotonicNs) * 1e-6;
}

/// Notes how old each record is when it arrives, and when the chart that shows it has been painted.
class Watch : public QObject {
public:
    Watch(OpenRun& run, CurveChart& chart) : m_run(run), m_chart(chart)
    {
        for (auto* part : chart.findChildren<QWidget*>())
            part->installEventFilter(this);
        connect(&run, &OpenRun::changed, this, &Watch::takeArrived);
    }

    std::vector<double> toModel{}; ///< ms
    std::vector<double> toPixel{}; ///< ms

protected:
    /// The painting itself belongs to the time: the chart is asked when its turn is over.
    bool eventFilter(QObject* watched, QEvent* event) override
    {
        if (event->type() == QEvent::Paint)
            QMetaObject::invokeMethod(this, &Watch::takePainted, Qt::QueuedConnection);
        return QObject::eventFilter(watched, event);
    }

private:
    void takeArrived()
    {
        const StepTable& steps = m_run.series().steps();
        for (; m_arrived < steps.size(); ++m_arrived) {
            const auto writtenNs = std::int64_t(steps.column(StepColumn::Loss)[m_arrived]);
            m_waiting.push_back({steps.column(StepColumn::Step)[m_arrived], writtenNs});
            toModel.push_back(millisecondsSince(writtenNs));
        }
    }
    void takePainted()
    {
        double newest = 0;
        for (const DrawnLine& line : m_chart.lines()) {
            if (!line.points.empty())
                newest = std::max(newest, line.points.back().x());
        }
        for (; !m_waiting.empty() && m_waiting.front().step <= newest; m_waiting.pop_front())
            toPixel.push_back(millisecondsSince(m_waiting.front().writtenNs));
    }

    struct Waiting {
        double step;
        std::int64_t writtenNs;
    };
    OpenRun& m_run;
    CurveChart& m_chart;
    qsizetype m_arrived = 0;
    std::deque<Waiting> m_waiting; ///< in the model, not yet seen
};

/// One host with a run on it, and the place that shows it.
class Bench {
public:
    Bench() : m_lab({1, "256m", {}})
    {
        qputenv("TRAINYARD_DATA", m_desk.path().toUtf8());
        if (const QString trouble = m_lab.start(); !trouble.isEmpty())
            qFatal("%s", qPrintable(trouble));
        m_lab.trustHosts();
        m_pool = std::make_unique<TargetPool>(m_lab.targetOptions());
        m_service = std::make_unique<RunService>(*m_pool);
        m_hosts = std::make_unique<RemoteRunHosts>(*m_service);
        makeRun();
        showIt();
    }

    /// Writes steps at random moments, `interval` apart on average, as the loss the moment of their writing.
    void measure(int steps, std::chrono::milliseconds interval)
    {
        auto* chart = m_place->findChild<ChartsTab*>()->findChild<CurveChart*>();
        Watch watch(*m_run, *chart);
        std::thread writer([&] { write(steps, interval); });
        waitUntil([&] { return watch.toPixel.size() >= std::size_t(steps); });
        writer.join();
        for (const auto& [what, times] :
             {std::pair{"model", &watch.toModel}, std::pair{"pixel", &watch.toPixel}})
            fmt::print(
                "written on the node to {}: {} records, median {:.0f} ms, 90 % {:.0f} ms, 99 % {:.0f} ms, "
                "most {:.0f} ms\n",
                what, times->size(), percentile(*times, 0.5), percentile(*times, 0.9),
                percentile(*times, 0.99), percentile(*times, 1));
    }

private:
    QString address() { return m_lab.host(0).address(); }
    QString journal() { return m_lab.host(0).path("/root/.trainyard/runs/" + kRun + "/journal"); }

    void makeRun()
    {
        Target& target = m_pool->target(address());
        waitUntil([&] { return target.state() == Target::State::Ready; });
        bool made = false;
        target.call(createRunRequest(kRun), [&](const Result<QJsonObject>&) { made = true; });
        waitUntil([&] { return made; });
        std::optional<Result<QString>> attached;
        QObject::connect(m_service->attach(address(), kRun), &RunOperation::finished,
                         [&](const Result<QString>& result) { attached = result; });
        waitUntil([&] { return attached.has_value(); });
        if (!attached->ok())
            qFatal("%s", attached->error().text().c_str());
    }

    void showIt()
    {
        m_library = RunDatabase::open(m_desk.filePath("history.db")).value();
        m_runStore = std::make_unique<RunStore>(*m_library, QString::fromStdString(runsDir().string()),
                                                m_hosts.get());
        m_alerts = std::make_unique<AlertCenter>(*m_runStore, m_desk.filePath("alerts.json").toStdString());
        m_place = std::make_unique<RunsPage>(*m_runStore, *m_alerts, m_hardware);
        m_place->resize(1200, 770);
        m_place->show();
        m_place->activate();
        m_run = m_runStore->open(kRun).value();
    }

    void write(int steps, std::chrono::milliseconds interval)
    {
        auto writer = JournalWriter::open(journal().toStdString(), "steps", 1).value();
        std::mt19937 random(1);
        std::exponential_distribution<double> pause(1.0 / double(interval.count()));
        for (int step = 1; step <= steps; ++step) {
            std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(pause(random)));
            StepRecord record;
            record.step = step;
            record.loss = double(systemClock().now().monotonicNs);
            writer.append(record).value();
        }
    }

    QTemporaryDir m_desk;
    lab::NetnsLab m_lab;
    std::unique_ptr<TargetPool> m_pool;
    std::unique_ptr<RunService> m_service;
    std::unique_ptr<RemoteRunHosts> m_hosts;
    const HardwareLibrary m_hardware{"/no/hardware/of/ones/own"};
    std::unique_ptr<RunDatabase> m_library;
    std::unique_ptr<RunStore> m_runStore;
    std::unique_ptr<AlertCenter> m_alerts;
    std::unique_ptr<RunsPage> m_place;
    OpenRun* m_run = nullptr;
};

} // namespace

int main(int argc, char** argv)
{
    CLI::App options("From the record that a node writes to the pixel");
    int steps = 400;
    int interval = 50;
    options
        .add_option("--steps", steps,
                    "Records to write; beyond some 800 the chart draws columns, which do not "
                    "say what is the newest")
        ->check(CLI::Range(1, 800))
        ->capture_default_str();
    options.add_option("--interval", interval, "Average ms between two records")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    CLI11_PARSE(options, argc, argv);
    qputenv("QT_QPA_PLATFORM", "offscreen");
    const QApplication application(argc, argv);
    QApplication::setPalette(paletteOf(ColourScheme::Light));
    if (const QString why = lab::NetnsLab::whyNot(); !why.isEmpty())
        qFatal("%s", qPrintable(why));
    Bench().measure(steps, std::chrono::milliseconds(interval));
    return 0;
}
