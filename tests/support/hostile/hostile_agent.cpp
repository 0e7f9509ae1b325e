// Speaks the agent's protocol as somebody would who is after the desk. The file `hostile` in TRAINYARD_HOME
// says how:
//   noise           bytes without end or line break instead of the greeting
//   errors          a good agent whose stderr never ends
//   chunks          chunks that nobody asked for, for ever
//   interim         words about requests that are open and others, for ever
//   length zero negative type checksum     one frame that is wrong in this way
//   depth values    one message that would overflow whoever parses it
//   half            a frame of 1 MiB of which one byte comes a millisecond
//   read            answers every "read" with far more than was asked for
//   names           streams, entries and errors with names that lead elsewhere or act on a terminal
//   record          a journal whose one record claims 16 MiB and never ends
//   old new         an agent of a protocol before and after ours
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <string>
#include <thread>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "engine/base/file.h"
#include "engine/records/wire.h"
#include "remote/wire/frame.h"
#include "remote/wire/greeting.h"

using namespace trainyard;
using nlohmann::json;

namespace {

const std::string kNasty = "\x1b]0;owned\x07\x1b[2J<img src=x onerror=alert(1)> \u202egpj.exe \u009b31m";

std::string mode()
{
    const char* home = std::getenv("TRAINYARD_HOME");
    std::ifstream file(std::string(home ? home : ".") + "/hostile");
    std::string word;
    file >> word;
    return word;
}

void send(const std::string& bytes)
{
    if (!writeAll(STDOUT_FILENO, bytes, "stdout").ok())
        std::exit(0); // the desk has had enough
}

void sendMessage(const json& message)
{
    send(encodeMessage(message.dump()));
}

std::string frameWith(std::uint32_t length, std::uint8_t type, std::uint32_t checksum,
                      const std::string& payload)
{
    std::string frame;
    WireWriter out(frame);
    out.number(length);
    out.number(type);
    out.number(checksum);
    return frame + payload;
}

[[noreturn]] void forEver(const std::string& bytes, int fd = STDOUT_FILENO)
{
    while (writeAll(fd, bytes, "output").ok()) {
    }
    std::exit(0);
}

class Agent {
public:
    explicit Agent(std::string how) : m_how(std::move(how)) {}

    void greet()
    {
        std::string line = readLine();
        if (isStartLine(line))
            line = readLine();
        if (m_how == "noise")
            forEver(std::string(65536, 'x'));
        send(greetingLine(line));
    }

    void serve()
    {
        FrameParser parser;
        for (char buffer[65536];;) {
            const ssize_t got = ::read(STDIN_FILENO, buffer, sizeof buffer);
            if (got <= 0)
                return;
            parser.feed({buffer, static_cast<std::size_t>(got)});
            for (auto frame = parser.next(); frame.ok() && *frame; frame = parser.next())
                answer(json::parse((*frame)->payload, nullptr, false));
        }
    }

private:
    static std::string readLine()
    {
        std::string line;
        for (char c = 0; ::read(STDIN_FILENO, &c, 1) == 1 && c != '\n';)
            line += c;
        return line;
    }

    void answer(const json& request)
    {
        const std::string op = request.value("op", "");
        const std::uint32_t id = request.value("id", 0u);
        if (op == "hello")
            return hello(id);
        if (m_how == "read" && op == "read")
            return tooMuch(id);
        if (m_how == "record" && op == "tail")
            return endlessRecord(id);
        if (op == "streams")
            return streams(id);
        if (m_how == "names")
            return sendMessage({{"id", id},
                                {"ok", false},
                                {"error", {{"kind", "failed"}, {"message", kNasty}, {"hint", kNasty}}}});
        sendMessage({{"id", id}, {"ok", true}});
    }

    void hello(std::uint32_t id)
    {
        const int protocol = kProtocolVersion + (m_how == "new" ? 7 : m_how == "old" ? -1 : 0);
        sendMessage({{"id", id},
                     {"ok", true},
                     {"protocol", protocol},
                     {"protocol_oldest", protocol},
                     {"version", m_how == "names" ? kNasty : TRAINYARD_VERSION},
                     {"host", m_how == "names" ? kNasty : "host"}});
        attack(id);
    }

    void attack(std::uint32_t id)
    {
        const json nothing{{"id", id + 1}, {"more", std::string(1000, 'x')}};
        if (m_how == "errors")
            std::thread([] { forEver(std::string(65536, 'e'), STDERR_FILENO); }).detach();
        if (m_how == "chunks")
            forEver(encodeChunk(id + 1, std::string(100'000, 'c')));
        if (m_how == "interim")
            forEver(encodeMessage(nothing.dump()));
        if (m_how == "length")
            forEver(frameWith(kMaxPayload + 1, 1, 0, std::string(65536, 'l')));
        if (m_how == "negative")
            forEver(frameWith(0xffffffff, 1, 0, std::string(65536, 'l')));
        if (m_how == "zero")
            forEver(encodeMessage(""));
        if (m_how == "type")
            forEver(frameWith(4, 77, 0, "abcd"));
        if (m_how == "checksum")
            forEver(frameWith(4, 1, 12345, "abcd"));
        if (m_how == "depth")
            forEver(encodeMessage(std::string(kMaxPayload, '[')));
        if (m_how == "values")
            forEver(encodeMessage("{\"id\":1,\"x\":[" + repeated("[],", 340'000) + "[]]}"));
        if (m_how == "half")
            dribble(encodeMessage(std::string(kMaxPayload, 'h')));
    }

    static std::string repeated(const std::string& text, int times)
    {
        std::string all;
        for (int i = 0; i < times; ++i)
            all += text;
        return all;
    }

    static void dribble(const std::string& bytes)
    {
        for (const char byte : bytes) {
            send(std::string(1, byte));
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
    }

    /// 100 MiB.
    static void tooMuch(std::uint32_t id)
    {
        for (int i = 0; i < 100; ++i)
            send(encodeChunk(id, std::string(kMaxPayload, 'r')));
        sendMessage({{"id", id}, {"ok", true}, {"size", INT64_MAX}, {"bytes", 5}});
    }

    static void endlessRecord(std::uint32_t id)
    {
        std::string journal = "TYJOURN2";
        WireWriter out(journal);
        out.number(std::uint32_t{16u << 20});
        out.number(std::uint32_t{0});
        send(encodeChunk(id, journal));
        forEver(encodeChunk(id, std::string(50'000, 'j')));
    }

    void streams(std::uint32_t id)
    {
        json list = json::array();
        const char* names[] = {"../escaped", "/etc/escaped", "a/b",     "..",        ".",
                               "",           ".hidden",      "steps\n", "steps.orig"};
        for (const char* name : names)
            list.push_back({{"stream", name}, {"size", -1}});
        list.push_back({{"stream", "steps"}, {"size", INT64_MAX}});
        for (int i = 0; m_how == "names" && i < 9000; ++i)
            list.push_back({{"stream", "s" + std::to_string(i)}, {"size", i}});
        sendMessage({{"id", id}, {"ok", true}, {"streams", list}});
    }

    std::string m_how;
};

} // namespace

int main()
{
    Agent agent(mode());
    agent.greet();
    agent.serve();
}
