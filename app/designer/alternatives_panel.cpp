#include "app/designer/alternatives_panel.h"

#include <QHBoxLayout>
#include <QListView>
#include <QProgressBar>

#include "app/base/display_text.h"
#include "app/base/theme.h"
#include "app/widgets/delegates.h"
#include "app/widgets/input_boxes.h"
#include "app/widgets/roles.h"

namespace trainyard {

namespace {

constexpr int kMinListHeight = 112; ///< pixels: one alternative with its gains and losses

QComboBox* makeObjectives()
{
    auto* box = new ChoiceBox;
    box->setAccessibleName(AlternativesPanel::tr("Search for"));
    box->addItem(AlternativesPanel::tr("fastest"), static_cast<int>(SearchObjective::Time));
    box->addItem(AlternativesPanel::tr("cheapest"), static_cast<int>(SearchObjective::Cost));
    box->addItem(AlternativesPanel::tr("least memory"), static_cast<int>(SearchObjective::Memory));
    return box;
}

QListView* makeList(AlternativeListModel& model)
{
    auto* list = new QListView;
    list->setAccessibleName(AlternativesPanel::tr("Alternative layouts"));
    list->setModel(&model);
    list->setItemDelegate(new TonedDelegate(list));
    list->setWordWrap(true);
    list->setResizeMode(QListView::Adjust);
    list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    list->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    list->setFrameShape(QFrame::NoFrame);
    list->setMinimumHeight(kMinListHeight);
    return list;
}

} // namespace

AlternativesPanel::AlternativesPanel(QWidget* parent)
    : QFrame(parent)
    , m_objective(makeObjectives())
    , m_button(makeButton(tr("S&earch")))
    , m_progress(new QProgressBar)
    , m_note(makeParagraph({}, "help"))
    , m_list(makeList(m_alternatives.found()))
    , m_apply(makeButton(tr("&Apply")))
{
    setRole(this, "panel");
    m_progress->setRange(0, 1000);
    m_progress->setTextVisible(false);
    m_progress->setAccessibleName(tr("Search"));
    m_apply->setAccessibleName(tr("Apply alternative"));
    m_apply->setToolTip(
        tr("Applies layout, batch and memory optimizations and keeps the hosts; one Undo step"));
    m_objective->setToolTip(tr("fastest: most sequences per second; cheapest: lowest cost per sequence, "
                               "possibly on fewer hosts; least memory: most free memory per device"));
    auto* head = new QHBoxLayout;
    head->addWidget(m_objective, 1);
    head->addWidget(m_button);
    auto* column = columnLayout(this, metrics::kGap, metrics::kPanelMargins);
    column->addWidget(makeLabel(tr("Alternatives"), "heading"));
    column->addLayout(head);
    column->addWidget(m_progress);
    column->addWidget(m_note);
    column->addWidget(m_list, 1);
    column->addWidget(m_apply);
    column->addStretch(0);

    connect(m_button, &QPushButton::clicked, this, &AlternativesPanel::onButton);
    connect(m_apply, &QPushButton::clicked, this, &AlternativesPanel::apply);
    connect(m_list, &QListView::activated, this, &AlternativesPanel::apply);
    connect(m_list->selectionModel(), &QItemSelectionModel::currentChanged, this,
            &AlternativesPanel::showState);
    connect(&m_alternatives, &LayoutAlternatives::stateChanged, this, &AlternativesPanel::showState);
    connect(&m_alternatives, &LayoutAlternatives::failed, this, &AlternativesPanel::onFailed);
    connect(&m_alternatives, &LayoutAlternatives::progressed, this,
            [this](double share) { m_progress->setValue(static_cast<int>(share * m_progress->maximum())); });
    showState();
}

void AlternativesPanel::setDesign(const PlannedDesign& design)
{
    m_alternatives.setDesign(design);
}

void AlternativesPanel::onButton()
{
    if (m_alternatives.isRunning())
        return m_alternatives.cancel();
    m_failure.clear();
    m_progress->setValue(0);
    m_alternatives.start(static_cast<SearchObjective>(m_objective->currentData().toInt()));
}

void AlternativesPanel::onFailed(const Error& error)
{
    m_failure = displayError(error);
    showState();
}

void AlternativesPanel::apply()
{
    const QModelIndex index = m_list->currentIndex();
    if (index.isValid() && m_apply->isEnabled())
        emit chosen(m_alternatives.found().at(index.row()));
}

void AlternativesPanel::showState()
{
    const QString obstacle = m_alternatives.obstacle();
    const bool running = m_alternatives.isRunning();
    const bool any = m_alternatives.found().rowCount() > 0;
    m_button->setText(running ? tr("Cancel") : tr("S&earch"));
    m_button->setAccessibleName(running ? tr("Cancel search") : tr("Search for alternatives"));
    m_button->setEnabled(running || obstacle.isEmpty());
    m_objective->setEnabled(!running);
    m_progress->setVisible(running);
    m_list->setVisible(any);
    m_list->setEnabled(!running && !m_alternatives.isOutdated());
    m_apply->setVisible(any);
    m_apply->setEnabled(m_list->isEnabled() && m_list->currentIndex().isValid());
    const QString note =
        running && any                ? tr("Showing results of the previous search.")
        : running                     ? QString()
        : m_alternatives.isOutdated() ? tr("Results for another design: search again.")
        : any                         ? QString()
        : !m_failure.isEmpty()        ? m_failure
        : !obstacle.isEmpty()
            ? obstacle
            : tr("Tries all layouts of this model on this cluster and shows what each gains and loses.");
    m_note->setText(note);
    m_note->setVisible(!note.isEmpty());
}

} // namespace trainyard
