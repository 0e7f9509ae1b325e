#include "app/hosts/add_host_bar.h"

#include <QCompleter>
#include <QGridLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QStringListModel>

#include "app/base/display_text.h"
#include "app/base/theme.h"
#include "app/widgets/roles.h"

namespace trainyard {

namespace {

constexpr int kFieldWidth = 360;

QString helpText()
{
    return AddHostBar::tr(
        "As you would pass it to ssh: an alias from your SSH config, gpu-03, or me@10.0.0.3:2222");
}

} // namespace

AddHostBar::AddHostBar(QWidget* parent)
    : QFrame(parent)
    , m_name(new QLineEdit)
    , m_note(makeLabel({}, "help"))
    , m_completions(new QStringListModel(this))
{
    setRole(this, "panel");
    m_name->setAccessibleName(tr("Host"));
    m_name->setAccessibleDescription(helpText());
    m_name->setPlaceholderText(tr("gpu-03"));
    m_name->setFixedWidth(kFieldWidth);
    auto* completer = new QCompleter(m_completions, this);
    completer->setCaseSensitivity(Qt::CaseInsensitive);
    completer->setFilterMode(Qt::MatchContains);
    m_name->setCompleter(completer);
    auto* add = makeButton(tr("&Add and check"), "primary");
    auto* leave = makeButton(tr("Cancel"));

    auto* grid = new QGridLayout(this);
    grid->setContentsMargins(metrics::kPanelPadding, metrics::kGap, metrics::kPanelPadding, metrics::kGap);
    grid->setHorizontalSpacing(metrics::kGap);
    grid->setVerticalSpacing(metrics::kHalf);
    auto* label = makeLabel(tr("Host"));
    label->setBuddy(m_name);
    grid->addWidget(label, 0, 0);
    grid->addWidget(m_name, 0, 1);
    grid->addWidget(add, 0, 2);
    grid->addWidget(leave, 0, 3);
    grid->addWidget(m_note, 1, 1, 1, 4);
    grid->setColumnStretch(4, 1);

    connect(m_name, &QLineEdit::returnPressed, this, &AddHostBar::submit);
    connect(add, &QPushButton::clicked, this, &AddHostBar::submit);
    connect(leave, &QPushButton::clicked, this, &QWidget::hide);
    hide();
}

void AddHostBar::ask(const QStringList& completions)
{
    m_completions->setStringList(completions);
    m_name->clear();
    setRole(m_note, "help");
    m_note->setText(helpText());
    setStyleProperty(m_name, "invalid", false);
    show();
    m_name->setFocus();
}

void AddHostBar::showError(const Error& error)
{
    setRole(m_note, "error");
    m_note->setText(displayError(error));
    setStyleProperty(m_name, "invalid", true);
    m_name->setFocus();
}

void AddHostBar::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Escape)
        hide();
    else
        QFrame::keyPressEvent(event);
}

void AddHostBar::submit()
{
    emit hostNamed(m_name->text().trimmed());
}

} // namespace trainyard
