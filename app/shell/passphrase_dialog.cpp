#include "app/shell/passphrase_dialog.h"

#include <QDialog>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QVBoxLayout>

#include "app/models/theme.h"
#include "app/widgets/roles.h"

namespace trainyard {

std::optional<QByteArray> askPassphrase(const PassphraseQuestion& question, QWidget* parent)
{
    QDialog dialog(parent);
    dialog.setWindowTitle(QDialog::tr("Passphrase"));
    auto* text =
        makeLabel(QDialog::tr("%1 wants the key %2, which is locked.").arg(question.host, question.keyFile));
    text->setWordWrap(true);
    auto* field = new QLineEdit;
    field->setEchoMode(QLineEdit::Password);
    field->setAccessibleName(QDialog::tr("Passphrase"));
    auto* wrong = makeLabel(
        question.attempt > 1 ? QDialog::tr("The passphrase before was wrong.") : QString(), "error");
    wrong->setVisible(question.attempt > 1);
    auto* use = makeButton(QDialog::tr("Unlock"), "primary");
    auto* skip = makeButton(QDialog::tr("Do not use this key"));
    use->setDefault(true);

    auto* buttons = new QHBoxLayout;
    buttons->addStretch(1);
    buttons->addWidget(skip);
    buttons->addWidget(use);
    auto* column = new QVBoxLayout(&dialog);
    column->setSpacing(metrics::kPanelPadding);
    column->addWidget(text);
    column->addWidget(field);
    column->addWidget(wrong);
    column->addLayout(buttons);
    QObject::connect(use, &QPushButton::clicked, &dialog, &QDialog::accept);
    QObject::connect(skip, &QPushButton::clicked, &dialog, &QDialog::reject);
    if (dialog.exec() != QDialog::Accepted)
        return std::nullopt;
    return field->text().toUtf8();
}

} // namespace trainyard
