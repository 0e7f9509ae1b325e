#include "app/data/add_data_set_bar.h"

#include <QGridLayout>
#include <QKeyEvent>
#include <QLineEdit>

#include "app/base/theme.h"
#include "app/hosts/controls/choose_path.h"
#include "app/hosts/model/host_entry.h"
#include "app/widgets/input_boxes.h"
#include "app/widgets/roles.h"

namespace trainyard {

namespace {

constexpr int kHostWidth = 200;

QString helpText()
{
    return AddDataSetBar::tr("The folder with manifest.json, as a path on that host; no data is copied");
}

} // namespace

AddDataSetBar::AddDataSetBar(RunService& runs, QWidget* parent)
    : QFrame(parent), m_runs(runs), m_host(new ChoiceBox), m_folder(new QLineEdit)
{
    setRole(this, "panel");
    m_host->setAccessibleName(tr("Host"));
    m_host->setFixedWidth(kHostWidth);
    m_folder->setAccessibleName(tr("Data set folder"));
    m_folder->setAccessibleDescription(helpText());
    m_folder->setPlaceholderText(tr("/data/enwiki-128"));
    auto* choose = makeButton(tr("Choose…"));
    auto* add = makeButton(tr("&Add"), "primary");
    auto* leave = makeButton(tr("Cancel"));

    auto* grid = new QGridLayout(this);
    grid->setContentsMargins(metrics::kPanelPadding, metrics::kGap, metrics::kPanelPadding, metrics::kGap);
    grid->setHorizontalSpacing(metrics::kGap);
    grid->setVerticalSpacing(metrics::kHalf);
    grid->addWidget(m_host, 0, 0);
    grid->addWidget(m_folder, 0, 1);
    grid->addWidget(choose, 0, 2);
    grid->addWidget(add, 0, 3);
    grid->addWidget(leave, 0, 4);
    grid->addWidget(makeLabel(helpText(), "help"), 1, 1, 1, 4);
    grid->setColumnStretch(1, 1);

    connect(m_folder, &QLineEdit::returnPressed, this, &AddDataSetBar::submit);
    connect(choose, &QPushButton::clicked, this, &AddDataSetBar::choose);
    connect(add, &QPushButton::clicked, this, &AddDataSetBar::submit);
    connect(leave, &QPushButton::clicked, this, &QWidget::hide);
    hide();
}

void AddDataSetBar::ask(const QStringList& hosts)
{
    m_host->clear();
    for (const QString& host : hosts)
        m_host->addItem(host == thisMachine() ? tr("This machine") : host, host);
    m_folder->clear();
    show();
    m_folder->setFocus();
}

QString AddDataSetBar::host() const
{
    return m_host->currentData().toString();
}

void AddDataSetBar::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Escape)
        hide();
    else
        QFrame::keyPressEvent(event);
}

void AddDataSetBar::choose()
{
    choosePaths(this, m_runs, {host(), tr("Data set folder"), m_folder->text(), ChosenKind::Folder},
                [this](const QStringList& folders) { m_folder->setText(folders.value(0)); });
}

void AddDataSetBar::submit()
{
    if (!m_folder->text().trimmed().isEmpty())
        emit folderNamed(host(), m_folder->text().trimmed());
}

} // namespace trainyard
