#include "remote/ssh/prompt_login.h"

#include <algorithm>

#include <libssh/libssh.h>

#include <fmt/format.h>

#include "remote/ssh/plain_text.h"

namespace trainyard::ssh {

namespace {

constexpr int kMaxPrompts = 8;
constexpr std::size_t kMaxPromptBytes = 512;
constexpr int kMaxRounds = 16;

std::string lowered(std::string text)
{
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
    return text;
}

bool contains(const std::string& text, std::initializer_list<const char*> words)
{
    return std::any_of(words.begin(), words.end(),
                       [&](const char* word) { return text.find(word) != std::string::npos; });
}

/// One hidden answer that is called a password and is neither a new one nor good for one time only.
bool isPassword(const LoginInquiry& challenge)
{
    if (challenge.prompts.size() != 1 || challenge.prompts[0].echo)
        return false;
    const std::string text = lowered(challenge.prompts[0].text);
    return contains(text, {"password", "passwort", "passphrase"}) &&
           !contains(text, {"one-time", "one time", "otp", "code", "token", "new ", "retype", "again"});
}

/// The prompts by which PAM asks for a new password before it lets anybody in.
bool wantsNewPassword(const LoginInquiry& challenge)
{
    return std::any_of(challenge.prompts.begin(), challenge.prompts.end(), [](const auto& prompt) {
        return contains(lowered(prompt.text), {"new password", "new unix password"});
    });
}

Error passwordExpired(const Hop& hop)
{
    return refused(
        fmt::format("the password of the user {} has expired, and the host wants a new one", hop.host.user),
        fmt::format("log in once with `ssh {}@{}` and choose a new password", hop.host.user, hop.host.alias));
}

} // namespace

PromptLogin::PromptLogin(Session& session, const Hop& hop, Interaction& interaction)
    : m_session(session), m_hop(hop), m_interaction(interaction)
{
}

LoginInquiry PromptLogin::inquiryOf(LoginInquiry::Kind kind, int attempt) const
{
    LoginInquiry inquiry;
    inquiry.kind = kind;
    inquiry.host = m_hop.host.alias;
    inquiry.user = m_hop.host.user;
    inquiry.account = m_hop.host.account();
    inquiry.via = m_hop.via;
    inquiry.attempt = attempt;
    return inquiry;
}

Result<std::vector<Secret>> PromptLogin::ask(const LoginInquiry& inquiry)
{
    auto answers = m_interaction.login(inquiry);
    if (!answers || answers->size() != inquiry.prompts.size())
        return refused(fmt::format("the {} of the user {} was not provided",
                                   inquiry.kind == LoginInquiry::Kind::Password ? "password" : "answer",
                                   m_hop.host.user),
                       "connect again to be asked again, or install a key there: ssh-copy-id " +
                           m_hop.host.user + '@' + m_hop.host.alias);
    return std::move(*answers);
}

Result<LoginVerdict> PromptLogin::runPassword()
{
    for (int attempt = 1; attempt <= m_hop.host.passwordPrompts; ++attempt) {
        m_tried = "the password";
        LoginInquiry inquiry = inquiryOf(LoginInquiry::Kind::Password, attempt);
        inquiry.prompts = {{fmt::format("Password of {} on {}", m_hop.host.user, m_hop.host.alias), false}};
        TRAINYARD_TRY(const auto answers, ask(inquiry));
        const int code = ssh_userauth_password(m_session.handle(), nullptr, answers[0].c_str());
        // SSH_MSG_USERAUTH_PASSWD_CHANGEREQ (60), which libssh 0.10 does not take from anybody.
        if (m_session.libraryError().find("rejected packet (type 60)") != std::string::npos)
            return passwordExpired(m_hop);
        TRAINYARD_TRY(const LoginVerdict answer, readLoginVerdict(m_session, code));
        if (answer != LoginVerdict::Denied)
            return answer;
    }
    return LoginVerdict::Denied;
}

Result<LoginVerdict> PromptLogin::runKeyboardInteractive()
{
    for (int attempt = 1; attempt <= m_hop.host.passwordPrompts; ++attempt) {
        bool asked = false;
        TRAINYARD_TRY(const LoginVerdict answer, answerRounds(attempt, asked));
        if (answer != LoginVerdict::Denied || !asked)
            return answer;
        m_tried = "answers to its questions";
    }
    return LoginVerdict::Denied;
}

Result<LoginVerdict> PromptLogin::answerRounds(int attempt, bool& asked)
{
    for (int round = 0; round <= kMaxRounds; ++round) {
        const int code = ssh_userauth_kbdint(m_session.handle(), nullptr, nullptr);
        if (code == SSH_AUTH_AGAIN && m_session.libraryError().find("prompts") != std::string::npos)
            return refused("the host asks too many questions at once: " + m_session.libraryError());
        if (code != SSH_AUTH_INFO)
            return readLoginVerdict(m_session, code);
        TRAINYARD_TRY_STATUS(answerRound(attempt, asked));
    }
    return refused(fmt::format("the host keeps asking after {} rounds of questions", kMaxRounds));
}

Status PromptLogin::answerRound(int attempt, bool& asked)
{
    TRAINYARD_TRY(const LoginInquiry inquiry, readChallenge(attempt));
    if (wantsNewPassword(inquiry))
        return passwordExpired(m_hop);
    if (inquiry.prompts.empty()) { // only a message
        if (!inquiry.instruction.empty())
            m_interaction.notice(m_hop.host.alias + " says: " + inquiry.instruction);
        return {};
    }
    asked = true;
    TRAINYARD_TRY(const auto answers, ask(inquiry));
    return giveAnswers(answers);
}

Result<LoginInquiry> PromptLogin::readChallenge(int attempt) const
{
    const ssh_session session = m_session.handle();
    const auto plain = [](const char* text, Lines lines) {
        return plainText(text ? text : "", kMaxPromptBytes, lines);
    };
    LoginInquiry inquiry = inquiryOf(LoginInquiry::Kind::Challenge, attempt);
    inquiry.title = plain(ssh_userauth_kbdint_getname(session), Lines::One);
    inquiry.instruction = plain(ssh_userauth_kbdint_getinstruction(session), Lines::Many);
    const int count = ssh_userauth_kbdint_getnprompts(session);
    if (count < 0 || count > kMaxPrompts)
        return refused(
            fmt::format("the host asks {} questions at once; at most {} are supported", count, kMaxPrompts));
    for (int i = 0; i < count; ++i) {
        char echo = 0;
        const char* text = ssh_userauth_kbdint_getprompt(session, static_cast<unsigned>(i), &echo);
        inquiry.prompts.push_back({plain(text, Lines::One), echo != 0});
    }
    inquiry.reusable = isPassword(inquiry);
    return inquiry;
}

Status PromptLogin::giveAnswers(const std::vector<Secret>& answers)
{
    for (std::size_t i = 0; i < answers.size(); ++i) {
        if (ssh_userauth_kbdint_setanswer(m_session.handle(), static_cast<unsigned>(i), answers[i].c_str()) <
            0)
            return failed("cannot send the answers: " + m_session.libraryError());
    }
    return {};
}

} // namespace trainyard::ssh
