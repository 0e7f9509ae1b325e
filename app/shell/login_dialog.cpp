#include "app/shell/login_dialog.h"

#include <algorithm>

#include <QHBoxLayout>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

#include "app/base/theme.h"
#include "app/widgets/roles.h"

namespace trainyard {

namespace {

constexpr int kWidth = 460;
constexpr int kMaxFormHeight = 440; ///< a small screen has room for the rest

QLabel* makeWrapped(const QString& text, const char* role = nullptr)
{
    auto* label = makeLabel(text, role);
    label->setWordWrap(true);
    return label;
}

QString titleOf(const ssh::LoginInquiry& question)
{
    switch (question.kind) {
    case ssh::LoginInquiry::Kind::Passphrase:
        return LoginDialog::tr("Passphrase");
    case ssh::LoginInquiry::Kind::Password:
        return LoginDialog::tr("Password");
    case ssh::LoginInquiry::Kind::Challenge:
        break;
    }
    return LoginDialog::tr("Login");
}

QString placeOf(const ssh::LoginInquiry& question)
{
    const QString host = QString::fromStdString(question.host);
    return question.via.empty()
               ? host
               : LoginDialog::tr("%1 (via %2)").arg(host, QString::fromStdString(question.via));
}

QString reasonOf(const ssh::LoginInquiry& question)
{
    const QString user = QString::fromStdString(question.user);
    switch (question.kind) {
    case ssh::LoginInquiry::Kind::Passphrase:
        return LoginDialog::tr("%1 accepts the key %2. Enter its passphrase.")
            .arg(placeOf(question), QString::fromStdString(question.keyFile));
    case ssh::LoginInquiry::Kind::Password:
        return LoginDialog::tr("%1 asks for the password of user %2.").arg(placeOf(question), user);
    case ssh::LoginInquiry::Kind::Challenge:
        break;
    }
    return LoginDialog::tr("%1 needs more information to log in as %2.").arg(placeOf(question), user);
}

/// The label beside the field: ours where the question is ours, the host's words where it is the host's.
QString labelOf(const ssh::LoginInquiry& question, const ssh::LoginInquiry::Prompt& prompt)
{
    return question.kind == ssh::LoginInquiry::Kind::Challenge ? QString::fromStdString(prompt.text)
                                                               : titleOf(question);
}

/// The text of a field, gone from the field; its own copy is wiped.
ssh::Secret takeText(QLineEdit& field)
{
    QString text = field.text();
    field.clear();
    QByteArray bytes = text.toUtf8();
    ssh::Secret secret({bytes.constData(), static_cast<std::size_t>(bytes.size())});
    ssh::wipe(bytes.data(), static_cast<std::size_t>(bytes.size()));
    ssh::wipe(text.data(), static_cast<std::size_t>(text.size()) * sizeof(QChar));
    return secret;
}

} // namespace

LoginDialog::LoginDialog(const ssh::LoginInquiry& question, Keyring keyring, QWidget* parent)
    : QDialog(parent)
    , m_form(new QScrollArea)
    , m_useAgain(new QCheckBox(tr("Remember for this &session")))
    , m_keep(new QCheckBox(tr("Save in the system &keyring")))
{
    setWindowTitle(titleOf(question));
    setFixedWidth(kWidth);
    auto* column = new QVBoxLayout(this);
    column->setSpacing(metrics::kPanelPadding);
    column->addWidget(makeWrapped(reasonOf(question)));
    m_form->setFrameShape(QFrame::NoFrame);
    m_form->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_form->setWidgetResizable(true);
    m_form->setFocusPolicy(Qt::NoFocus);
    m_form->setWidget(makeForm(question));
    column->addWidget(m_form);
    column->addWidget(makeChoices(question, keyring));
    column->addWidget(makeButtons(question));
    m_fields.front()->setFocus();
}

/// Wrapped labels know their height only when the width and the fonts are there.
void LoginDialog::showEvent(QShowEvent* event)
{
    const QMargins margins = layout()->contentsMargins();
    const int width = kWidth - margins.left() - margins.right();
    m_form->setFixedHeight(std::min(m_form->widget()->heightForWidth(width), kMaxFormHeight));
    setFixedHeight(layout()->heightForWidth(kWidth));
    QDialog::showEvent(event);
}

QWidget* LoginDialog::makeForm(const ssh::LoginInquiry& question)
{
    auto* form = new QWidget;
    setRole(form, "page");
    auto* column = new QVBoxLayout(form);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(metrics::kPanelPadding);
    if (!question.title.empty() || !question.instruction.empty())
        column->addWidget(makeHostsWords(question));
    if (question.attempt > 1)
        column->addWidget(makeWrapped(tr("The previous answer was rejected."), "error"));
    column->addWidget(makePrompts(question));
    return form;
}

QWidget* LoginDialog::makeHostsWords(const ssh::LoginInquiry& question)
{
    auto* panel = makePanel();
    auto* column = new QVBoxLayout(panel);
    column->addWidget(makeLabel(tr("Message from %1").arg(QString::fromStdString(question.host)), "small"));
    for (const std::string& text : {question.title, question.instruction}) {
        if (!text.empty())
            column->addWidget(makeWrapped(QString::fromStdString(text)));
    }
    return panel;
}

QWidget* LoginDialog::makePrompts(const ssh::LoginInquiry& question)
{
    auto* box = new QWidget;
    auto* column = new QVBoxLayout(box);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(metrics::kHalf);
    for (const auto& prompt : question.prompts) {
        auto* field = new QLineEdit;
        field->setEchoMode(prompt.echo ? QLineEdit::Normal : QLineEdit::Password);
        field->setMaxLength(static_cast<int>(ssh::Secret::kLongest / 4)); // four bytes of UTF-8 each
        const QString text = labelOf(question, prompt);
        field->setAccessibleName(text);
        auto* label = makeWrapped(text);
        label->setBuddy(field);
        column->addWidget(label);
        column->addWidget(field);
        m_fields.append(field);
    }
    return box;
}

/// One-time codes are neither used again nor kept.
QWidget* LoginDialog::makeChoices(const ssh::LoginInquiry& question, Keyring keyring)
{
    const bool reusable = question.reusable && question.prompts.size() == 1;
    m_useAgain->setChecked(reusable);
    m_useAgain->setVisible(reusable);
    m_keep->setVisible(reusable && keyring == Keyring::Present);
    auto* box = new QWidget;
    auto* column = new QVBoxLayout(box);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(metrics::kHalf);
    column->addWidget(m_useAgain);
    column->addWidget(makeWrapped(tr("Kept in locked memory until Trainyard exits, for reconnecting and for "
                                     "other hosts that ask for it. Never written to a file."),
                                  "help"));
    column->addWidget(m_keep);
    box->setVisible(reusable);
    return box;
}

QWidget* LoginDialog::makeButtons(const ssh::LoginInquiry& question)
{
    const bool isKey = question.kind == ssh::LoginInquiry::Kind::Passphrase;
    auto* leave = makeButton(isKey ? tr("Do not use this key") : tr("Cancel"));
    auto* use = makeButton(isKey ? tr("Unlock") : tr("Log in"), "primary");
    use->setDefault(true);
    connect(use, &QPushButton::clicked, this, &QDialog::accept);
    connect(leave, &QPushButton::clicked, this, &QDialog::reject);
    auto* box = new QWidget;
    auto* row = new QHBoxLayout(box);
    row->setContentsMargins(0, 0, 0, 0);
    row->addStretch(1);
    row->addWidget(leave);
    row->addWidget(use);
    return box;
}

std::optional<CredentialBroker::Answer> LoginDialog::takeAnswer()
{
    CredentialBroker::Answer answer;
    for (QLineEdit* field : m_fields)
        answer.secrets.push_back(takeText(*field));
    if (result() != Accepted)
        return std::nullopt;
    answer.useAgain = m_useAgain->isChecked();
    answer.keepInKeyring = m_keep->isChecked();
    return answer;
}

} // namespace trainyard
