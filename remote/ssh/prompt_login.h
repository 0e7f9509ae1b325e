#pragma once

#include <string>

#include "remote/ssh/authenticate.h"
#include "remote/ssh/login_verdict.h"

namespace trainyard::ssh {

/// Logging in by what a person answers: keyboard-interactive (whatever the server asks, in several rounds)
/// and the password. Asks again only while a person answers, at most NumberOfPasswordPrompts times. What a
/// server asks is held to 8 prompts of 512 bytes and 16 rounds, and reaches the person as plain text.
class PromptLogin {
public:
    PromptLogin(Session& session, const Hop& hop, Interaction& interaction);

    Result<LoginVerdict> runKeyboardInteractive();
    Result<LoginVerdict> runPassword();
    /// For the message when nothing opened: "the password"; empty = nobody was asked.
    const std::string& tried() const { return m_tried; }

private:
    Result<LoginVerdict> answerRounds(int attempt, bool& asked);
    Status answerRound(int attempt, bool& asked);
    Result<LoginInquiry> readChallenge(int attempt) const;
    LoginInquiry inquiryOf(LoginInquiry::Kind kind, int attempt) const;
    Status giveAnswers(const std::vector<Secret>& answers);
    Result<std::vector<Secret>> ask(const LoginInquiry& inquiry);

    Session& m_session;
    const Hop& m_hop;
    Interaction& m_interaction;
    std::string m_tried;
};

} // namespace trainyard::ssh
