#include "app/designer/cluster_editor.h"

#include <algorithm>

#include <QAbstractItemView>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QSignalBlocker>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/base/theme.h"
#include "app/designer/device_field.h"
#include "app/designer/field_editor.h"
#include "app/designer/field_help.h"
#include "app/designer/model/duplicate_node.h"
#include "app/widgets/delegates.h"
#include "app/widgets/input_boxes.h"
#include "app/widgets/roles.h"
#include "app/widgets/symbol_icon.h"
#include "app/workspace/tab_order.h"

namespace trainyard {

namespace {

constexpr int kMaxSlots = 4096;
constexpr int kMaxAdded = 1024;
constexpr std::size_t kRowsAtFirst = 12;
constexpr int kHostShare = 7; ///< of the width that figures leave; names of hardware are longer
constexpr int kHardwareShare = 9;
constexpr int kSlotsWidth = 52;
constexpr int kDevicesWidth = 52;
constexpr int kMemoryWidth = 56;
constexpr int kRemoveWidth = 24;

QHBoxLayout* makeLine(QWidget* parent)
{
    auto* line = rowLayout(parent, metrics::kHalf);
    return line;
}

/// Makes a box without buttons for a number whose unit is in the heading.
NumberBox* makeBareBox(int most, int width)
{
    auto* box = new NumberBox(0, most);
    box->setButtonSymbols(QAbstractSpinBox::NoButtons);
    box->setAlignment(Qt::AlignRight);
    box->setFixedWidth(width);
    return box;
}

/// Shows details in the list, which is as wide as its entries.
void showDetails(ChoiceBox& box)
{
    box.setItemDelegate(new DetailDelegate(&box));
    box.view()->setMinimumWidth(box.view()->sizeHintForColumn(0) + 2 * metrics::kGap);
}

std::vector<NodeModel> kindsIn(const HardwareLibrary& hardware)
{
    std::vector<NodeModel> kinds;
    for (const std::string& name : hardware.names()) {
        const auto found = hardware.find(name);
        kinds.push_back(found.ok() ? *found : NodeModel());
        kinds.back().name = name;
    }
    return kinds;
}

/// Shows the beginning of a name that is longer than its box; by default Qt shows the end.
void showBeginning(QComboBox& box)
{
    box.lineEdit()->setCursorPosition(0);
}

/// Returns the first host of the list that the run does not use; a new name when all are used.
std::string unusedHost(const RunSpec& spec, const HostListModel& hosts)
{
    for (const QString& name : hosts.names()) {
        const bool used = std::any_of(spec.cluster.nodes.begin(), spec.cluster.nodes.end(),
                                      [&](const NodeSpec& node) { return node.host == name.toStdString(); });
        if (!used)
            return name.toStdString();
    }
    return "host-" + std::to_string(spec.cluster.nodes.size() + 1);
}

} // namespace

ClusterEditor::ClusterEditor(SpecDocument& document, HostListModel& hosts, const HardwareLibrary& hardware,
                             QWidget* parent)
    : QWidget(parent)
    , m_document(document)
    , m_hosts(hosts)
    , m_hardware(hardware)
    , m_kinds(kindsIn(hardware))
    , m_layout(new QVBoxLayout)
    , m_all(makeButton({}, "link"))
    , m_error(makeParagraph({}, "error"))
    , m_mostShown(kRowsAtFirst)
{
    m_layout->setContentsMargins(0, 0, 0, 0);
    m_layout->setSpacing(metrics::kHalf);
    m_error->hide();
    auto* column = columnLayout(this, metrics::kHalf);
    column->addWidget(makeHeadings());
    column->addLayout(m_layout);
    column->addWidget(m_all, 0, Qt::AlignLeft);
    column->addWidget(m_error);
    column->addWidget(makeAddBar());
    connect(m_all, &QPushButton::clicked, this, [this] {
        m_mostShown = m_document.spec().cluster.nodes.size();
        refresh();
    });
    connect(&m_document, &SpecDocument::changed, this, &ClusterEditor::refresh);
    refresh();
}

QWidget* ClusterEditor::makeHeadings()
{
    auto* headings = new QWidget;
    auto* line = makeLine(headings);
    for (const auto& [text, share] : {std::pair(tr("Host"), kHostShare), {tr("Hardware"), kHardwareShare}}) {
        auto* label = makeLabel(text, "small");
        label->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
        line->addWidget(label, share);
    }
    for (const auto& [text, width] :
         {std::pair(tr("Slots"), kSlotsWidth), {tr("GPUs"), kDevicesWidth}, {tr("Max GiB"), kMemoryWidth}}) {
        auto* label = makeLabel(text, "small");
        label->setFixedWidth(width);
        label->setAlignment(Qt::AlignRight);
        line->addWidget(label);
    }
    line->addSpacing(kRemoveWidth + metrics::kHalf);
    return headings;
}

QWidget* ClusterEditor::makeAddBar()
{
    auto* bar = new QWidget;
    auto* line = makeLine(bar);
    auto* add = makeButton(tr("Add a host"), "link");
    auto* count = makeBareBox(kMaxAdded, kSlotsWidth);
    count->setMinimum(1);
    explainField(count, tr("Number of hosts to add"), tr("Names continue from the last host. Default: 1."));
    auto* like = makeButton(tr("Duplicate last host"), "link");
    like->setAccessibleName(tr("Duplicate the last host"));
    like->setToolTip(tr("Adds hosts with the same hardware, slots and memory; node008 follows node007"));
    line->addWidget(add);
    line->addStretch(1);
    line->addWidget(count);
    line->addWidget(like);
    connect(add, &QPushButton::clicked, this, &ClusterEditor::addNode);
    connect(like, &QPushButton::clicked, this, [this, count] { addLikeLast(count->value()); });
    const auto follow = [this, like] { like->setEnabled(!m_document.spec().cluster.nodes.empty()); };
    connect(&m_document, &SpecDocument::changed, like, follow);
    return bar;
}

ClusterEditor::NodeRow ClusterEditor::makeControls(std::size_t index)
{
    const QString path = QStringLiteral("cluster.nodes[%1].").arg(index);
    const std::size_t number = index + 1;
    NodeRow row{new QWidget,     new ChoiceBox, new ChoiceBox, makeBareBox(kMaxSlots, kSlotsWidth),
                new DeviceField, new MemoryBox};
    row.host->setObjectName(path + QStringLiteral("host"));
    row.hardware->setObjectName(path + QStringLiteral("hardware"));
    row.slotCount->setObjectName(path + QStringLiteral("slots"));
    row.devices->setObjectName(path + QStringLiteral("devices"));
    row.devices->setFixedWidth(kDevicesWidth);
    row.memory->setObjectName(path + QStringLiteral("memory"));
    row.memory->setButtonSymbols(QAbstractSpinBox::NoButtons);
    row.memory->setAlignment(Qt::AlignRight);
    row.memory->setFixedWidth(kMemoryWidth);
    explainField(row.host, tr("Host %1").arg(number), nodeFieldHelp("host"));
    row.host->setEditable(true);
    row.host->setInsertPolicy(QComboBox::NoInsert);
    explainField(row.hardware, tr("Hardware of host %1").arg(number),
                 nodeFieldHelp("hardware") + tr(" Sets the slots to its device count."));
    explainField(row.slotCount, tr("Slots of host %1").arg(number), nodeFieldHelp("slots"));
    explainField(row.devices, tr("Host %1: GPUs").arg(number), nodeFieldHelp("devices"));
    explainField(row.memory, tr("Memory per slot of host %1").arg(number), nodeFieldHelp("memory"));
    for (QWidget* control :
         std::initializer_list<QWidget*>{row.host, row.hardware, row.slotCount, row.devices, row.memory})
        control->installEventFilter(this);
    for (ChoiceBox* box : {row.host, row.hardware})
        box->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    fillChoices(row);
    return row;
}

ClusterEditor::NodeRow ClusterEditor::makeRow(std::size_t index)
{
    const NodeRow row = makeControls(index);
    auto* remove = new QToolButton;
    remove->setIcon(symbolIcon(QStringLiteral("close")));
    remove->setAccessibleName(tr("Remove host %1").arg(index + 1));
    remove->setToolTip(tr("Remove this host from the run"));
    remove->setFixedWidth(kRemoveWidth);
    auto* line = makeLine(row.widget);
    line->addWidget(row.host, kHostShare);
    line->addWidget(row.hardware, kHardwareShare);
    line->addWidget(row.slotCount);
    line->addWidget(row.devices);
    line->addWidget(row.memory);
    line->addWidget(remove);
    connectRow(row, index);
    // Queued, because the edit deletes the row that contains the button.
    connect(
        remove, &QToolButton::clicked, this, [this, index] { removeNode(index); }, Qt::QueuedConnection);
    return row;
}

void ClusterEditor::connectRow(const NodeRow& row, std::size_t index)
{
    connect(row.host, &QComboBox::currentTextChanged, this, [this, index](const QString& text) {
        edit(tr("Host"), index, [&](NodeSpec& node) { node.host = text.trimmed().toStdString(); });
    });
    connect(row.hardware, &QComboBox::currentIndexChanged, this,
            [this, index, box = row.hardware](int choice) {
                setHardware(index, choice > 0 ? box->currentText() : QString());
            });
    connect(row.slotCount, &QSpinBox::valueChanged, this, [this, index](int value) {
        edit(tr("Slots"), index, [&](NodeSpec& node) { node.slotCount = value; });
    });
    connect(row.devices, &DeviceField::chosen, this, [this, index](const std::vector<std::string>& devices) {
        edit(tr("GPUs"), index, [&](NodeSpec& node) { node.devices = devices; });
    });
    connect(row.memory, &MemoryBox::bytesChanged, this, [this, index](Bytes bytes) {
        edit(tr("Memory"), index, [&](NodeSpec& node) { node.memory = bytes; });
    });
}

void ClusterEditor::edit(const QString& what, std::size_t index, const std::function<void(NodeSpec&)>& change)
{
    m_document.edit(what, QStringLiteral("cluster.nodes[%1].%2").arg(index).arg(what),
                    [&](RunSpec& spec) { change(spec.cluster.nodes.at(index)); });
}

void ClusterEditor::editNodes(const QString& what, const std::function<void(RunSpec&)>& change)
{
    m_document.editAtOnce(what, QStringLiteral("cluster.nodes"), change);
}

void ClusterEditor::setHardware(std::size_t index, const QString& name)
{
    const auto found = m_hardware.find(name.toStdString());
    edit(tr("Hardware"), index, [&](NodeSpec& node) {
        node.hardware = name.toStdString();
        if (found.ok())
            node.slotCount = found->devices;
    });
}

void ClusterEditor::addNode()
{
    editNodes(tr("Add host"), [&](RunSpec& spec) {
        NodeSpec node;
        node.host = unusedHost(spec, m_hosts);
        spec.cluster.nodes.push_back(node);
    });
    m_mostShown = std::max(m_mostShown, m_document.spec().cluster.nodes.size());
    refresh();
    m_rows.back().host->setFocus();
}

void ClusterEditor::addLikeLast(int count)
{
    editNodes(count == 1 ? tr("Add host") : tr("Add %1 hosts").arg(count),
              [count](RunSpec& spec) { duplicateLastNode(spec, count); });
}

void ClusterEditor::removeNode(std::size_t index)
{
    editNodes(tr("Remove host"), [&](RunSpec& spec) {
        if (index < spec.cluster.nodes.size())
            spec.cluster.nodes.erase(spec.cluster.nodes.begin() + static_cast<std::ptrdiff_t>(index));
    });
}

std::size_t ClusterEditor::shownNodes() const
{
    const std::size_t all = m_document.spec().cluster.nodes.size();
    return std::min(all, m_mostShown);
}

QList<QWidget*> ClusterEditor::rowWidgets() const
{
    QList<QWidget*> widgets;
    for (const NodeRow& row : m_rows)
        widgets << row.widget;
    return widgets;
}

void ClusterEditor::refresh()
{
    const auto& nodes = m_document.spec().cluster.nodes;
    const std::size_t shown = shownNodes();
    while (m_rows.size() > shown) {
        m_rows.back().widget->deleteLater();
        m_rows.back().widget->hide();
        m_rows.pop_back();
    }
    const bool grows = m_rows.size() < shown;
    while (m_rows.size() < shown) {
        m_rows.push_back(makeRow(m_rows.size()));
        m_layout->addWidget(m_rows.back().widget);
    }
    for (std::size_t i = 0; i < shown; ++i)
        showNode(m_rows[i], nodes[i]);
    if (grows)
        reachAfter(*this, rowWidgets());
    m_all->setText(tr("Show %1 more hosts").arg(nodes.size() - shown));
    m_all->setAccessibleName(m_all->text());
    m_all->setVisible(shown < nodes.size());
}

void ClusterEditor::fillChoices(const NodeRow& row) const
{
    const QSignalBlocker hostBlocker(row.host);
    const QSignalBlocker hardwareBlocker(row.hardware);
    row.host->clear();
    row.host->addItems(m_hosts.names());
    showBeginning(*row.host);
    row.hardware->clear();
    row.hardware->addItem(tr("unknown"));
    for (const NodeModel& kind : m_kinds) {
        row.hardware->addItem(QString::fromStdString(kind.name));
        row.hardware->setItemData(row.hardware->count() - 1, QString::fromStdString(kind.description),
                                  DetailDelegate::kDetailRole);
    }
    showDetails(*row.hardware);
}

/// Updates the choices: hosts may have been added and hardware calibrated meanwhile.
void ClusterEditor::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    m_kinds = kindsIn(m_hardware);
    for (const NodeRow& row : m_rows)
        fillChoices(row);
    refresh();
}

void ClusterEditor::showNode(const NodeRow& row, const NodeSpec& node)
{
    const QSignalBlocker hostBlocker(row.host);
    const QSignalBlocker hardwareBlocker(row.hardware);
    const QString host = QString::fromStdString(node.host);
    if (row.host->currentText().trimmed() != host) {
        row.host->setEditText(host);
        showBeginning(*row.host);
    }
    const QString hardware = QString::fromStdString(node.hardware);
    if (!hardware.isEmpty() && row.hardware->findText(hardware) < 0)
        row.hardware->addItem(hardware); // calibrated meanwhile, or unknown, which the plan reports
    row.hardware->setCurrentIndex(hardware.isEmpty() ? 0 : row.hardware->findText(hardware));
    row.slotCount->showValue(node.slotCount);
    showDevices(row, node);
    row.memory->showBytes(node.memory);
}

void ClusterEditor::showDevices(const NodeRow& row, const NodeSpec& node)
{
    const int known = m_hosts.rowOf(QString::fromStdString(node.host));
    const auto report = known >= 0 ? m_hosts.at(known).report : std::nullopt;
    row.devices->show(gpuChoices(node, report ? &*report : nullptr),
                      report ? tr("This host has no GPU") : tr("Check the host first, in Hosts"));
}

void ClusterEditor::setError(const QString& sentence)
{
    m_error->setText(sentence);
    m_error->setVisible(!sentence.isEmpty());
}

bool ClusterEditor::eventFilter(QObject* watched, QEvent* event)
{
    return filterDocumentKeys(m_document, event) || QWidget::eventFilter(watched, event);
}

} // namespace trainyard
