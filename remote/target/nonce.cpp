#include "remote/target/nonce.h"

#include <array>

#include <QByteArray>
#include <QRandomGenerator>

#include "remote/wire/protocol.h"

namespace trainyard {

std::string makeNonce()
{
    std::array<quint32, kNonceDigits / 8> words{};
    QRandomGenerator::system()->fillRange(words.data(), words.size());
    return QByteArray(reinterpret_cast<const char*>(words.data()), sizeof words).toHex().toStdString();
}

} // namespace trainyard
