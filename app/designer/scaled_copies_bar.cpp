#include "app/designer/scaled_copies_bar.h"

#include <QComboBox>
#include <QFileDialog>
#include <QGridLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QRegularExpression>

#include "app/base/display_text.h"
#include "app/base/theme.h"
#include "app/widgets/roles.h"
#include "engine/base/file.h"
#include "engine/planner/scaling/studied_phase.h"
#include "engine/spec/spec_json.h"

namespace trainyard {

namespace {

constexpr int kRanksWidth = 160;
constexpr int kScalingWidth = 304;

Result<std::vector<int>> parseRanks(const QString& text)
{
    static const QRegularExpression separators(QStringLiteral("[,;\\s]+"));
    std::vector<int> ranks;
    for (const QString& word : text.split(separators, Qt::SkipEmptyParts)) {
        bool ok = false;
        ranks.push_back(word.toInt(&ok));
        if (!ok || ranks.back() < 1)
            return badInput("\"" + word.toStdString() + "\" is not a rank count", "write it as 1, 2, 4");
    }
    if (ranks.empty())
        return badInput("no rank counts given", "write it as 1, 2, 4");
    return ranks;
}

} // namespace

ScaledCopiesBar::ScaledCopiesBar(SpecDocument& document, QWidget* parent)
    : QFrame(parent)
    , m_document(document)
    , m_ranks(new QLineEdit(QStringLiteral("1, 2, 4")))
    , m_scaling(new QComboBox)
    , m_preview(makeLabel({}, "help"))
    , m_save(nullptr)
{
    setRole(this, "panel");
    m_preview->setWordWrap(true);
    m_ranks->setFixedWidth(kRanksWidth);
    m_ranks->setAccessibleName(tr("Rank counts"));
    m_scaling->addItem(tr("Strong: the same global batch"), static_cast<int>(Scaling::Strong));
    m_scaling->addItem(tr("Weak: the same work per rank"), static_cast<int>(Scaling::Weak));
    m_scaling->setFixedWidth(kScalingWidth);
    m_scaling->setAccessibleName(tr("Kind of scaling"));
    auto* save = makeButton(tr("Save copies…"), "primary");
    m_save = save;
    auto* leave = makeButton(tr("Close"));
    auto* grid = new QGridLayout(this);
    grid->setContentsMargins(metrics::kLowPanelMargins);
    grid->setHorizontalSpacing(metrics::kGap);
    grid->setVerticalSpacing(metrics::kHalf);
    grid->addWidget(makeLabel(tr("Scaled copies for")), 0, 0);
    grid->addWidget(m_ranks, 0, 1);
    grid->addWidget(makeLabel(tr("ranks")), 0, 2);
    grid->addWidget(m_scaling, 0, 3);
    grid->addWidget(save, 0, 4);
    grid->addWidget(leave, 0, 5);
    grid->setColumnStretch(6, 1);
    grid->addWidget(m_preview, 1, 1, 1, 6);
    connect(m_ranks, &QLineEdit::textChanged, this, &ScaledCopiesBar::showPreview);
    connect(m_scaling, &QComboBox::currentIndexChanged, this, &ScaledCopiesBar::showPreview);
    connect(&m_document, &SpecDocument::changed, this, &ScaledCopiesBar::showPreview);
    connect(save, &QPushButton::clicked, this, &ScaledCopiesBar::save);
    connect(leave, &QPushButton::clicked, this, &QWidget::hide);
    hide();
}

void ScaledCopiesBar::ask()
{
    show();
    showPreview();
    m_ranks->setFocus();
}

void ScaledCopiesBar::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Escape)
        hide();
    else
        QFrame::keyPressEvent(event);
}

Result<std::vector<RunSpec>> ScaledCopiesBar::copies() const
{
    TRAINYARD_TRY(const std::vector<int> ranks, parseRanks(m_ranks->text()));
    std::vector<RunSpec> specs;
    for (const int count : ranks) {
        TRAINYARD_TRY(RunSpec spec, scaledCopy(m_document.spec(), count,
                                               static_cast<Scaling>(m_scaling->currentData().toInt())));
        specs.push_back(std::move(spec));
    }
    return specs;
}

void ScaledCopiesBar::showPreview()
{
    const auto specs = copies();
    setRole(m_preview, specs.ok() ? "help" : "error");
    m_save->setEnabled(specs.ok());
    if (!specs.ok()) {
        m_preview->setText(displayError(specs.error()));
        return;
    }
    QStringList parts;
    for (const RunSpec& spec : *specs)
        parts << tr("%1 (global batch %2, accumulation %3)")
                     .arg(QString::fromStdString(spec.name))
                     .arg(spec.batch.global)
                     .arg(spec.batch.accumulation);
    for (const std::string& note : studyNotes(m_document.spec()))
        parts << QString::fromStdString(note);
    m_preview->setText(parts.join(QStringLiteral(" · ")));
}

void ScaledCopiesBar::save()
{
    const auto specs = copies();
    const QString folder = QFileDialog::getExistingDirectory(this, tr("Folder for the copies"));
    if (!specs.ok() || folder.isEmpty())
        return;
    QStringList files;
    for (const RunSpec& spec : *specs) {
        const QString file =
            folder + QLatin1Char('/') + QString::fromStdString(spec.name) + QStringLiteral(".json");
        if (const Status saved = writeFileAtomically(file.toStdString(), toJson(spec)); !saved.ok()) {
            emit failed(saved.error());
            return;
        }
        files << file;
    }
    hide();
    emit written(files);
}

} // namespace trainyard
