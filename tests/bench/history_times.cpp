// How long the history of 10 000 runs takes: to open, to search as one types, to note a tag, to take over
// what another window wrote. Prints medians of processor time.

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <functional>
#include <vector>

#include <QCoreApplication>
#include <QTemporaryDir>

#include <CLI/CLI.hpp>

#include "app/runs/run_database.h"
#include "app/runs/run_list_model.h"
#include "engine/spec/spec_json.h"

using namespace trainyard;

namespace {

/// Of this thread, so that a busy machine does not count.
double processorMs()
{
    timespec now{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return double(now.tv_sec) * 1e3 + double(now.tv_nsec) / 1e6;
}

double medianMs(int times, const std::function<void()>& work)
{
    std::vector<double> all;
    for (int i = 0; i < times; ++i) {
        const double begin = processorMs();
        work();
        all.push_back(processorMs() - begin);
    }
    std::nth_element(all.begin(), all.begin() + times / 2, all.end());
    return all[std::size_t(times) / 2];
}

RunEntry entry(int number)
{
    RunEntry e;
    e.id =
        QStringLiteral("20261120T101010Z-sweep-of-warmup-and-batch-%1").arg(number, 5, 10, QLatin1Char('0'));
    e.name = QStringLiteral("sweep-of-warmup-and-batch-%1").arg(number);
    e.hosts = {QStringLiteral("gpu-%1.cluster").arg(number % 64),
               QStringLiteral("gpu-%1.cluster").arg(number % 7)};
    e.spec = QString::fromStdString(toJson(RunSpec{}));
    e.state = number % 10 == 0 ? RunState::Failed : RunState::Finished;
    e.step = e.steps = 7038;
    e.loss = 2 + number % 100 / 50.0;
    e.sequencesPerSecond = 800 + number % 13;
    e.worldSize = 16;
    e.createdMs = 1'790'000'000'000 + number * 60'000LL;
    e.updatedMs = e.createdMs + 3'600'000;
    e.tags = number % 5 == 0 ? QStringList{"paper", "phase one"} : QStringList{"sweep"};
    e.notes = QStringLiteral("What was tried and what came out of it, in a sentence or two, for run %1.")
                  .arg(number);
    return e;
}

void fill(RunDatabase& library, int runs)
{
    for (int i = 0; i < runs; ++i) {
        if (const Status stored = library.store(entry(i)); !stored.ok()) {
            std::fprintf(stderr, "%s\n", stored.error().text().c_str());
            std::exit(stored.error().kind == ErrorKind::BadInput ? 2 : 5);
        }
    }
}

void print(const char* what, double ms)
{
    std::printf("%-58s %8.2f ms\n", what, ms);
}

} // namespace

int main(int argc, char** argv)
{
    int runs = 10'000;
    int times = 15;
    CLI::App app("Times of a long history.");
    app.add_option("--runs", runs, "Runs in the history")->capture_default_str();
    app.add_option("--times", times, "Measurements of each figure")->capture_default_str();
    CLI11_PARSE(app, argc, argv);
    QCoreApplication application(argc, argv);

    const QTemporaryDir folder;
    const QString file = folder.filePath("history.db");
    auto library = RunDatabase::open(file).value();
    fill(*library, runs);
    std::printf("%d runs, medians of %d, processor time\n", runs, times);
    print("open", medianMs(times, [&] { (void)RunDatabase::open(file).value(); }));

    RunListModel model(*library);
    RunFilter filter;
    filter.setSourceModel(&model);
    for (const char* search : {"b", "bert", "batch-99", "tag:paper", "tag:paper loss<2.5 -state:failed",
                               "after:2026-09-21 before:2026-09-25 host:gpu-3", "notes:\"came out\" 77"}) {
        const double ms = medianMs(times, [&] {
            filter.setSearch({});
            (void)filter.rowCount();
            filter.setSearch(QString::fromLatin1(search));
            (void)filter.rowCount(); // rows are looked for when somebody asks
        });
        print((std::string("search ") + search + ", after all were shown").c_str(), ms);
    }
    filter.setSearch({});
    (void)filter.rowCount();
    print("sort by loss", medianMs(times, [&] {
              filter.sort(RunListModel::Age);
              filter.sort(RunListModel::Loss);
          }));
    int number = 0;
    print("tag a run", medianMs(times, [&] {
              (void)library->setTags(entry(number).id, {QString::number(++number)}).ok();
          }));
    auto other = RunDatabase::open(file).value();
    print("look for changes of others, when there are none",
          medianMs(times, [&] { (void)other->refresh().ok(); }));
    print("take over a change of another window", medianMs(times, [&] {
              (void)library->setTags(entry(number).id, {QString::number(++number)}).ok();
              (void)other->refresh().ok();
          }));
    return 0;
}
