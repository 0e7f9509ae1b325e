#include "app/designer/cluster_editor.h"

#include <algorithm>

#include <QHBoxLayout>
#include <QLineEdit>
#include <QSignalBlocker>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/designer/field_editor.h"
#include "app/models/theme.h"
#include "app/widgets/choice_box.h"
#include "app/widgets/number_box.h"
#include "app/widgets/roles.h"
#include "app/widgets/symbol_icon.h"

namespace trainyard {

namespace {

constexpr int kMaxSlots = 4096;
constexpr int kSlotsWidth = 104;
constexpr int kMemoryWidth = 88;
constexpr int kMaxGibibytes = 1 << 20;

int gibibytes(Bytes bytes)
{
    return static_cast<int>(bytes / kGiB);
}

/// The first host of the list that the run does not use yet; another name when all are used.
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

ClusterEditor::ClusterEditor(SpecDocument& document, HostListModel& hosts, QWidget* parent)
    : QWidget(parent)
    , m_document(document)
    , m_hosts(hosts)
    , m_layout(new QVBoxLayout)
    , m_error(makeLabel({}, "error"))
{
    auto* add = makeButton(tr("Add a host"), "link");
    m_layout->setContentsMargins(0, 0, 0, 0);
    m_layout->setSpacing(metrics::kHalf);
    m_error->setWordWrap(true);
    m_error->hide();
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(metrics::kHalf);
    column->addLayout(m_layout);
    column->addWidget(m_error);
    column->addWidget(add, 0, Qt::AlignLeft);
    connect(add, &QPushButton::clicked, this, &ClusterEditor::addNode);
    connect(&m_document, &SpecDocument::changed, this, &ClusterEditor::refresh);
    refresh();
}

ClusterEditor::NodeRow ClusterEditor::makeRow(std::size_t index)
{
    const QString path = QStringLiteral("cluster.nodes[%1]").arg(index);
    NodeRow row{new QWidget, new ChoiceBox, new NumberBox(0, kMaxSlots, tr("slots")),
                new NumberBox(0, kMaxGibibytes, tr("GiB"))};
    row.host->setEditable(true);
    row.host->setInsertPolicy(QComboBox::NoInsert);
    row.host->setObjectName(path + QStringLiteral(".host"));
    row.host->setAccessibleName(tr("Host %1").arg(index + 1));
    row.host->setToolTip(tr("As in your ssh configuration; localhost is this machine"));
    row.slotCount->setObjectName(path + QStringLiteral(".slots"));
    row.slotCount->setFixedWidth(kSlotsWidth);
    row.slotCount->setAccessibleName(tr("Slots of host %1").arg(index + 1));
    row.slotCount->setToolTip(tr("Ranks that may run there"));
    row.memory->setObjectName(path + QStringLiteral(".memory"));
    row.memory->setFixedWidth(kMemoryWidth);
    row.memory->setSpecialValueText(tr("any")); // of 0
    row.memory->setAccessibleName(tr("Memory per slot of host %1").arg(index + 1));
    row.memory->setToolTip(tr("Memory that each rank there may use; 0 = any that the host has"));
    auto* remove = new QToolButton;
    remove->setIcon(symbolIcon(QStringLiteral("close")));
    remove->setAccessibleName(tr("Remove host %1").arg(index + 1));
    remove->setToolTip(tr("Take this host out of the run"));
    for (QWidget* control : std::initializer_list<QWidget*>{row.host, row.slotCount, row.memory})
        control->installEventFilter(this);

    auto* line = new QHBoxLayout(row.widget);
    line->setContentsMargins(0, 0, 0, 0);
    line->setSpacing(metrics::kHalf);
    line->addWidget(row.host, 1);
    line->addWidget(row.slotCount);
    line->addWidget(row.memory);
    line->addWidget(remove);
    connect(row.host, &QComboBox::currentTextChanged, this, [this, index](const QString& text) {
        edit(tr("Host"), index, [&](NodeSpec& node) { node.host = text.trimmed().toStdString(); });
    });
    connect(row.slotCount, &QSpinBox::valueChanged, this, [this, index](int value) {
        edit(tr("Slots"), index, [&](NodeSpec& node) { node.slotCount = value; });
    });
    connect(row.memory, &QSpinBox::valueChanged, this, [this, index](int value) {
        edit(tr("Memory"), index, [&](NodeSpec& node) { node.memory = static_cast<Bytes>(value) * kGiB; });
    });
    // Queued: the row that holds the button goes away with the edit.
    connect(
        remove, &QToolButton::clicked, this, [this, index] { removeNode(index); }, Qt::QueuedConnection);
    return row;
}

void ClusterEditor::edit(const QString& what, std::size_t index, const std::function<void(NodeSpec&)>& change)
{
    m_document.edit(what, QStringLiteral("cluster.nodes[%1].%2").arg(index).arg(what),
                    [&](RunSpec& spec) { change(spec.cluster.nodes.at(index)); });
}

void ClusterEditor::addNode()
{
    m_document.closeEdit();
    m_document.edit(tr("Add host"), QStringLiteral("cluster.nodes"), [&](RunSpec& spec) {
        NodeSpec node;
        node.host = unusedHost(spec, m_hosts);
        spec.cluster.nodes.push_back(node);
    });
    m_document.closeEdit();
    m_rows.back().host->setFocus();
}

void ClusterEditor::removeNode(std::size_t index)
{
    m_document.closeEdit();
    m_document.edit(tr("Remove host"), QStringLiteral("cluster.nodes"), [&](RunSpec& spec) {
        if (index < spec.cluster.nodes.size())
            spec.cluster.nodes.erase(spec.cluster.nodes.begin() + static_cast<std::ptrdiff_t>(index));
    });
    m_document.closeEdit();
}

void ClusterEditor::fillHosts(ChoiceBox* box) const
{
    box->clear();
    box->addItems(m_hosts.names());
}

void ClusterEditor::refresh()
{
    const auto& nodes = m_document.spec().cluster.nodes;
    while (m_rows.size() > nodes.size()) {
        m_rows.back().widget->deleteLater();
        m_rows.back().widget->hide();
        m_rows.pop_back();
    }
    while (m_rows.size() < nodes.size()) {
        m_rows.push_back(makeRow(m_rows.size()));
        const QSignalBlocker blocker(m_rows.back().host);
        fillHosts(m_rows.back().host);
        m_layout->addWidget(m_rows.back().widget);
    }
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const QSignalBlocker hostBlocker(m_rows[i].host);
        const QString host = QString::fromStdString(nodes[i].host);
        if (m_rows[i].host->currentText().trimmed() != host)
            m_rows[i].host->setEditText(host);
        const QSignalBlocker slotBlocker(m_rows[i].slotCount);
        m_rows[i].slotCount->setSuffix(nodes[i].slotCount == 1 ? tr(" slot") : tr(" slots"));
        m_rows[i].slotCount->showValue(nodes[i].slotCount);
        const QSignalBlocker memoryBlocker(m_rows[i].memory);
        m_rows[i].memory->showValue(gibibytes(nodes[i].memory));
    }
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
