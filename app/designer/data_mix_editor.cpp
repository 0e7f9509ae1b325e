#include "app/designer/data_mix_editor.h"

#include <algorithm>

#include <QEvent>
#include <QLabel>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/base/display_text.h"
#include "app/base/field_label.h"
#include "app/base/theme.h"
#include "app/designer/data_set_button.h"
#include "app/designer/field_editor.h"
#include "app/designer/field_help.h"
#include "app/designer/problem_text.h"
#include "app/widgets/form_row.h"
#include "app/widgets/roles.h"
#include "app/widgets/symbol_icon.h"
#include "app/workspace/tab_order.h"
#include "engine/spec/limits.h"

namespace trainyard {

namespace {

constexpr int kWeightWidth = 64;
constexpr int kShareWidth = 56;
constexpr int kRemoveMixedWidth = 24;

/// A field of one data set of the mix, from the description of the run's. The editor of a data set that was
/// just removed may still ask: it gets defaults, and sets nothing.
SpecField mixedField(SpecField field, const DatasetPlace& place, std::size_t set)
{
    field.path = place.path + field.path.mid(QStringLiteral("dataset").size());
    field.get = [get = field.get, at = place.get, set](const RunSpec& run) {
        RunSpec spec;
        spec.dataset = at(run);
        if (set >= spec.dataset.mix.size())
            spec.dataset.mix.resize(set + 1);
        return get(spec);
    };
    field.set = [change = field.set, place, set](RunSpec& run, const QVariant& value) {
        RunSpec spec;
        spec.dataset = place.get(run);
        if (set >= spec.dataset.mix.size())
            return;
        change(spec, value);
        place.set(run, spec.dataset);
    };
    return field;
}

} // namespace

DataMixEditor::DataMixEditor(SpecDocument& document, const DataSetListModel& dataSets, DatasetPlace place,
                             QWidget* parent)
    : QWidget(parent)
    , m_document(document)
    , m_dataSets(dataSets)
    , m_place(std::move(place))
    , m_headings(makeHeadings())
    , m_layout(new QVBoxLayout)
    , m_error(makeParagraph({}, "error"))
    , m_add(makeButton({}, "link"))
    , m_bar(rowLayout(nullptr, metrics::kHalf))
{
    m_layout->setContentsMargins(0, 0, 0, 0);
    m_layout->setSpacing(metrics::kHalf);
    m_bar->addWidget(m_add);
    m_bar->addStretch(1);
    auto* column = columnLayout(this, metrics::kHalf);
    column->addWidget(m_headings);
    column->addLayout(m_layout);
    column->addWidget(m_error);
    column->addLayout(m_bar);
    connect(m_add, &QPushButton::clicked, this, &DataMixEditor::add);
    connect(&m_document, &SpecDocument::changed, this, &DataMixEditor::refresh);
    refresh();
}

QWidget* DataMixEditor::makeHeadings()
{
    auto* headings = new QWidget;
    auto* line = rowLayout(headings, metrics::kHalf);
    m_names = {makeLabel(tr("Mixed data sets"), "small"), makeLabel(tr("Weight"), "small"),
               makeLabel(tr("Share"), "small")};
    m_names[1]->setFixedWidth(kWeightWidth);
    m_names[2]->setFixedWidth(kShareWidth);
    line->addWidget(m_names[0], 1);
    line->addWidget(m_names[1]);
    line->addWidget(m_names[2]);
    line->addSpacing(kRemoveMixedWidth + metrics::kHalf);
    return headings;
}

DataMixEditor::Row DataMixEditor::makeRow(std::size_t set)
{
    Row row{new QWidget, nullptr, nullptr, makeLabel({}, "muted"), makeParagraph({}, "error")};
    const std::vector<SpecField> fields = fieldsOfMixedSet(static_cast<int>(set));
    row.path = makeField(fields[0], set, row.widget);
    row.weight = makeField(fields[1], set, row.widget);
    row.weight->control()->setFixedWidth(kWeightWidth);
    row.share->setFixedWidth(kShareWidth);
    auto* lines = columnLayout(row.widget, 2);
    auto* line = rowLayout(nullptr, metrics::kHalf);
    line->addWidget(row.path->control(), 1);
    line->addWidget(makeChooser(set));
    line->addWidget(row.weight->control());
    line->addWidget(row.share);
    line->addWidget(makeRemove(set));
    lines->addLayout(line);
    lines->addWidget(row.error);
    return row;
}

FieldEditor* DataMixEditor::makeField(const SpecField& field, std::size_t set, QWidget* row)
{
    auto* editor = new FieldEditor(m_document, mixedField(field, m_place, set), row);
    const SpecField& placed = editor->field();
    explainField(editor->control(), fieldLabel(placed.path), placed.help());
    editor->control()->installEventFilter(this);
    connect(editor, &FieldEditor::problemChanged, this, &DataMixEditor::showProblems);
    return editor;
}

QToolButton* DataMixEditor::makeChooser(std::size_t set)
{
    auto* button = new DataSetButton(m_dataSets);
    button->setAccessibleName(tr("Choose a data set: %1").arg(fieldLabel(pathOf(set))));
    connect(button, &DataSetButton::listed, this,
            [this, set](int entry) { setPath(set, m_dataSets.at(entry).folder); });
    connect(button, &DataSetButton::folderChosen, this,
            [this, set](const QString& folder) { setPath(set, folder); });
    return button;
}

QToolButton* DataMixEditor::makeRemove(std::size_t set)
{
    auto* button = new QToolButton;
    button->setIcon(symbolIcon(QStringLiteral("close")));
    button->setAccessibleName(tr("Remove from the mix: %1").arg(fieldLabel(pathOf(set))));
    button->setToolTip(tr("Remove this data set from the mix"));
    button->setFixedWidth(kRemoveMixedWidth);
    connect(button, &QToolButton::clicked, this, [this, set] { remove(set); });
    return button;
}

DatasetSpec DataMixEditor::dataset() const
{
    return m_place.get(m_document.spec());
}

QString DataMixEditor::pathOf(std::size_t set) const
{
    return QStringLiteral("%1.mix[%2]").arg(m_place.path).arg(set);
}

/// A file may name both, which only the user can settle.
bool DataMixEditor::isInPlaceOfPath() const
{
    const DatasetSpec named = dataset();
    return named.isMix() && named.path.empty();
}

void DataMixEditor::addBeside(QWidget* widget)
{
    m_bar->addWidget(widget);
}

void DataMixEditor::setMuted(bool muted)
{
    for (QLabel* name : m_names)
        setStyleProperty(name, "role", muted ? "muted" : "small");
}

void DataMixEditor::edit(const QString& what, const QString& field,
                         const std::function<void(DatasetSpec&)>& change)
{
    m_document.editAtOnce(what, field, [&](RunSpec& run) {
        DatasetSpec wanted = m_place.get(run);
        change(wanted);
        m_place.set(run, wanted);
    });
}

void DataMixEditor::setPath(std::size_t set, const QString& folder)
{
    edit(tr("Data set"), pathOf(set) + QStringLiteral(".path"), [&](DatasetSpec& wanted) {
        if (set < wanted.mix.size())
            wanted.mix[set].path = folder.toStdString();
    });
}

void DataMixEditor::add()
{
    edit(tr("Add data set"), m_place.path + QStringLiteral(".mix"),
         [](DatasetSpec& wanted) { addToMix(wanted); });
    if (!m_rows.empty())
        m_rows.back().path->control()->setFocus();
}

void DataMixEditor::remove(std::size_t set)
{
    edit(tr("Remove data set"), m_place.path + QStringLiteral(".mix"),
         [set](DatasetSpec& wanted) { removeFromMix(wanted, set); });
    m_add->setFocus(); // the button is gone
}

QList<QWidget*> DataMixEditor::rowWidgets() const
{
    QList<QWidget*> widgets;
    for (const Row& row : m_rows)
        widgets << row.widget;
    return widgets;
}

void DataMixEditor::refresh()
{
    const DatasetSpec named = dataset();
    resizeRows(named.mix.size());
    m_headings->setVisible(named.isMix());
    showShares();
    showAdd();
    showProblems();
}

void DataMixEditor::resizeRows(std::size_t sets)
{
    while (m_rows.size() > sets) {
        const Row& row = m_rows.back();
        row.widget->hide();
        for (const FieldEditor* field : {row.path, row.weight})
            field->control()->setObjectName(QString()); // a new row may get the name before this one is gone
        row.widget->deleteLater();                      // one of its controls may be the sender
        m_rows.pop_back();
    }
    const bool grows = m_rows.size() < sets;
    while (m_rows.size() < sets) {
        m_rows.push_back(makeRow(m_rows.size()));
        m_layout->addWidget(m_rows.back().widget);
        m_rows.back().widget->show(); // a layout shows it later, when a field was to get the focus
    }
    if (grows)
        reachAfter(*this, rowWidgets());
}

void DataMixEditor::showShares()
{
    const std::vector<double> shares = dataset().shares();
    for (std::size_t set = 0; set < m_rows.size(); ++set) {
        m_rows[set].share->setText(displayPercent(shares[set]));
        m_rows[set].share->setToolTip(tr("Share of the training rows"));
    }
}

void DataMixEditor::showAdd()
{
    const DatasetSpec named = dataset();
    const bool isFull = named.mix.size() >= kMaxMixedSets;
    m_add->setText(named.isMix() ? tr("Add a data set") : tr("Mix with another data set"));
    m_add->setAccessibleName(m_add->text());
    m_add->setEnabled(!isFull);
    m_add->setToolTip(isFull ? tr("A mix has at most %1 data sets").arg(kMaxMixedSets)
                             : tr("Train on the rows of several data sets, in proportion to their weights"));
}

void DataMixEditor::showFound(const Diagnostics& found)
{
    if (m_found == found)
        return;
    m_found = found;
    showProblems();
}

QString DataMixEditor::problemOf(const QString& path) const
{
    const QString invalid = problemAt(m_document.diagnostics(), path);
    return invalid.isEmpty() ? problemAt(m_found, path) : invalid;
}

void DataMixEditor::showProblems()
{
    for (std::size_t set = 0; set < m_rows.size(); ++set)
        showProblem(m_rows[set], set);
    const QString problem = problemOf(m_place.path + QStringLiteral(".mix"));
    m_error->setText(problem);
    m_error->setVisible(!problem.isEmpty());
}

void DataMixEditor::showProblem(const Row& row, std::size_t set) const
{
    QStringList sentences;
    for (const FieldEditor* field : {row.path, row.weight}) {
        QString sentence = field->problem().isEmpty() ? problemOf(field->field().path) : field->problem();
        if (sentence.isEmpty() && field == row.path)
            sentence = problemOf(pathOf(set)); // does not fit the others
        setStyleProperty(field->control(), "invalid", !sentence.isEmpty());
        field->control()->setAccessibleDescription(sentence.isEmpty() ? field->field().help() : sentence);
        if (!sentence.isEmpty())
            sentences << sentence;
    }
    row.error->setText(breakable(sentences.join(QLatin1Char('\n'))));
    row.error->setVisible(!sentences.isEmpty());
}

QWidget* DataMixEditor::controlFor(const QString& path) const
{
    for (std::size_t set = 0; set < m_rows.size(); ++set) {
        if (path == m_rows[set].weight->field().path)
            return m_rows[set].weight->control();
        if (path == m_rows[set].path->field().path || path == pathOf(set))
            return m_rows[set].path->control();
    }
    const bool isWhole = path == m_place.path || path == m_place.path + QStringLiteral(".mix") ||
                         (path == m_place.path + QStringLiteral(".path") && isInPlaceOfPath());
    return isWhole && !m_rows.empty() ? m_rows.front().path->control() : nullptr;
}

bool DataMixEditor::hasField(const QString& path) const
{
    return path == m_place.path + QStringLiteral(".mix") || controlFor(path);
}

bool DataMixEditor::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::FocusIn || event->type() == QEvent::Enter)
        emit helpWanted(fieldHelp(static_cast<QWidget*>(watched)));
    return QWidget::eventFilter(watched, event);
}

} // namespace trainyard
