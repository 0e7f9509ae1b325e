// Times of charts: opening long runs, panning and zooming over many curves, following live ones; see
// README.md.

#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>
#include <numeric>
#include <vector>

#include <CLI/CLI.hpp>
#include <QApplication>
#include <QElapsedTimer>
#include <QFile>
#include <QTemporaryDir>
#include <QUndoStack>

#include <fmt/format.h>
#include <qcustomplot.h>

#include "app/charts/chart_options.h"
#include "app/charts/curve_chart.h"
#include "app/monitor/charts_tab.h"
#include "app/runs/open_run.h"
#include "app/runs/series_cache.h"
#include "app/series/series_file.h"
#include "engine/base/resident_set.h"
#include "engine/records/journal.h"

namespace {

using namespace trainyard;
namespace fs = std::filesystem;

constexpr QSize kWindow(1280, 800);
constexpr int kFrames = 120;

/// Milliseconds of wall and of processor time.
struct Times {
    std::vector<double> wall;
    std::vector<double> processor;

    template <typename Work>
    void take(Work work)
    {
        QElapsedTimer timer;
        timer.start();
        const std::clock_t before = std::clock();
        work();
        processor.push_back(1000.0 * static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC);
        wall.push_back(static_cast<double>(timer.nsecsElapsed()) / 1e6);
    }

    static double quantile(std::vector<double> values, double share)
    {
        const auto at = values.begin() + std::ptrdiff_t(share * double(values.size() - 1));
        std::ranges::nth_element(values, at);
        return *at;
    }

    void print(const std::string& what) const
    {
        fmt::print("{:58} processor ms: median {:7.2f}, 99 % {:7.2f}; wall: {:7.2f}, {:7.2f}\n", what,
                   quantile(processor, 0.5), quantile(processor, 0.99), quantile(wall, 0.5),
                   quantile(wall, 0.99));
    }
};

/// Of frames that a display of 60 pictures per second would have dropped.
double shareLate(const std::vector<double>& milliseconds)
{
    const auto late = std::ranges::count_if(milliseconds, [](double ms) { return ms > 16; });
    return double(late) / double(milliseconds.size());
}

double mebibytes()
{
    return static_cast<double>(residentSetBytes()) / (1 << 20);
}

/// A falling loss with noise that no two curves share.
double lossAt(qsizetype step, int curve)
{
    const std::uint64_t hash = (std::uint64_t(step) * 0x9E3779B97F4A7C15ULL) ^ (std::uint64_t(curve) << 40);
    const double noise = static_cast<double>((hash ^ (hash >> 29)) & 0xFFFF) / 65536.0;
    return 3 + 0.02 * curve + 7 / (1 + 1e-5 * static_cast<double>(step)) + noise;
}

StepRecord stepOf(std::int64_t step, int curve)
{
    StepRecord record;
    record.step = step;
    record.loss = lossAt(step, curve);
    record.mlmLoss = record.loss * 0.9;
    record.nspLoss = record.loss * 0.1;
    record.learningRate = 1e-4;
    record.gradientNorm = record.loss / 3;
    record.stepSeconds = 0.5;
    record.sequences = 256;
    record.tokens = 256 * 120;
    record.consumedSamples = 256 * step;
    record.ranks.resize(2);
    return record;
}

void writeJournal(const fs::path& folder, int steps)
{
    fs::create_directories(folder / "journal");
    auto writer = JournalWriter::open(folder / "journal", "steps", 1).value();
    for (int step = 1; step <= steps; ++step)
        writer.append(stepOf(step, 0)).value();
}

Status writeTable(const fs::path& file, qsizetype rows, int columns)
{
    TRAINYARD_TRY(SeriesWriter writer, SeriesWriter::open(file));
    QStringList names{kStepSeries, kWallSeries};
    for (int column = 0; column < columns; ++column)
        names.append(QString("series %1").arg(column));
    TRAINYARD_TRY(const int table, writer.addTable("train", names));
    std::vector<double> row(std::size_t(names.size()));
    for (qsizetype step = 1; step <= rows; ++step) {
        row[0] = double(step);
        row[1] = 1e9 + 0.5 * double(step);
        for (int column = 0; column < columns; ++column)
            row[std::size_t(column) + 2] = lossAt(step, column);
        TRAINYARD_TRY_STATUS(writer.append(table, row));
    }
    return writer.commit({});
}

void showNow(ChartPanel& chart)
{
    chart.resize(kWindow);
    chart.show();
    chart.replotNow();
}

/// From a file to the first picture of `curves` of its series.
void openTable(const fs::path& file, int curves, const std::string& what)
{
    const double before = mebibytes();
    Times times;
    CurveChart chart("series", Quantity::Number);
    times.take([&] {
        const SeriesFile series = SeriesFile::open(file).value();
        const SeriesTable& table = series.tables().front();
        QList<Curve> shown;
        for (int i = 0; i < curves; ++i)
            shown.append(
                {.name = table.names[2 + i], .x = table.values[0], .y = table.values[2 + i], .style = i});
        chart.setCurves(shown);
        showNow(chart);
    });
    times.print(what);
    fmt::print("{:58} {:.0f} MiB more\n", "    resident memory", mebibytes() - before);
}

void openRuns(const QTemporaryDir& scratch)
{
    const fs::path run = scratch.filePath("run").toStdString();
    writeJournal(run, 1'000'000);
    Times reading;
    reading.take([&] { readRunSeries(QString::fromStdString(run.string())).value(); });
    reading.print("run of 10^6 steps, read from its journal alone");
    Times keeping;
    keeping.take([&] { TRAINYARD_CHECK(rebuildSeriesCache(QString::fromStdString(run.string())).ok()); });
    keeping.print("    its series file is made (in another thread)");
    Times opening;
    const double before = mebibytes();
    QUndoStack undo;
    ChartsTab tab(undo);
    std::unique_ptr<OpenRun> open;
    opening.take([&] {
        open = std::make_unique<OpenRun>(readRunFolder(QString::fromStdString(run.string())).value());
        tab.resize(kWindow);
        tab.show(*open);
        tab.QWidget::show();
        for (ChartPanel* chart : tab.findChildren<ChartPanel*>())
            chart->replotNow();
    });
    opening.print("run of 10^6 steps, opened and all its charts drawn");
    fmt::print("{:58} {:.0f} MiB more\n", "    resident memory", mebibytes() - before);

    const fs::path wide = scratch.filePath("wide").toStdString();
    TRAINYARD_CHECK(writeTable(wide, 1'000'000, 40).ok());
    openTable(wide, 40, "10^6 steps x 40 series, opened and all drawn");
    const fs::path tall = scratch.filePath("tall").toStdString();
    TRAINYARD_CHECK(writeTable(tall, 10'000'000, 1).ok());
    openTable(tall, 1, "10^7 points of one series, opened and drawn");
}

/// Bytes that this process asked the system to read so far.
qint64 bytesRead()
{
    QFile io("/proc/self/io");
    TRAINYARD_CHECK(io.open(QFile::ReadOnly));
    return io.readAll().split('\n').value(0).split(' ').value(1).toLongLong();
}

/// Keeps the series file of a run that grows to 10^6 steps, as a window that follows it does.
void keepSeries(const QTemporaryDir& scratch)
{
    constexpr int kSteps = 1'000'000;
    const fs::path run = scratch.filePath("kept").toStdString();
    fs::create_directories(run / "journal");
    auto writer = JournalWriter::open(run / "journal", "steps", 1).value();
    RunSeries series;
    SeriesCache cache(QString::fromStdString(run.string()), 0);
    Times times;
    qint64 read = 0;
    for (int step = 1; step <= kSteps; step += kMinCachedSteps) {
        std::vector<Record> records;
        for (int next = step; next < std::min<int>(step + kMinCachedSteps, kSteps + 1); ++next) {
            writer.append(stepOf(next, 0)).value();
            records.push_back({1, std::uint64_t(next), {0, std::int64_t(next) * 500'000'000}, stepOf(next, 0)});
        }
        series.apply("steps", records);
        const qint64 before = bytesRead();
        times.take([&] { TRAINYARD_CHECK(cache.update(series.stepStream()).ok()); });
        read += bytesRead() - before;
    }
    times.print(fmt::format("series file of a run of 10^6 steps, an update of {} steps", kMinCachedSteps));
    fmt::print("{:58} {:.0f} ms of processor time, {:.1f} MiB read\n", "    all updates",
               std::accumulate(times.processor.begin(), times.processor.end(), 0.0), double(read) / (1 << 20));
}

QList<Curve> manyCurves(int count, int points)
{
    SeriesColumn x;
    for (int step = 1; step <= points; ++step)
        x.append(step);
    QList<Curve> curves;
    for (int i = 0; i < count; ++i) {
        SeriesColumn y;
        for (int step = 1; step <= points; ++step)
            y.append(lossAt(step, i));
        curves.append({.name = QString("run %1").arg(i), .x = x, .y = y, .style = i});
    }
    return curves;
}

/// Part of the axis in frame `frame`: zooming in by half, then panning from end to end.
ChartSpan spanOf(int frame, double points)
{
    const double width = points * std::max(0.02, 1.0 - 0.02 * frame);
    const double way = std::max(0, frame - kFrames / 2) / double(kFrames / 2);
    return {1 + way * (points - width), 1 + way * (points - width) + width};
}

void move(CurveChart& chart, ChartLink& link, double points, const std::string& what)
{
    Times times;
    for (int frame = 0; frame < kFrames; ++frame) {
        times.take([&] {
            link.setZoom(spanOf(frame, points));
            chart.replotNow();
        });
    }
    times.print(what);
    fmt::print("{:58} {:.1f} % by wall time\n", "    frames over 16 ms", 100 * shareLate(times.wall));
}

void moveAll(int curves)
{
    constexpr int kPoints = 1'000'000;
    const QList<Curve> all = manyCurves(curves, kPoints);
    ChartLink link;
    CurveChart chart("Loss", Quantity::Number);
    chart.setLink(&link);
    chart.setCurves(all);
    ChartOptions options;
    options.smoothing.weight = 0;
    chart.setOptions(options);
    showNow(chart);
    move(chart, link, kPoints, fmt::format("{} curves of 10^6 points, a frame of zoom or pan", curves));
    options.smoothing.weight = 0.6;
    chart.setOptions(options);
    Times smoothing;
    smoothing.take([&] { chart.replotNow(); });
    smoothing.print("    smoothing is turned on");
    move(chart, link, kPoints, "    smoothed, with the raw curves behind");

    constexpr int kPlotted = 5; // all of them take minutes
    QCustomPlot plain;
    plain.resize(kWindow);
    for (int i = 0; i < kPlotted; ++i)
        plain.addGraph()->setData(all[i].x.toList(), all[i].y.toList(), true);
    plain.yAxis->setRange(3, 12);
    plain.show();
    Times times;
    for (int frame = 0; frame < kFrames; frame += 10) {
        times.take([&] {
            const ChartSpan span = spanOf(frame, kPoints);
            plain.xAxis->setRange(span.from, span.to);
            plain.replot(QCustomPlot::rpImmediateRefresh);
        });
    }
    times.print(fmt::format("{} curves of 10^6 points in QCustomPlot, a frame", kPlotted));
}

/// Every run gets a record at each of the ticks of a second; all are in one chart.
void follow(int runs, int recordsPerSecond)
{
    constexpr int kBefore = 20'000;
    constexpr int kTicks = 200;
    std::vector<RunSeries> series(static_cast<std::size_t>(runs));
    const auto record = [](int step, int run) {
        return Record{1, std::uint64_t(step), {0, std::int64_t(step) * 50'000'000}, stepOf(step, run)};
    };
    for (int run = 0; run < runs; ++run) {
        for (int step = 1; step <= kBefore; ++step)
            series[std::size_t(run)].apply("steps", {record(step, run)});
    }
    CurveChart chart("Loss", Quantity::Number);
    showNow(chart);
    Times frames;
    for (int tick = 1; tick <= kTicks; ++tick) {
        frames.take([&] {
            QList<Curve> curves;
            for (int run = 0; run < runs; ++run) {
                RunSeries& one = series[std::size_t(run)];
                one.apply("steps", {record(kBefore + tick, run)});
                curves.append({.name = QString("run %1").arg(run),
                               .x = one.steps().column(StepColumn::Step),
                               .y = one.steps().column(StepColumn::Loss),
                               .style = run});
            }
            chart.setCurves(curves);
            chart.replotNow();
        });
    }
    frames.print(
        fmt::format("{} live runs x {} records/s, smoothed: records and frame", runs, recordsPerSecond));
    fmt::print("{:58} {:.1f} % by wall time, {:.1f} % by processor time of all threads\n",
               "    frames over 16 ms", 100 * shareLate(frames.wall), 100 * shareLate(frames.processor));
}

/// From a record that arrives at the desk to the picture that shows it.
void arrive()
{
    RecordedRun recorded;
    recorded.facts.id = "live";
    OpenRun run(std::move(recorded));
    QUndoStack undo;
    ChartsTab tab(undo);
    tab.resize(kWindow);
    tab.QWidget::show();
    QObject::connect(&run, &OpenRun::changed, &tab, [&] { tab.show(run); });
    const auto plots = tab.findChildren<QCustomPlot*>();
    std::vector<double> times;
    for (int step = 1; step <= 100; ++step) {
        QElapsedTimer timer;
        timer.start();
        bool painted = false;
        const auto seen = QObject::connect(plots.front(), &QCustomPlot::afterReplot, [&] { painted = true; });
        run.apply("steps", {Record{1, std::uint64_t(step), {0, step * 1'000'000'000LL}, stepOf(step, 0)}});
        while (!painted)
            QApplication::processEvents(QEventLoop::WaitForMoreEvents);
        times.push_back(static_cast<double>(timer.nsecsElapsed()) / 1e6);
        QObject::disconnect(seen);
    }
    fmt::print("{:58} wall ms: median {:.0f}, 99 % {:.0f}\n", "record at the desk to pixel",
               Times::quantile(times, 0.5), Times::quantile(times, 0.99));
}

} // namespace

int main(int argc, char** argv)
{
    CLI::App options("Times of charts");
    std::vector<std::string> parts{"open", "keep", "move", "live", "arrive"};
    int curves = 100;
    options.add_option("--parts", parts, "Which of open, keep, move, live, arrive");
    options.add_option("--curves", curves, "Curves of 10^6 points for move; each takes 13 MB");
    CLI11_PARSE(options, argc, argv);
    std::setvbuf(stdout, nullptr, _IOLBF, 0);
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication app(argc, argv);
    const QTemporaryDir scratch;
    const auto wanted = [&](const char* part) { return std::ranges::find(parts, part) != parts.end(); };
    if (wanted("open"))
        openRuns(scratch);
    if (wanted("keep"))
        keepSeries(scratch);
    if (wanted("move"))
        moveAll(curves);
    if (wanted("live"))
        follow(64, 20);
    if (wanted("arrive"))
        arrive();
    return 0;
}
