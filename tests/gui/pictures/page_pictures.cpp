#include <algorithm>

#include <QDockWidget>
#include <QEventLoop>
#include <QItemSelectionModel>
#include <QListView>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QTimer>

#include "app/data/data_page.h"
#include "app/data/data_set_panel.h"
#include "app/data/prepare_form.h"
#include "app/data/prepare_panel.h"
#include "app/data/sample_browser.h"
#include "app/designer/alternatives_panel.h"
#include "app/designer/cluster_picture.h"
#include "app/designer/design_page.h"
#include "app/designer/launch_bar.h"
#include "app/designer/layer/layer_picture.h"
#include "app/designer/plan_panels.h"
#include "app/designer/settings_exchange.h"
#include "app/designer/spec_form.h"
#include "app/history/compare_page.h"
#include "app/hosts/changed_key_strip.h"
#include "app/hosts/host_key_strip.h"
#include "app/hosts/hosts_page.h"
#include "app/monitor/runs_page.h"
#include "app/report/reports_page.h"
#include "app/trial/try_page.h"
#include "app/widgets/table_view.h"
#include "app/workspace/panel_area.h"
#include "engine/base/file.h"
#include "engine/spec/presets.h"
#include "remote/deploy/deploy_progress.h"
#include "tests/gui/pictures/picture.h"
#include "tests/gui/pictures/picture_data.h"

namespace trainyard::pictures {

namespace {

void showSamples(DeskWindow& desk)
{
    auto& page = placeOf<DataPage>(desk);
    auto* list = page.findChild<QListView*>();
    for (const int row : {1, 0}) // leaves the form of the picture before
        list->setCurrentIndex(desk.session().dataSets().index(row));
    desk.session().verifier().cancel(); // the folder is made up
    auto* panel = page.findChild<DataSetPanel*>();
    panel->samples().setSamples(samples());
    panel->tabs()->setCurrentIndex(0);
    page.findChild<PreparePanel*>()->hide();
}

/// As showSamples(), with the tab of that number before it.
void showDataTab(DeskWindow& desk, int row, int tab)
{
    showSamples(desk);
    auto& page = placeOf<DataPage>(desk);
    page.findChild<QListView*>()->setCurrentIndex(desk.session().dataSets().index(row));
    desk.session().verifier().cancel(); // the folder is made up
    auto* panel = page.findChild<DataSetPanel*>();
    panel->showDetails(*readDataSetDetails(manifest()));
    panel->addStatistics(tokenFacts());
    panel->samples().setSamples(samples());
    panel->tabs()->setCurrentIndex(tab);
}

void showRemoteDataSet(DeskWindow& desk)
{
    const DataSetEntry entry = desk.session().dataSets().at(2);
    showDataTab(desk, 2, 0);
    desk.session().dataSets().setCheck(entry.host, entry.folder, DataSetEntry::Check::Verifying);
    placeOf<DataPage>(desk).findChild<DataSetPanel*>()->samples().setNote(
        QStringLiteral("1.82 / 3.20 M rows checked on gpu-03"));
}

/// Without the questions of the pictures before.
HostsPage& quietHostsPage(DeskWindow& desk)
{
    auto& page = placeOf<HostsPage>(desk);
    page.findChild<HostKeyStrip*>()->forget(QStringLiteral("gpu-11"));
    page.findChild<ChangedKeyStrip*>()->forget(QStringLiteral("old-cluster"));
    return page;
}

void showHosts(DeskWindow& desk)
{
    auto& page = quietHostsPage(desk);
    page.selectHost(QStringLiteral("gpu-03"));
}

void showHostTrouble(DeskWindow& desk)
{
    auto& page = quietHostsPage(desk);
    page.selectHost(hosts()[1].name);
    page.findChild<HostKeyStrip*>()->ask(QStringLiteral("gpu-11"), hostKeyQuestion());
}

/// Three hosts selected, and what came of trying the links between them.
void showLinks(DeskWindow& desk)
{
    auto& page = quietHostsPage(desk);
    const PreflightReport report = clusterWithTrouble();
    const auto tables = page.findChildren<TableView*>();
    auto* table = *std::ranges::find(tables, QStringLiteral("Hosts"), &QWidget::accessibleName);
    table->clearSelection();
    for (const HostReport& host : report.hosts) {
        const int row = desk.session().hosts().rowOf(host.host);
        desk.session().hosts().setReport(host.host, host);
        table->selectionModel()->select(desk.session().hosts().index(row, 0),
                                        QItemSelectionModel::Select | QItemSelectionModel::Rows);
    }
    table->selectionModel()->setCurrentIndex(desk.session().hosts().index(1, 0),
                                             QItemSelectionModel::NoUpdate);
    emit desk.session().hostChecks().cluster().finished(report);
}

void showTryingLinks(DeskWindow& desk)
{
    placeOf<HostsPage>(desk);
    emit desk.session().hostChecks().cluster().progress(
        QStringLiteral("testing the links between the hosts on 10.20.0.0/16"), -1);
}

void showChangedKey(DeskWindow& desk)
{
    auto& page = quietHostsPage(desk);
    page.selectHost(QStringLiteral("old-cluster"));
    page.findChild<ChangedKeyStrip*>()->tell(QStringLiteral("old-cluster"), hostKeyChange(),
                                             changedHostKey());
}

void showOldAndNewKey(DeskWindow& desk)
{
    showChangedKey(desk);
    placeOf<HostsPage>(desk).findChild<ChangedKeyStrip*>()->findChild<QPushButton*>()->click();
}

void showPreparing(DeskWindow& desk)
{
    showSamples(desk);
    auto* panel = placeOf<DataPage>(desk).findChild<PreparePanel*>();
    panel->begin(prepareRequest());
    panel->setProgress(halfPrepared());
}

PrepareForm& openForm(DeskWindow& desk, const PrepareRequest& options)
{
    auto& page = placeOf<DataPage>(desk);
    page.findChild<PreparePanel*>()->hide();
    page.openPrepareForm();
    auto* form = page.findChild<PrepareForm*>();
    form->showMore(false);
    form->setRequest(options);
    return *form;
}

void showMoreOptions(DeskWindow& desk)
{
    PrepareRequest options = prepareRequest();
    options.readers = {QStringLiteral("gpu-03"), QStringLiteral("gpu-11")};
    PrepareForm& form = openForm(desk, options);
    form.showMore(true);
    auto* scroll = form.findChild<QScrollArea*>();
    QTimer::singleShot(100, scroll, [scroll] { // the rows have their pages then
        scroll->verticalScrollBar()->setValue(scroll->verticalScrollBar()->maximum());
    });
}

/// Rows of the tokens of an existing tokenizer, or of one to train.
void showTokenizerForm(DeskWindow& desk, bool isTrained)
{
    PrepareRequest options = prepareRequest();
    options.vocabulary.clear();
    options.instances.objective = Objective::Tokens;
    if (isTrained)
        options.trainTokenizer = 32'000;
    else
        options.tokenizer = "/data/models/llama-3-8b/tokenizer.json";
    openForm(desk, options);
}

void showFormErrors(DeskWindow& desk)
{
    PrepareRequest options = prepareRequest();
    options.out.clear();
    options.dumps = {"dump.xml"};
    options.trainingShards = 1;
    options.shapes = {{128, 127}};
    PrepareForm* form = &openForm(desk, options);
    for (auto* button : form->findChildren<QPushButton*>()) {
        if (button->accessibleName() == QLatin1String("Prepare"))
            button->click(); // shows what is missing
    }
}

/// The form scrolled so far that the field is in view, its section unfolded.
void showDesignField(DeskWindow& desk, const QString& path)
{
    placeOf<DesignPage>(desk).findChild<SpecForm*>()->focusField(path);
}

void showDesignErrors(DeskWindow& desk)
{
    placeOf<DesignPage>(desk);
    desk.session().document().reset(badSpec());
}

/// The second phase chosen, with one of its fields at hand.
void showPhases(DeskWindow& desk, const RunSpec& spec, const QString& field)
{
    placeOf<DesignPage>(desk);
    desk.session().document().reset(spec);
    showDesignField(desk, field);
}

/// A folder that is not there, and a run to begin with.
void showWeights(DeskWindow& desk, const char* path)
{
    RunSpec spec = goodSpec();
    spec.init.path = path;
    placeOf<DesignPage>(desk);
    desk.session().document().reset(spec);
    showDesignField(desk, QStringLiteral("init.resize"));
}

/// What does not fit, with what would.
void showDesignRefused(DeskWindow& desk)
{
    RunSpec spec = oneHostSpec();
    spec.model = *modelPreset("gpt2-xl");
    spec.model.vocabulary = 50304;
    spec.cluster.nodes = {{"gpu-11.research.example.org", 8, 0, "p3.16xlarge"}};
    spec.layout.tensor = 1;
    spec.layout.data = 4;
    spec.batch = {.global = 512, .micro = 32, .accumulation = 4};
    placeOf<DesignPage>(desk);
    desk.session().document().reset(spec);
}

void showImport(DeskWindow& desk)
{
    desk.session().document().reset(goodSpec());
    auto& page = placeOf<DesignPage>(desk);
    QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("ds_config.json"));
    (void)writeFileAtomically(file.toStdString(), R"({"train_micro_batch_size_per_gpu": 8,
        "zero_optimization": {"stage": 1, "overlap_comm": true, "stage3_max_live_parameters": 1e9},
        "optimizer": {"type": "OneBitLamb", "params": {"lr": 0.006, "weight_decay": "auto", "freeze_step": 1000}},
        "wall_clock_breakdown": true, "gradient_cliping": 1.0})");
    page.findChild<SettingsExchange*>()->importFile(ForeignTool::DeepSpeed, file);
}

/// A design, and the current device of its cluster (-1 = none).
void showDesign(DeskWindow& desk, const RunSpec& spec, GroupAxis axis, int device = -1)
{
    auto* picture = placeOf<DesignPage>(desk).findChild<ClusterPicture*>();
    desk.session().document().reset(spec);
    picture->setAxis(axis);
    picture->setCurrent(device);
}

void showUnknownHardware(DeskWindow& desk)
{
    RunSpec spec = goodSpec();
    spec.cluster.nodes[1].hardware.clear();
    showDesign(desk, spec, GroupAxis::Data);
}

void showAlternatives(DeskWindow& desk)
{
    showDesign(desk, thousandDevicesSpec(), GroupAxis::Pipeline);
    auto* search = placeOf<DesignPage>(desk).findChild<AlternativesPanel*>();
    search->findChild<QPushButton*>()->click();
    auto* list = search->findChild<QListView*>();
    QEventLoop found;
    QObject::connect(list->model(), &QAbstractItemModel::modelReset, &found, [&] {
        if (list->model()->rowCount() > 0)
            found.quit();
    });
    found.exec();
    list->setCurrentIndex(list->model()->index(0, 0));
}

/// The pipeline halved against the saved design.
void showComparison(DeskWindow& desk)
{
    showDesign(desk, thousandDevicesSpec(), GroupAxis::Pipeline);
    placeOf<DesignPage>(desk).findChild<PlanPanels*>()->keepForComparison();
    desk.session().document().edit(QStringLiteral("Pipeline"), QStringLiteral("layout.pipeline"),
                                   [](RunSpec& spec) {
                                       spec.layout.pipeline = 8;
                                       spec.layout.data = 16;
                                       spec.batch.accumulation = 96;
                                   });
}

void showDesignPanel(DeskWindow& desk, const char* panel)
{
    showDesign(desk, goodSpec(), GroupAxis::Data);
    PanelArea& panels = *placeOf<DesignPage>(desk).panels();
    panels.showPanel(*panels.panel(QLatin1String(panel)));
}

/// The drawing of a preset, at a field of the form that tells of it.
void showModel(DeskWindow& desk, const char* preset, const char* field = "model.hidden")
{
    RunSpec spec = goodSpec();
    spec.model = *modelPreset(preset);
    spec.model.preset = preset;
    auto& page = placeOf<DesignPage>(desk);
    desk.session().document().reset(spec);
    PanelArea& panels = *page.panels();
    panels.showPanel(*panels.panel(QStringLiteral("model")));
    showDesignField(desk, QLatin1String(field));
    auto* picture = page.findChild<LayerPicture*>();
    picture->setCurrent(0); // from the top
    picture->setCurrent({});
}

/// Walked to the attention of a layer.
void showModelBox(DeskWindow& desk)
{
    showModel(desk, "gemma2-9b", "model.score_cap");
    placeOf<DesignPage>(desk).findChild<LayerPicture*>()->setCurrent(2);
}

void showModelProblem(DeskWindow& desk)
{
    showModel(desk, "llama3-8b", "model.heads");
    desk.session().document().edit(QStringLiteral("Heads"), QStringLiteral("model.heads"),
                                   [](RunSpec& spec) { spec.model.heads = 33; });
}

/// A launch that goes nowhere.
class PicturedLaunch : public RunOperation {
public:
    void cancel() override {}
};

PicturedLaunch& showLaunch(DeskWindow& desk)
{
    auto& page = placeOf<DesignPage>(desk);
    desk.session().document().reset(goodSpec());
    auto* bar = page.findChild<LaunchBar*>();
    delete bar->findChild<RunOperation*>(); // of the picture before
    auto* launch = new PicturedLaunch;
    launch->setParent(bar);
    bar->follow(*launch, QStringLiteral("bert-large-phase1"));
    return *launch;
}

void showLaunching(DeskWindow& desk)
{
    emit showLaunch(desk).progress(QStringLiteral("sending the engine to gpu-11: 223 of 530 MiB"), 0.42);
}

DataOffer offerOfTwoDataSets()
{
    return {.hosts = {"gpu-11", "ada@workstation-with-a-long-name.lab.example.org"},
            .names = {"enwiki-20261101-seq128", "enwiki-20261101-seq512"},
            .bytes = qint64(32) << 30,
            .time = std::chrono::minutes(7),
            .copyingHosts = {"gpu-03"},
            .copiedBytes = qint64(32) << 30};
}

void showDataOffer(DeskWindow& desk)
{
    emit showLaunch(desk).dataOffered(offerOfTwoDataSets());
}

void showSending(DeskWindow& desk)
{
    DeployProgress sent;
    sent.verb = QStringLiteral("sending");
    sent.what = QStringLiteral("the data set enwiki-20261101-seq128");
    sent.hosts = 2;
    sent.hostsDone = 1;
    sent.done = qint64(9) << 30;
    sent.total = qint64(32) << 30;
    sent.bytesPerSecond = 112e6;
    emit showLaunch(desk).progress(sent.text(), sent.fraction());
}

void showSendingFailed(DeskWindow& desk)
{
    auto& page = placeOf<DesignPage>(desk);
    desk.session().document().reset(goodSpec());
    page.findChild<PageFrame*>()->messageBar()->showError(
        {ErrorKind::Refused,
         "the data set enwiki-20261101-seq128 does not fit on gpu-11: it needs 32.0 GiB (34359738368 bytes) "
         "more, 3.10 GiB (3328599655 bytes) are free at /home/ada/.trainyard",
         "free space there (`trainyard data list` shows data sets that are not needed any more), or set "
         "TRAINYARD_HOME on the host to a folder with enough space"});
}

} // namespace

void fillDesk(DeskWindow& desk)
{
    Session& session = desk.session();
    for (const HostEntry& host : hosts())
        (void)session.hosts().add(host);
    const auto sets = dataSets();
    for (auto set = sets.rbegin(); set != sets.rend(); ++set)
        session.dataSets().put(*set);
    session.document().reset(goodSpec());
}

const QList<Picture>& emptyPictures()
{
    static const QList<Picture> list{{"hosts-empty", [](DeskWindow& desk) { placeOf<HostsPage>(desk); }},
                                     {"data-empty", [](DeskWindow& desk) { placeOf<DataPage>(desk); }},
                                     {"design-new", [](DeskWindow& desk) { placeOf<DesignPage>(desk); }},
                                     {"runs-empty", [](DeskWindow& desk) { placeOf<RunsPage>(desk); }},
                                     {"compare-empty", [](DeskWindow& desk) { placeOf<ComparePage>(desk); }},
                                     {"reports-empty", [](DeskWindow& desk) { placeOf<ReportsPage>(desk); }},
                                     {"try-empty", [](DeskWindow& desk) { placeOf<TryPage>(desk); }}};
    return list;
}

const QList<Picture>& placePictures()
{
    static const QList<Picture> list{
        {"hosts", showHosts},
        {"hosts-trouble", showHostTrouble},
        {"hosts-changed-key", showChangedKey},
        {"hosts-old-and-new-key", showOldAndNewKey},
        {"hosts-links", showLinks},
        {"hosts-links-under-way", showTryingLinks},
        {"data", showSamples},
        {"data-preparing", showPreparing},
        {"data-lengths", [](DeskWindow& desk) { showDataTab(desk, 0, 1); }},
        {"data-left-out", [](DeskWindow& desk) { showDataTab(desk, 0, 2); }},
        {"data-manifest", [](DeskWindow& desk) { showDataTab(desk, 0, 3); }},
        {"data-remote", showRemoteDataSet},
        {"data-form", [](DeskWindow& desk) { openForm(desk, prepareRequest()); }},
        {"data-form-more", showMoreOptions},
        {"data-form-tokenizer", [](DeskWindow& desk) { showTokenizerForm(desk, false); }},
        {"data-form-train-tokenizer", [](DeskWindow& desk) { showTokenizerForm(desk, true); }},
        {"data-form-task", [](DeskWindow& desk) { openForm(desk, labelledRequest()); }},
        {"data-task", [](DeskWindow& desk) { showDataTab(desk, 4, 0); }},
        {"data-form-errors", showFormErrors},
        {"design", [](DeskWindow& desk) { placeOf<DesignPage>(desk); }},
        {"design-memory", [](DeskWindow& desk) { showDesignField(desk, "memory.offload_parameters"); }},
        {"design-details",
         [](DeskWindow& desk) {
             showDesignField(desk, "optimizer.decay_power");
             showDesignField(desk, "precision.loss_scale.minimum");
         }},
        {"design-evaluation", [](DeskWindow& desk) { showDesignField(desk, "evaluation.keep_best"); }},
        {"design-restarts", [](DeskWindow& desk) { showDesignField(desk, "launch.restart.backoff"); }},
        {"design-phases",
         [](DeskWindow& desk) { showPhases(desk, phasedSpec(), QStringLiteral("phases[1].batch.packing")); }},
        {"design-phase-optimizer",
         [](DeskWindow& desk) {
             showPhases(desk, phasedSpec(), QStringLiteral("phases[1].optimizer.warmup_steps"));
         }},
        {"design-phase-problem",
         [](DeskWindow& desk) {
             showPhases(desk, badPhasesSpec(), QStringLiteral("phases[1].batch.micro"));
         }},
        {"design-mix",
         [](DeskWindow& desk) { showPhases(desk, mixedSpec(), QStringLiteral("dataset.mix[1].weight")); }},
        {"design-weights", [](DeskWindow& desk) { showWeights(desk, "/models/bert-large"); }},
        {"design-slurm", [](DeskWindow& desk) { showDesignField(desk, "launch.slurm.requeue"); }},
        {"design-one-host", [](DeskWindow& desk) { showDesign(desk, oneHostSpec(), GroupAxis::Tensor); }},
        {"design-device", [](DeskWindow& desk) { showDesign(desk, oneHostSpec(), GroupAxis::Data, 5); }},
        {"design-unequal",
         [](DeskWindow& desk) { showDesign(desk, unequalHostsSpec(), GroupAxis::Pipeline); }},
        {"design-thousand",
         [](DeskWindow& desk) { showDesign(desk, thousandDevicesSpec(), GroupAxis::Tensor); }},
        {"design-thousand-device",
         [](DeskWindow& desk) { showDesign(desk, thousandDevicesSpec(), GroupAxis::Pipeline, 300); }},
        {"design-errors", showDesignErrors},
        {"design-refused", showDesignRefused},
        {"design-import", showImport},
        {"design-unknown-hardware", showUnknownHardware},
        {"design-learning-rate", [](DeskWindow& desk) { showDesignPanel(desk, "learning-rate"); }},
        {"design-scaling", [](DeskWindow& desk) { showDesignPanel(desk, "scaling"); }},
        {"design-alternatives", showAlternatives},
        {"design-comparison", showComparison},
        {"design-model-bert", [](DeskWindow& desk) { showModel(desk, "bert-base"); }},
        {"design-model-llama", [](DeskWindow& desk) { showModel(desk, "llama3-8b"); }},
        {"design-model-gemma", showModelBox},
        {"design-model-pythia", [](DeskWindow& desk) { showModel(desk, "pythia-1.4b"); }},
        {"design-model-mixtral",
         [](DeskWindow& desk) { showModel(desk, "mixtral-8x7b", "model.experts.z_loss"); }},
        {"design-model-problem", showModelProblem},
        {"design-launching", showLaunching},
        {"design-data-offer", showDataOffer},
        {"design-sending-data", showSending},
        {"design-sending-failed", showSendingFailed}};
    return list;
}

} // namespace trainyard::pictures
