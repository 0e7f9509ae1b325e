#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <QStringList>

#include "remote/ssh/interaction.h"

namespace trainyard {

/// A person whose answers are known beforehand, and who remembers what she was asked. Used in one thread.
class ScriptedPerson : public ssh::Interaction {
public:
    bool trust = false;
    std::optional<std::string> secret; ///< to every prompt; nothing = no answer
    /// In place of `secret`: the answers to one inquiry.
    std::function<ssh::LoginAnswers(const ssh::LoginInquiry&)> answers;

    QStringList asked; ///< "key of gpu via gate", "passphrase of id_x 1", "password of alice 1", "Code 1"
    QStringList notices;
    QStringList accounts; ///< that have logged in
    std::vector<ssh::LoginInquiry> inquiries;
    std::vector<HostKeyChange> changes;

    bool trustUnknownKey(const HostKeyInquiry& inquiry) override
    {
        asked << QString::fromStdString("key of " + inquiry.name +
                                        (inquiry.via.empty() ? "" : " via " + inquiry.via));
        return trust;
    }
    void hostKeyChanged(const HostKeyChange& change) override { changes.push_back(change); }
    ssh::LoginAnswers login(const ssh::LoginInquiry& inquiry) override
    {
        inquiries.push_back(inquiry);
        asked << wordsFor(inquiry) + ' ' + QString::number(inquiry.attempt);
        if (answers)
            return answers(inquiry);
        if (!secret)
            return std::nullopt;
        std::vector<ssh::Secret> all;
        for (std::size_t i = 0; i < inquiry.prompts.size(); ++i)
            all.emplace_back(*secret);
        return all;
    }
    void loggedIn(const std::string& account) override { accounts << QString::fromStdString(account); }
    void notice(const std::string& text) override { notices << QString::fromStdString(text); }
    void progress(const std::string&) override {}

private:
    static QString wordsFor(const ssh::LoginInquiry& inquiry)
    {
        if (inquiry.kind == ssh::LoginInquiry::Kind::Passphrase)
            return QString::fromStdString("passphrase of " +
                                          std::filesystem::path(inquiry.keyFile).filename().string());
        if (inquiry.kind == ssh::LoginInquiry::Kind::Password)
            return QString::fromStdString("password of " + inquiry.user);
        QStringList texts;
        for (const auto& prompt : inquiry.prompts)
            texts << QString::fromStdString(prompt.text);
        return texts.join(", ");
    }
};

} // namespace trainyard
