#include <QDirIterator>
#include <QFile>
#include <QRegularExpression>
#include <QTest>

// Who may use whom, read off the #include lines. A folder may always include itself and the vocabulary
// (engine/base, engine/spec, engine/records); everything else is listed here, downwards only.

namespace {

struct Layer {
    QString folder;
    QStringList mayUse;       // folders of this repository, with what lies under them
    QStringList outsideParts; // of: qt qtgui torch mpi nccl hdf5 libssh
};

const QStringList kVocabulary{"engine/base", "engine/spec", "engine/records"};

/// What every page of the window may use, besides its own folder with its models.
const QStringList kPages =
    kVocabulary + QStringList{"engine/planner", "remote",     "app/base",    "app/series",   "app/runs",
                              "app/plan",       "app/charts", "app/widgets", "app/workspace"};

const QList<Layer> kLayers{
    {"engine/base", {}, {}},
    {"engine/spec", {"engine/base"}, {}},
    {"engine/records", {"engine/base", "engine/spec"}, {}},
    {"engine/model", {"engine/base", "engine/spec"}, {}},
    {"engine/planner", kVocabulary, {}},
    {"engine/memory", kVocabulary, {"torch"}},
    {"engine/comm", kVocabulary + QStringList{"engine/planner"}, {"mpi"}},
    {"engine/nn",
     kVocabulary + QStringList{"engine/model", "engine/planner", "engine/memory", "engine/comm"},
     {"torch"}},
    {"engine/parallel",
     kVocabulary + QStringList{"engine/planner", "engine/memory", "engine/comm", "engine/nn"},
     {"torch"}},
    {"engine/optim",
     kVocabulary + QStringList{"engine/planner", "engine/memory", "engine/comm", "engine/nn"},
     {"torch"}},
    {"engine/device",
     kVocabulary + QStringList{"engine/memory", "engine/comm", "engine/nn", "engine/optim"},
     {"torch", "nccl"}},
    {"engine/checkpoint",
     kVocabulary + QStringList{"engine/model", "engine/planner", "engine/memory", "engine/comm", "engine/nn",
                               "engine/optim"},
     {"torch"}},
    {"engine/checkpoint/format", kVocabulary, {}},
    {"engine/checkpoint/hugging_face/format", kVocabulary + QStringList{"engine/checkpoint/format"}, {}},
    {"engine/checkpoint/weights",
     kVocabulary +
         QStringList{"engine/model", "engine/checkpoint/format", "engine/checkpoint/hugging_face/format"},
     {}},
    {"engine/training", {"engine", "datasets/shards", "datasets/metrics"}, {"torch"}},
    {"engine/certification", {"engine"}, {"torch"}},
    {"engine/evaluation", {"engine", "datasets/shards"}, {"torch"}},
    {"engine/evaluation/options", kVocabulary, {}},
    {"engine/generation", kVocabulary + QStringList{"engine/model", "engine/nn"}, {"torch"}},
    {"engine/generation/options", kVocabulary, {}},
    {"engine/hand_over",
     kVocabulary +
         QStringList{"engine/planner", "datasets/shards", "datasets/tokenizer", "datasets/tokenizer_json"},
     {}},
    {"engine/hand_over/options", kVocabulary, {}},
    {"engine/probes",
     kVocabulary + QStringList{"engine/planner", "engine/memory", "engine/comm", "engine/nn"},
     {"torch"}},
    {"engine/worker",
     {"engine", "datasets/metrics", "datasets/shards", "datasets/tasks", "datasets/tokenizer",
      "datasets/tokenizer_json"},
     {"torch", "mpi"}},
    {"datasets/options", kVocabulary, {}},
    {"datasets/tables", kVocabulary, {}},
    {"datasets/input", kVocabulary + QStringList{"datasets/options", "datasets/tables"}, {}},
    {"datasets/corpus", kVocabulary, {}},
    {"datasets/metrics", kVocabulary + QStringList{"datasets/corpus"}, {}},
    {"datasets/tokenizer", kVocabulary + QStringList{"datasets/corpus"}, {}},
    {"datasets/tokenizer_json", kVocabulary + QStringList{"datasets/corpus", "datasets/tokenizer"}, {}},
    {"datasets/pretraining",
     kVocabulary +
         QStringList{"datasets/options", "datasets/tokenizer", "datasets/corpus", "datasets/shards"},
     {}},
    {"datasets/shards", kVocabulary, {"hdf5"}},
    {"datasets/tasks",
     kVocabulary + QStringList{"datasets/input", "datasets/options", "datasets/pretraining",
                               "datasets/shards", "datasets/tokenizer", "datasets/tokenizer_json"},
     {}},
    {"datasets/exporters", kVocabulary + QStringList{"datasets/pretraining", "datasets/shards"}, {}},
    {"datasets/job", kVocabulary, {}},
    {"datasets/verification",
     kVocabulary + QStringList{"datasets/job", "datasets/options", "datasets/pretraining", "datasets/shards",
                               "datasets/tokenizer", "datasets/tokenizer_json"},
     {}},
    {"datasets/prepare", kVocabulary + QStringList{"datasets"}, {"hdf5"}},
    {"remote/wire", kVocabulary, {}},
    {"remote/ssh", {"engine/base"}, {"libssh"}},
    {"remote/agent",
     kVocabulary + QStringList{"engine/checkpoint/format", "engine/checkpoint/weights", "remote/wire"},
     {}},
    {"remote/target", kVocabulary + QStringList{"remote/wire", "remote/ssh"}, {"qt"}},
    {"remote/deploy", kVocabulary + QStringList{"remote/wire", "remote/target"}, {"qt"}},
    {"remote/preflight", kVocabulary + QStringList{"remote/wire", "remote/target", "remote/deploy"}, {"qt"}},
    {"remote/data",
     kVocabulary + QStringList{"remote/wire", "remote/target", "remote/deploy", "remote/preflight"},
     {"qt"}},
    {"remote/launch",
     kVocabulary + QStringList{"remote/wire", "remote/target", "remote/deploy", "remote/preflight",
                               "remote/data", "engine/planner", "engine/checkpoint/weights"},
     {"qt"}},
    {"remote/stream", kVocabulary + QStringList{"remote/wire", "remote/target"}, {"qt"}},
    {"app/base", kVocabulary + QStringList{"engine/planner/time", "remote/target"}, {"qt", "qtgui"}},
    {"app/series", kVocabulary + QStringList{"app/base"}, {"qt", "qtgui"}},
    {"app/runs",
     kVocabulary + QStringList{"engine/planner", "remote", "app/base", "app/series"},
     {"qt", "qtgui"}},
    {"app/plan",
     kVocabulary + QStringList{"engine/checkpoint/weights", "engine/planner", "remote", "app/base",
                               "app/series", "app/runs"},
     {"qt", "qtgui"}},
    {"app/alerts",
     kVocabulary + QStringList{"engine/planner", "remote", "app/base", "app/series", "app/runs"},
     {"qt", "qtgui"}},
    {"app/exchange", kVocabulary + QStringList{"app/base", "app/series", "app/runs"}, {"qt"}},
    {"app/share", kVocabulary + QStringList{"app/base", "app/series", "app/runs"}, {"qt"}},
    {"app/hosts/model",
     kVocabulary +
         QStringList{"engine/hand_over/options", "engine/planner", "remote", "app/base", "app/plan"},
     {"qt", "qtgui"}},
    {"app/data/model",
     kVocabulary + QStringList{"remote", "app/base", "app/runs", "app/hosts/model", "datasets/options"},
     {"qt", "qtgui"}},
    {"app/designer/model",
     kVocabulary +
         QStringList{"engine/model", "engine/planner", "remote", "app/base", "app/plan", "app/data/model"},
     {"qt", "qtgui"}},
    {"app/monitor/model",
     kVocabulary + QStringList{"engine/checkpoint/format", "engine/planner", "remote", "app/base",
                               "app/series", "app/runs", "app/plan"},
     {"qt", "qtgui"}},
    {"app/history/model",
     kVocabulary + QStringList{"engine/planner", "remote", "app/base", "app/series", "app/runs", "app/plan"},
     {"qt", "qtgui"}},
    {"app/widgets", kVocabulary + QStringList{"app/base"}, {"qt", "qtgui", "qtwidgets"}},
    {"app/workspace", kVocabulary + QStringList{"app/base", "app/widgets"}, {"qt", "qtgui", "qtwidgets"}},
    {"app/charts",
     kVocabulary +
         QStringList{"engine/planner", "app/base", "app/series", "app/runs", "app/plan", "app/widgets"},
     {"qt", "qtgui", "qtwidgets"}},
    {"app/runs/controls",
     kVocabulary + QStringList{"app/base", "app/series", "app/runs", "app/widgets"},
     {"qt", "qtgui", "qtwidgets"}},
    {"app/hosts", kPages + QStringList{"app/hosts"}, {"qt", "qtgui", "qtwidgets"}},
    {"app/hosts/controls",
     kVocabulary + QStringList{"remote", "app/base", "app/hosts/model", "app/widgets"},
     {"qt", "qtgui", "qtwidgets"}},
    {"app/data",
     kPages + QStringList{"app/hosts/controls", "app/hosts/model", "datasets/options"},
     {"qt", "qtgui", "qtwidgets"}},
    {"app/designer/layer",
     kVocabulary + QStringList{"app/base", "app/designer/model", "app/widgets"},
     {"qt", "qtgui", "qtwidgets"}},
    {"app/designer",
     kPages + QStringList{"app/hosts/controls", "app/hosts/model", "app/data/model"},
     {"qt", "qtgui", "qtwidgets"}},
    {"app/monitor",
     kPages + QStringList{"app/alerts", "app/exchange", "app/history/model", "app/hosts/model"},
     {"qt", "qtgui", "qtwidgets"}},
    {"app/history", kPages, {"qt", "qtgui", "qtwidgets"}},
    {"app/report", kPages + QStringList{"app/hosts/model", "app/data/model"}, {"qt", "qtgui", "qtwidgets"}},
    {"app/trial/model",
     kVocabulary +
         QStringList{"engine/generation/options", "remote", "app/base", "app/runs", "app/hosts/model"},
     {"qt", "qtgui"}},
    {"app/trial",
     kPages + QStringList{"engine/generation/options", "app/hosts/controls", "app/hosts/model"},
     {"qt", "qtgui", "qtwidgets"}},
    {"app/shell", kVocabulary + QStringList{"engine/planner", "remote", "app"}, {"qt", "qtgui", "qtwidgets"}},
    {"app/cli",
     kVocabulary + QStringList{"engine/checkpoint/weights", "engine/planner", "engine/evaluation/options",
                               "engine/generation/options", "engine/hand_over/options", "remote", "app"},
     {"qt", "qtgui", "qtwidgets"}},
    {"app/demo", kVocabulary + QStringList{"remote", "app/base", "app/plan", "app/runs"}, {"qt"}},
};

/// The outside part that a system header belongs to, or nothing when anybody may use it.
QString outsidePart(const QString& header)
{
    static const QRegularExpression widgets(
        "^(QtWidgets/|Q(Application|Widget|MainWindow|Dialog|Label|LineEdit|"
        "PushButton|ToolButton|ComboBox|CheckBox|SpinBox|DoubleSpinBox|TableView|"
        "TreeView|ListView|.*Layout|ScrollArea|Splitter|StackedWidget|TabBar|"
        "TabWidget|PlainTextEdit|TextEdit|Menu|Action|Style.*|FileDialog)$|qcustomplot)");
    static const QRegularExpression qt("^(Q[A-Z]|Qt|q[a-z]+\\.h)");
    static const QList<QPair<QRegularExpression, QString>> parts{
        {QRegularExpression("^(torch/|ATen/|c10/)"), "torch"},
        {QRegularExpression("^mpi\\.h"), "mpi"},
        {QRegularExpression("^(nccl\\.h|cuda)"), "nccl"},
        {QRegularExpression("^(hdf5|H5)"), "hdf5"},
        {QRegularExpression("^libssh/"), "libssh"},
    };
    if (widgets.match(header).hasMatch())
        return "qtwidgets";
    if (qt.match(header).hasMatch())
        return "qt";
    for (const auto& [pattern, part] : parts) {
        if (pattern.match(header).hasMatch())
            return part;
    }
    return {};
}

const Layer* layerOf(const QString& path)
{
    const Layer* found = nullptr;
    for (const Layer& layer : kLayers) {
        if (path.startsWith(layer.folder + "/") && (!found || layer.folder.size() > found->folder.size()))
            found = &layer;
    }
    return found;
}

bool covers(const QStringList& folders, const QString& path)
{
    return std::any_of(folders.begin(), folders.end(),
                       [&](const QString& f) { return path.startsWith(f + "/"); });
}

QStringList sourcesUnder(const QString& folder)
{
    QStringList files;
    QDirIterator it(QString(TRAINYARD_SOURCE_DIR) + "/" + folder, {"*.h", "*.cpp"}, QDir::Files,
                    QDirIterator::Subdirectories);
    while (it.hasNext())
        files << it.next().mid(int(qstrlen(TRAINYARD_SOURCE_DIR)) + 1);
    return files;
}

/// What is wrong with one #include line of `file`; empty when nothing is.
QString complaint(const QString& file, const QString& included, bool own)
{
    const Layer* layer = layerOf(file);
    if (!layer)
        return file + " lies in a folder that the table does not know";
    if (own && !included.startsWith(layer->folder + "/") && !covers(layer->mayUse, included) &&
        included.contains('/'))
        return QString("%1 may not use %2").arg(file, included);
    const QString part = own ? QString() : outsidePart(included);
    if (!part.isEmpty() && !layer->outsideParts.contains(part))
        return QString("%1 may not use <%2> (%3)").arg(file, included, part);
    return {};
}

QStringList complaintsIn(const QString& file)
{
    static const QRegularExpression include("^\\s*#\\s*include\\s*([<\"])([^>\"]+)[>\"]");
    QFile source(QString(TRAINYARD_SOURCE_DIR) + "/" + file);
    if (!source.open(QIODevice::ReadOnly))
        return {file + " cannot be read"};
    QStringList complaints;
    for (const QString& line : QString::fromUtf8(source.readAll()).split('\n')) {
        const auto match = include.match(line);
        if (match.hasMatch())
            complaints << complaint(file, match.captured(2), match.captured(1) == "\"");
    }
    complaints.removeAll(QString());
    return complaints;
}

} // namespace

class TestLayering : public QObject {
    Q_OBJECT

private slots:
    void pointsOnlyDownwards_data()
    {
        QTest::addColumn<QString>("folder");
        for (const char* folder : {"engine", "datasets", "remote", "app"})
            QTest::addRow("%s", folder) << folder;
    }
    void pointsOnlyDownwards()
    {
        QFETCH(QString, folder);
        const QStringList files = sourcesUnder(folder);
        QStringList complaints;
        for (const QString& file : files)
            complaints << complaintsIn(file);
        QVERIFY2(complaints.isEmpty(), qPrintable("\n" + complaints.join('\n')));
    }

    void noticesAForbiddenInclude()
    {
        QVERIFY(!complaint("engine/base/file.h", "engine/spec/run_spec.h", true).isEmpty());
        QVERIFY(!complaint("app/monitor/page.cpp", "app/hosts/page.h", true).isEmpty());
        QVERIFY(!complaint("app/series/series.cpp", "torch/torch.h", false).isEmpty());
        QVERIFY(!complaint("app/series/series.cpp", "QLabel", false).isEmpty());
        QVERIFY(!complaint("app/monitor/model/rows.cpp", "QLabel", false).isEmpty());
        QVERIFY(!complaint("app/monitor/model/rows.cpp", "app/monitor/page.h", true).isEmpty());
        QVERIFY(!complaint("remote/agent/serve.cpp", "QString", false).isEmpty());
        QVERIFY(complaint("app/monitor/page.cpp", "app/series/series.h", true).isEmpty());
    }
};

QTEST_APPLESS_MAIN(TestLayering)
#include "tst_layering.moc"
