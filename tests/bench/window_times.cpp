// From the start of a process to a window that is painted and answers, beside an empty window of the same
// kind; see README.md.

#include <algorithm>
#include <cstdio>
#include <vector>

#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <QApplication>
#include <QElapsedTimer>
#include <QEvent>
#include <QMainWindow>
#include <QProcess>
#include <QTemporaryDir>
#include <QTimer>

#include "app/shell/desk_window.h"

namespace {

using namespace trainyard;

/// Ends the process once the window has been painted and the events that waited then are answered.
class FirstFrame : public QObject {
public:
    explicit FirstFrame(QWidget& window) { window.installEventFilter(this); }

protected:
    bool eventFilter(QObject* window, QEvent* event) override
    {
        if (event->type() == QEvent::Paint) {
            window->removeEventFilter(this);
            QTimer::singleShot(0, qApp, &QCoreApplication::quit);
        }
        return false;
    }
};

int showWindow(QWidget& window)
{
    const FirstFrame frame(window);
    window.resize(1280, 800);
    window.show();
    return QApplication::exec();
}

int showOne(int argc, char** argv, const std::string& kind, const std::string& folder)
{
    QApplication application(argc, argv);
    if (kind == "empty") {
        QMainWindow window;
        return showWindow(window);
    }
    DeskWindow desk(application, folder);
    return showWindow(desk.window());
}

struct Times {
    double wall; ///< ms
    double processor;
};

double processorMsOfChildren()
{
    rusage used{};
    getrusage(RUSAGE_CHILDREN, &used);
    const auto ms = [](const timeval& time) {
        return 1e3 * double(time.tv_sec) + 1e-3 * double(time.tv_usec);
    };
    return ms(used.ru_utime) + ms(used.ru_stime);
}

/// One process that shows such a window and ends.
Times start(const QString& program, const QString& kind, const QString& folder)
{
    const double before = processorMsOfChildren();
    QElapsedTimer clock;
    clock.start();
    QProcess child;
    child.setProcessChannelMode(QProcess::ForwardedChannels);
    child.start(program, {QStringLiteral("--show"), kind, QStringLiteral("--folder"), folder});
    child.waitForFinished(-1);
    return {double(clock.nsecsElapsed()) * 1e-6, processorMsOfChildren() - before};
}

double median(std::vector<Times> times, double Times::*which)
{
    std::ranges::sort(times, {}, which);
    return times[times.size() / 2].*which;
}

int compare(const QString& program, int rounds)
{
    const QTemporaryDir folder;
    std::vector<Times> empty, desk;
    for (int round = -1; round < rounds; ++round) { // the first one only warms up
        const Times ofEmpty = start(program, QStringLiteral("empty"), folder.path());
        const Times ofDesk = start(program, QStringLiteral("desk"), folder.path());
        if (round < 0)
            continue;
        empty.push_back(ofEmpty);
        desk.push_back(ofDesk);
    }
    std::printf("%-18s %10s %14s\n", "window", "wall ms", "processor ms");
    const auto row = [](const char* name, const std::vector<Times>& times) {
        std::printf("%-18s %10.0f %14.0f\n", name, median(times, &Times::wall),
                    median(times, &Times::processor));
    };
    row("empty QMainWindow", empty);
    row("desk", desk);
    std::printf("ratio of processor time %.1f\n",
                median(desk, &Times::processor) / median(empty, &Times::processor));
    return 0;
}

} // namespace

int main(int argc, char** argv)
{
    CLI::App options{"Time from the start of a process to the first frame of the window"};
    int rounds = 11;
    std::string kind;
    std::string folder;
    options.add_option("--rounds", rounds, "Starts of each window; medians are printed");
    options.add_option("--show", kind, "Show this window once: empty or desk")->group("");
    options.add_option("--folder", folder, "Data folder of the desk that is shown")->group("");
    CLI11_PARSE(options, argc, argv);
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    if (!kind.empty())
        return showOne(argc, argv, kind, folder);
    return compare(QString::fromLocal8Bit(argv[0]), rounds);
}
