// Processor time of the painted views of a run, by how much they hold; see README.md.

#include <algorithm>
#include <ctime>
#include <vector>

#include <CLI/CLI.hpp>
#include <QApplication>
#include <QPixmap>

#include <fmt/format.h>

#include "app/alerts/alert_rules.h"
#include "app/base/theme.h"
#include "app/monitor/device_board.h"
#include "app/monitor/log_view.h"
#include "app/monitor/rank_times.h"

namespace {

using namespace trainyard;

constexpr QSize kView{1600, 900};

/// Median of the milliseconds of processor time that `work` takes; it is given the number of the round.
template <typename Work>
double milliseconds(int rounds, Work work)
{
    std::vector<double> times;
    for (int round = 0; round < rounds; ++round) {
        const std::clock_t before = std::clock();
        work(round);
        times.push_back(1000.0 * static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC);
    }
    std::ranges::nth_element(times, times.begin() + rounds / 2);
    return times[static_cast<std::size_t>(rounds) / 2];
}

void print(const char* what, double milliseconds)
{
    fmt::print("{:<56}{:>9.3f} ms\n", what, milliseconds);
}

void measureLog(int rounds)
{
    LogView view;
    view.resize(kView);
    QByteArray piece;
    for (int line = 0; line < 10'000; ++line)
        piece += "2026-11-21T09:15:05Z step " + QByteArray::number(line) + "  loss 7.1234  1203.4 seq/s\n";
    print("log: 10 000 lines more", milliseconds(100, [&](int) { view.append(0, piece, true); }));
    QPixmap picture(kView);
    print("log of 10^6 lines: a picture", milliseconds(rounds, [&](int round) {
              view.goToTime(1'795'252'505'000 + round);
              view.render(&picture);
          }));
    print("log of 10^6 lines: a search", milliseconds(rounds, [&](int round) {
              view.setNeedle(QStringLiteral("step 99%1 ").arg(10 + round % 80));
          }));
    print("log of 10^6 lines: only warnings", milliseconds(rounds, [&](int round) {
              view.setLeastLevel(round % 2 == 0 ? LogLevel::Warning : LogLevel::Info);
          }));
}

std::vector<DeviceStats> devices(int count)
{
    std::vector<DeviceStats> all(static_cast<std::size_t>(count));
    for (int rank = 0; rank < count; ++rank) {
        DeviceStats& device = all[static_cast<std::size_t>(rank)];
        device.rank = rank;
        device.memory = {
            QStringLiteral("rank %1").arg(rank), QStringLiteral("node"), {}, 27 * kGiB, 32 * kGiB};
        device.memory.categories = {4 * kGiB, 4 * kGiB, 12 * kGiB, 6 * kGiB, kGiB};
        device.time.latest.seconds[1] = device.time.usual[1] = 0.8 + 0.001 * (rank % 97);
        device.sample = DeviceSample{rank % 8, 27 * kGiB, 32 * kGiB, 0.94, 0, 63, 284};
    }
    return all;
}

void measureBoard(int count, int rounds)
{
    DeviceBoard board;
    const auto all = devices(count);
    board.show(all);
    board.resize(kView.width(), board.heightForWidth(kView.width()));
    QPixmap picture(kView);
    print(fmt::format("board of {}: new figures and a picture", count).c_str(),
          milliseconds(rounds, [&](int round) {
              board.show(all);
              board.setCurrent(round % count);
              board.render(&picture, {}, QRegion(QRect({}, kView)));
          }));
    RankTimes times;
    times.resize(kView);
    std::vector<RankSummary> ranks;
    for (const DeviceStats& device : all)
        ranks.push_back(device.time);
    print(fmt::format("step times of {}: new figures and a picture", count).c_str(),
          milliseconds(rounds, [&](int) {
              times.show(ranks, {});
              times.render(&picture);
          }));
}

/// A run of so many steps on 64 ranks, judged as once a second.
void measureRules(int steps, int rounds)
{
    RunSeries series;
    std::vector<Record> records;
    for (int step = 1; step <= steps; ++step) {
        StepRecord record;
        record.step = step;
        record.loss = 3.5 + 0.01 * (step % 7);
        record.gradientNorm = 1;
        record.stepSeconds = 0.5;
        record.ranks.resize(step == steps ? 64 : 1);
        records.push_back({1, static_cast<std::uint64_t>(step), {0, step * 500'000'000LL}, record});
    }
    records.push_back({1, static_cast<std::uint64_t>(steps) + 1, {0, steps * 500'000'000LL}, EventRecord{}});
    series.apply("steps", records);
    series.apply("run",
                 {{1, 1, {0, steps * 500'000'000LL}, StateRecord{RunState::Running, "", steps, steps}}});
    const RunFacts facts;
    print(fmt::format("alert rules over {} steps", steps).c_str(), milliseconds(rounds, [&](int) {
              (void)alertsOf({facts, series, RunLink::Live, steps * 500LL}, {});
          }));
}

} // namespace

int main(int argc, char** argv)
{
    CLI::App app("Processor time of the painted views of a run");
    int rounds = 51;
    app.add_option("--rounds", rounds, "Of each")->check(CLI::PositiveNumber)->capture_default_str();
    CLI11_PARSE(app, argc, argv);
    qputenv("QT_QPA_PLATFORM", "offscreen");
    const QApplication application(argc, argv);
    QApplication::setPalette(paletteOf(ColourScheme::Light));
    measureLog(rounds);
    for (const int count : {64, 1024})
        measureBoard(count, rounds);
    for (const int steps : {1000, 100'000})
        measureRules(steps, rounds);
    return 0;
}
