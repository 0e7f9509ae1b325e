#include "app/shell/tour.h"

#include <algorithm>
#include <array>

#include <QAbstractButton>
#include <QAccessible>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QShortcut>
#include <QVBoxLayout>

#include "app/base/theme.h"
#include "app/shell/main_window.h"
#include "app/widgets/roles.h"
#include "app/workspace/page.h"

namespace trainyard {

namespace {

constexpr int kCardWidth = 360;
constexpr int kRingWidth = 2;

struct Step {
    const char* page;   ///< name of its icon; null = wherever the user is
    const char* target; ///< accessible name of the button that the card points at
    const char* heading;
    const char* sentence;
};

constexpr std::array kSteps{
    Step{"hosts", QT_TRANSLATE_NOOP("trainyard::HostsPage", "Add host…"),
         QT_TRANSLATE_NOOP("trainyard::Tour", "Hosts: the machines that train"),
         QT_TRANSLATE_NOOP("trainyard::Tour",
                           "This machine is already listed. Add others by the name you use "
                           "with ssh; Check tells you what is missing and how to fix it.")},
    Step{"data", QT_TRANSLATE_NOOP("trainyard::DataPage", "Prepare…"),
         QT_TRANSLATE_NOOP("trainyard::Tour", "Data: from a text dump to shards"),
         QT_TRANSLATE_NOOP("trainyard::Tour",
                           "A dump is read, cleaned and cut into training rows on the host that has it. "
                           "Watch every stage as it runs, and see the rows as words.")},
    Step{"design", QT_TRANSLATE_NOOP("trainyard::VerdictPanel", "Launch"),
         QT_TRANSLATE_NOOP("trainyard::Tour", "Design: know before you pay"),
         QT_TRANSLATE_NOOP("trainyard::Tour",
                           "Every change is checked instantly: does it fit, how fast is it, what does it "
                           "cost, and which layout is better. Launch sends the run to its hosts.")},
    Step{"runs", QT_TRANSLATE_NOOP("trainyard::Tour", "Runs"),
         QT_TRANSLATE_NOOP("trainyard::Tour", "Runs: watch it happen"),
         QT_TRANSLATE_NOOP("trainyard::Tour",
                           "Curves, devices, logs and events of a run as it trains, next to its plan. A run "
                           "continues when you close this window. Compare and Reports take it from there.")},
    Step{
        nullptr, QT_TRANSLATE_NOOP("trainyard::MainWindow", "Help"),
        QT_TRANSLATE_NOOP("trainyard::Tour", "Keyboard shortcuts"),
        QT_TRANSLATE_NOOP("trainyard::Tour",
                          "Ctrl+K finds every command by name, including this tour. Ctrl+/ shows all keys.")},
    Step{
        "runs", QT_TRANSLATE_NOOP("trainyard::Tour", "Runs"),
        QT_TRANSLATE_NOOP("trainyard::Tour", "See it run"),
        QT_TRANSLATE_NOOP("trainyard::Tour",
                          "The demo prepares a small data set from a bundled sample and trains a small model "
                          "on two ranks of this machine. It takes a few minutes; its loss appears here.")},
};

/// Frames a widget without being in its way.
class Ring : public QWidget {
public:
    explicit Ring(QWidget* parent) : QWidget(parent)
    {
        setAttribute(Qt::WA_TransparentForMouseEvents);
        setFocusPolicy(Qt::NoFocus);
        hide();
    }

protected:
    void paintEvent(QPaintEvent*) override
    {
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(QPen(coloursOf(palette()).accent, kRingWidth));
        painter.drawRoundedRect(rect().adjusted(1, 1, -1, -1), metrics::kRadius, metrics::kRadius);
    }
};

} // namespace

Tour::Tour(MainWindow& window)
    : QFrame(&window)
    , m_window(window)
    , m_ring(new Ring(&window))
    , m_heading(makeLabel({}, "heading"))
    , m_count(makeLabel({}, "muted"))
    , m_sentence(makeLabel({}))
    , m_back(makeButton(tr("&Back")))
    , m_next(makeButton(tr("&Next"), "primary"))
{
    setRole(this, "popup");
    setFixedWidth(kCardWidth);
    m_sentence->setWordWrap(true);
    auto* head = new QHBoxLayout;
    head->addWidget(m_heading, 1);
    head->addWidget(m_count);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(metrics::kPagePadding, metrics::kPanelPadding, metrics::kPagePadding,
                               metrics::kPanelPadding);
    column->setSpacing(metrics::kPanelPadding);
    column->addLayout(head);
    column->addWidget(m_sentence);
    column->addLayout(makeButtons());
    auto* escape = new QShortcut(Qt::Key_Escape, this);
    connect(escape, &QShortcut::activated, this, &Tour::leave);
    window.installEventFilter(this);
    hide();
}

QLayout* Tour::makeButtons()
{
    auto* leaveButton = makeButton(tr("Skip tour"), "link");
    leaveButton->setToolTip(tr("Esc; Ctrl+K and \"tour\" start it again"));
    connect(leaveButton, &QPushButton::clicked, this, &Tour::leave);
    connect(m_back, &QPushButton::clicked, this, [this] { showStep(m_step - 1); });
    connect(m_next, &QPushButton::clicked, this, &Tour::next);
    auto* row = new QHBoxLayout;
    row->addWidget(leaveButton);
    row->addStretch(1);
    row->addWidget(m_back);
    row->addWidget(m_next);
    return row;
}

void Tour::begin()
{
    show();
    showStep(0);
}

void Tour::leave()
{
    hide();
    m_ring->hide();
    emit left();
}

void Tour::next()
{
    if (m_step + 1 < int(kSteps.size()))
        return showStep(m_step + 1);
    leave();
    emit demoRequested();
}

void Tour::showStep(int step)
{
    m_step = step;
    const Step& now = kSteps[std::size_t(step)];
    for (auto* page : m_window.findChildren<Page*>()) {
        if (page->iconName() == QLatin1String(now.page))
            m_window.showPage(page);
    }
    const bool last = step + 1 == int(kSteps.size());
    m_heading->setText(tr(now.heading));
    m_sentence->setText(tr(now.sentence));
    m_count->setText(tr("%1 of %2").arg(step + 1).arg(kSteps.size()));
    m_back->setEnabled(step > 0);
    m_next->setText(last ? tr("&Start the demo") : tr("&Next"));
    m_next->setAccessibleName(m_next->text().remove(QLatin1Char('&')));
    m_next->setAccessibleDescription(m_heading->text() + QStringLiteral(". ") + m_sentence->text());
    setAccessibleName(m_heading->text());
    setAccessibleDescription(m_sentence->text());
    m_target = findTarget();
    placeBesideTarget();
    m_next->setFocus();
    QAccessibleEvent told(this, QAccessible::Alert);
    QAccessible::updateAccessibility(&told);
}

QWidget* Tour::findTarget() const
{
    const QString name = QString::fromUtf8(kSteps[std::size_t(m_step)].target);
    for (auto* button : m_window.findChildren<QAbstractButton*>()) {
        if (button->isVisible() && !isAncestorOf(button) && button->accessibleName() == name)
            return button;
    }
    return nullptr;
}

/// Below the target, or above or beside it where there is no room; in the middle without a target.
void Tour::placeBesideTarget()
{
    setFixedHeight(heightForWidth(kCardWidth)); // with the frame
    QRect card({}, size());
    m_ring->setVisible(m_target && m_target->isVisible());
    const QRect room = m_window.rect().adjusted(metrics::kGap, metrics::kGap, -metrics::kGap, -metrics::kGap);
    if (m_ring->isVisible()) {
        const QRect target(m_target->mapTo(&m_window, QPoint()), m_target->size());
        m_ring->setGeometry(
            target.adjusted(-metrics::kHalf, -metrics::kHalf, metrics::kHalf, metrics::kHalf));
        m_ring->raise();
        card.moveTopLeft(target.bottomLeft() + QPoint(0, metrics::kPanelPadding));
        if (card.bottom() > room.bottom())
            card.moveBottom(target.top() - metrics::kPanelPadding);
        if (target.right() < room.left() + kCardWidth / 2) // at the left edge: beside it
            card.moveTopLeft(target.topRight() + QPoint(metrics::kPagePadding, 0));
    } else {
        card.moveCenter(room.center());
    }
    card.moveLeft(std::clamp(card.left(), room.left(), std::max(room.left(), room.right() - card.width())));
    card.moveTop(std::clamp(card.top(), room.top(), std::max(room.top(), room.bottom() - card.height())));
    move(card.topLeft());
    raise();
}

bool Tour::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == &m_window && event->type() == QEvent::Resize && isVisible())
        QMetaObject::invokeMethod(this, &Tour::placeBesideTarget, Qt::QueuedConnection);
    return QFrame::eventFilter(watched, event);
}

} // namespace trainyard
