#include "app/designer/settings_exchange.h"

#include <algorithm>

#include <QFileDialog>
#include <QFileInfo>
#include <QMenu>
#include <QPlainTextEdit>
#include <QPushButton>

#include "app/base/theme.h"
#include "app/widgets/roles.h"
#include "app/workspace/message_bar.h"
#include "engine/base/file.h"

namespace trainyard {

namespace {

constexpr int kListLines = 6;

struct ToolText {
    ForeignTool tool;
    QString name;
    QString patterns; ///< of files that it reads
    QString file;     ///< that is proposed
};

const QList<ToolText>& toolTexts()
{
    static const QList<ToolText> texts{
        {ForeignTool::DeepSpeed, QStringLiteral("DeepSpeed"), QStringLiteral("*.json"),
         QStringLiteral("ds_config.json")},
        {ForeignTool::Megatron, QStringLiteral("Megatron-LM"), QStringLiteral("*.sh *.txt *.args *.slurm"),
         QStringLiteral("pretrain.sh")},
        {ForeignTool::SageMaker, QStringLiteral("SageMaker"), QStringLiteral("*.json"),
         QStringLiteral("smp_options.json")},
    };
    return texts;
}

const ToolText& textOf(ForeignTool tool)
{
    return *std::ranges::find(toolTexts(), tool, &ToolText::tool);
}

QString filterOf(const ToolText& tool)
{
    return SettingsExchange::tr("%1 settings (%2)").arg(tool.name, tool.patterns);
}

QPlainTextEdit* makeList(const Omissions& omissions)
{
    QStringList lines;
    for (const Omission& omission : omissions)
        lines << QString::fromStdString(omission.text());
    auto* list = new QPlainTextEdit(lines.join(QLatin1Char('\n')));
    list->setReadOnly(true);
    list->setTabChangesFocus(true);
    list->setAccessibleName(SettingsExchange::tr("Settings without a counterpart"));
    list->setFixedHeight(list->fontMetrics().lineSpacing() *
                             std::min<int>(kListLines, static_cast<int>(lines.size()) + 1) +
                         2 * metrics::kGap);
    return list;
}

} // namespace

SettingsExchange::SettingsExchange(SpecDocument& document, MessageBar& messages, QWidget* parent)
    : QObject(parent), m_document(document), m_messages(messages), m_window(parent)
{
}

QPushButton* SettingsExchange::makeExportButton()
{
    auto* button = makeButton(tr("&Export as…"));
    auto* menu = new QMenu(button);
    for (const ToolText& tool : toolTexts())
        menu->addAction(tr("%1 settings…").arg(tool.name), this, [this, &tool] { askForExport(tool.tool); });
    button->setMenu(menu);
    button->setToolTip(tr("Export the specification as settings of another tool"));
    return button;
}

QStringList SettingsExchange::filters()
{
    QStringList filters;
    for (const ToolText& tool : toolTexts())
        filters << filterOf(tool);
    return filters;
}

std::optional<ForeignTool> SettingsExchange::toolOfFilter(const QString& filter)
{
    for (const ToolText& tool : toolTexts()) {
        if (filterOf(tool) == filter)
            return tool.tool;
    }
    return std::nullopt;
}

void SettingsExchange::importFile(ForeignTool tool, const QString& file)
{
    const auto text = readFile(file.toStdString());
    if (!text.ok())
        return m_messages.showError(text.error());
    const ImportedSpec imported = importSettings(tool, *text, {m_document.spec(), std::nullopt});
    if (!imported.problems.empty())
        return m_messages.showError(toError(imported.problems).in(file.toStdString()));
    m_document.editAtOnce(tr("%1 settings").arg(textOf(tool).name), QStringLiteral("import"),
                          [&](RunSpec& spec) { spec = imported.spec; });
    report(tr("Imported %1 settings from %2.").arg(textOf(tool).name, QFileInfo(file).fileName()),
         imported.omissions);
    m_messages.addAction(tr("&Undo"), [this] {
        m_document.undoStack().undo();
        m_messages.clear();
    });
}

void SettingsExchange::exportFile(ForeignTool tool, const QString& file)
{
    if (!m_document.isValid())
        return m_messages.showError(toError(m_document.diagnostics()));
    const ExportedSettings exported = exportSettings(tool, m_document.spec());
    if (const Status written = writeFileAtomically(file.toStdString(), exported.text); !written.ok())
        return m_messages.showError(written.error());
    report(tr("%1 was written for %2.").arg(QFileInfo(file).fileName(), textOf(tool).name), exported.omissions);
}

void SettingsExchange::askForExport(ForeignTool tool)
{
    const ToolText& text = textOf(tool);
    const QString file = QFileDialog::getSaveFileName(m_window, tr("Export as %1 settings").arg(text.name),
                                                      text.file, filterOf(text));
    if (!file.isEmpty())
        exportFile(tool, file);
}

void SettingsExchange::report(const QString& sentence, const Omissions& omissions)
{
    if (omissions.empty())
        return m_messages.showMessage(MessageBar::Tone::Good, sentence);
    m_messages.showMessage(MessageBar::Tone::Warning, sentence,
                           omissions.size() == 1
                               ? tr("One setting has no counterpart:")
                               : tr("%1 settings have no counterpart:").arg(omissions.size()));
    m_messages.addField(makeList(omissions));
}

} // namespace trainyard
