#include "datasets/tokenizer_json/pattern.h"

#include <algorithm>
#include <map>

namespace trainyard {

namespace {

using Kind = PatternNode::Kind;
using Mode = PatternNode::Mode;

bool canBeEmpty(const PatternNode& node)
{
    switch (node.kind) {
    case Kind::Set:
        return false;
    case Kind::Sequence:
        return std::ranges::all_of(node.parts, canBeEmpty);
    case Kind::Alternatives:
        return std::ranges::any_of(node.parts, canBeEmpty);
    case Kind::Repeat:
        return node.least == 0 || canBeEmpty(node.parts[0]);
    default:
        return true;
    }
}

void gatherSets(const PatternNode& node, std::vector<CodePointSet>& sets)
{
    if (node.kind == Kind::Set && std::ranges::find(sets, node.set) == sets.end())
        sets.push_back(node.set);
    for (const PatternNode& part : node.parts)
        gatherSets(part, sets);
}

/// The start of the code point before.
const char* stepBack(const char* at)
{
    do
        --at;
    while ((static_cast<unsigned char>(*at) & 0xC0) == 0x80);
    return at;
}

} // namespace

struct Pattern::Text {
    const char* begin;
    const char* end;
};

/// Writes the instructions of a tree.
class Pattern::Compiler {
public:
    /// `masks` are those of `sets`.
    Compiler(Pattern& pattern, const std::vector<CodePointSet>& sets, const std::vector<ClassMask>& masks)
        : m_pattern(pattern), m_sets(sets), m_masks(masks)
    {
    }

    Status alternative(const PatternNode& node)
    {
        const auto start = size();
        TRAINYARD_TRY_STATUS(write(node));
        emit({.op = Op::Accept});
        markFinalLoop();
        const ClassMask classes = beginnings(node);
        for (std::size_t c = 0; c < kMaxClasses; ++c) {
            if (classes >> c & 1)
                m_pattern.m_starts[c].push_back(start);
        }
        return {};
    }

private:
    static constexpr std::size_t kMaxInstructions = 20'000;

    ClassMask maskOf(const CodePointSet& set) const
    {
        return m_masks[static_cast<std::size_t>(std::ranges::find(m_sets, set) - m_sets.begin())];
    }

    /// What a match of the node can begin with. A node that can be empty may match before anything else, too.
    ClassMask beginnings(const PatternNode& node) const
    {
        ClassMask found = 0;
        if (node.kind == Kind::Set)
            return maskOf(node.set);
        if (node.kind == Kind::Look)
            return found;
        for (const PatternNode& part : node.parts) {
            found |= beginnings(part);
            if (node.kind == Kind::Sequence && !canBeEmpty(part))
                break;
        }
        return found;
    }

    std::uint32_t size() const { return static_cast<std::uint32_t>(m_pattern.m_program.size()); }
    std::uint32_t emit(Instruction instruction)
    {
        m_pattern.m_program.push_back(instruction);
        return size() - 1;
    }
    Instruction& at(std::uint32_t place) { return m_pattern.m_program[place]; }

    /// A loop in front of Accept never has to reconsider.
    void markFinalLoop()
    {
        if (size() >= 2 && at(size() - 2).op == Op::Loop)
            at(size() - 2).isFinal = true;
    }

    Status write(const PatternNode& node)
    {
        if (size() > kMaxInstructions)
            return badInput("a regular expression repeats too much", "use smaller counts in {}");
        switch (node.kind) {
        case Kind::Set:
            emit({.op = Op::Set, .classes = maskOf(node.set)});
            return {};
        case Kind::Sequence:
            for (const PatternNode& part : node.parts)
                TRAINYARD_TRY_STATUS(write(part));
            return {};
        case Kind::Alternatives:
            return writeAlternatives(node);
        case Kind::Repeat:
            return node.mode == Mode::Possessive ? writePossessive(node) : writeRepeat(node);
        case Kind::Look:
            return writeEnclosed(node.negative ? Op::LookNot : Op::Look, node.parts[0]);
        default:
            emit({.op = Op::Assert, .position = node.kind});
            return {};
        }
    }

    Status writeAlternatives(const PatternNode& node)
    {
        std::vector<std::uint32_t> ends;
        for (std::size_t i = 0; i < node.parts.size(); ++i) {
            const bool isLast = i + 1 == node.parts.size();
            const std::uint32_t fork = isLast ? 0 : emit({.op = Op::Fork});
            TRAINYARD_TRY_STATUS(write(node.parts[i]));
            if (isLast)
                break;
            ends.push_back(emit({.op = Op::Jump}));
            at(fork).target = size();
        }
        for (const std::uint32_t end : ends)
            at(end).target = size();
        return {};
    }

    /// The part with an Accept of its own.
    Status writeEnclosed(Op op, const PatternNode& part)
    {
        const std::uint32_t start = emit({.op = op});
        TRAINYARD_TRY_STATUS(write(part));
        emit({.op = Op::Accept});
        markFinalLoop();
        at(start).target = size();
        return {};
    }

    Status writePossessive(const PatternNode& node)
    {
        PatternNode greedy = node;
        greedy.mode = Mode::Greedy;
        return writeEnclosed(Op::Atomic, greedy);
    }

    Status writeRepeat(const PatternNode& node)
    {
        const PatternNode& part = node.parts[0];
        if (part.kind == Kind::Set && node.mode == Mode::Greedy) {
            emit({.op = Op::Loop, .classes = maskOf(part.set), .least = node.least, .most = node.most});
            return {};
        }
        for (unsigned i = 0; i < node.least; ++i)
            TRAINYARD_TRY_STATUS(write(part));
        return node.most == PatternNode::kUnlimited ? writeEndless(node)
                                                    : writeOptional(node, node.most - node.least);
    }

    Status writeEndless(const PatternNode& node)
    {
        if (canBeEmpty(node.parts[0]))
            return badInput("a regular expression repeats the empty text", "remove the inner repetition");
        const std::uint32_t fork = size();
        if (node.mode == Mode::Greedy) {
            emit({.op = Op::Fork});
            TRAINYARD_TRY_STATUS(write(node.parts[0]));
            emit({.op = Op::Jump, .target = fork});
            at(fork).target = size();
            return {};
        }
        // first on, then round: fork -> (jump out) or the part, which leads back to the fork
        emit({.op = Op::Fork, .target = fork + 2});
        const std::uint32_t out = emit({.op = Op::Jump});
        TRAINYARD_TRY_STATUS(write(node.parts[0]));
        emit({.op = Op::Jump, .target = fork});
        at(out).target = size();
        return {};
    }

    Status writeOptional(const PatternNode& node, unsigned times)
    {
        std::vector<std::uint32_t> ends;
        for (unsigned i = 0; i < times; ++i) {
            const std::uint32_t fork = emit({.op = Op::Fork, .target = size() + 2});
            if (node.mode == Mode::Greedy)
                ends.push_back(fork);
            else
                ends.push_back(emit({.op = Op::Jump}));
            TRAINYARD_TRY_STATUS(write(node.parts[0]));
        }
        for (const std::uint32_t end : ends)
            at(end).target = size();
        return {};
    }

    Pattern& m_pattern;
    const std::vector<CodePointSet>& m_sets;
    const std::vector<ClassMask>& m_masks;
};

/// What is left to try. Few patterns ever have many choices open.
class Pattern::Choices {
public:
    struct Choice {
        std::uint32_t instruction;
        const char* at;
        const char* least; ///< of a loop: it may give back down to here; else nullptr
    };

    bool isEmpty() const { return m_size == 0; }
    void push(const Choice& choice)
    {
        if (m_size < m_first.size())
            m_first[m_size] = choice;
        else
            m_more.push_back(choice);
        ++m_size;
    }
    Choice& top() { return m_size <= m_first.size() ? m_first[m_size - 1] : m_more.back(); }
    void pop()
    {
        if (m_size-- > m_first.size())
            m_more.pop_back();
    }

private:
    std::size_t m_size = 0;
    std::array<Choice, 16> m_first;
    std::vector<Choice> m_more;
};

Result<Pattern> Pattern::compile(const PatternNode& tree)
{
    if (canBeEmpty(tree))
        return badInput("a regular expression matches the empty text", "such expressions are not supported");
    std::vector<CodePointSet> sets;
    gatherSets(tree, sets);
    Pattern pattern;
    const std::vector<ClassMask> masks = pattern.classify(sets);
    if (pattern.m_classes.empty())
        return badInput("a regular expression uses too many different character sets",
                        "at most 64 kinds of characters fit");
    Compiler compiler(pattern, sets, masks);
    if (tree.kind != Kind::Alternatives) {
        TRAINYARD_TRY_STATUS(compiler.alternative(tree));
        return pattern;
    }
    for (const PatternNode& part : tree.parts)
        TRAINYARD_TRY_STATUS(compiler.alternative(part));
    return pattern;
}

Result<Pattern> Pattern::parse(std::string_view text)
{
    TRAINYARD_TRY(const PatternNode tree, parsePattern(text));
    return compile(tree);
}

/// Returns the mask of each set. Leaves m_classes empty if there are too many classes.
std::vector<Pattern::ClassMask> Pattern::classify(const std::vector<CodePointSet>& sets)
{
    std::vector<std::pair<char32_t, std::size_t>>
        changes; // from this code point on a set contains, or no longer does
    for (std::size_t i = 0; i < sets.size(); ++i) {
        for (const CodePointSet::Range& range : sets[i].ranges()) {
            changes.emplace_back(range.first, i);
            changes.emplace_back(range.last + 1, i);
        }
    }
    std::ranges::sort(changes);
    changes.emplace_back(CodePointSet::kLast + 1, 0);
    std::map<std::vector<bool>, std::uint8_t> numbers; // of a class, by the sets that contain it
    std::vector<bool> current(sets.size());
    std::vector<std::uint8_t> flat(CodePointSet::kLast + 1);
    char32_t begin = 0;
    for (const auto& [end, set] : changes) {
        if (begin < end) {
            const auto number =
                numbers.emplace(current, static_cast<std::uint8_t>(numbers.size())).first->second;
            if (numbers.size() > kMaxClasses)
                return {};
            std::fill(flat.begin() + begin, flat.begin() + end, number);
            begin = end;
        }
        if (end <= CodePointSet::kLast)
            current[set] = !current[set];
    }
    fillPages(flat);
    std::vector<ClassMask> masks(sets.size());
    for (const auto& [members, number] : numbers) {
        for (std::size_t i = 0; i < sets.size(); ++i)
            masks[i] |= ClassMask(members[i]) << number;
    }
    return masks;
}

void Pattern::fillPages(const std::vector<std::uint8_t>& flat)
{
    std::copy_n(flat.begin(), kAscii, m_ascii.begin());
    std::map<std::string, std::uint16_t> pages;
    for (auto page = flat.begin(); page != flat.end(); page += kPageSize) {
        const std::string content(page, page + kPageSize);
        const auto [place, isNew] = pages.emplace(content, static_cast<std::uint16_t>(pages.size()));
        if (isNew)
            m_classes.insert(m_classes.end(), content.begin(), content.end());
        m_pages.push_back(place->second);
    }
}

const char* Pattern::skip(const Text& text, const char* at, const Instruction& loop,
                          std::uint32_t& count) const
{
    std::size_t bytes = 0;
    while (at < text.end && count < loop.most && loop.classes >> classAt(at, bytes) & 1) {
        at += bytes;
        ++count;
    }
    return at;
}

bool Pattern::holds(const Text& text, const char* at, PatternNode::Kind position) const
{
    switch (position) {
    case Kind::TextBegin:
        return at == text.begin;
    case Kind::TextEnd:
        return at == text.end;
    case Kind::LineBegin:
        return at == text.begin || (at != text.end && at[-1] == '\n');
    default:
        return at == text.end || *at == '\n';
    }
}

const char* Pattern::run(const Text& text, std::uint32_t start, const char* at) const
{
    Choices choices;
    for (std::uint32_t next = start;;) {
        const Instruction& instruction = m_program[next++];
        bool fails = false;
        switch (instruction.op) {
        case Op::Set: {
            std::size_t bytes = 0;
            fails = at == text.end || !(instruction.classes >> classAt(at, bytes) & 1);
            at += fails ? 0 : bytes;
            break;
        }
        case Op::Loop: {
            const char* const begin = at;
            std::uint32_t count = 0;
            at = skip(text, at, instruction, count);
            fails = count < instruction.least;
            if (!fails && count > instruction.least && !instruction.isFinal) {
                const char* least = begin;
                std::size_t bytes = 0;
                for (std::uint32_t i = 0; i < instruction.least; ++i, least += bytes)
                    classAt(least, bytes);
                choices.push({next, at, least});
            }
            break;
        }
        case Op::Jump:
            next = instruction.target;
            break;
        case Op::Fork:
            choices.push({instruction.target, at, nullptr});
            break;
        case Op::Look:
        case Op::LookNot:
            fails = (run(text, next, at) == nullptr) == (instruction.op == Op::Look);
            next = instruction.target;
            break;
        case Op::Atomic: {
            const char* const end = run(text, next, at);
            fails = end == nullptr;
            at = fails ? at : end;
            next = instruction.target;
            break;
        }
        case Op::Assert:
            fails = !holds(text, at, instruction.position);
            break;
        case Op::Accept:
            return at;
        }
        if (!fails)
            continue;
        if (choices.isEmpty())
            return nullptr;
        Choices::Choice& choice = choices.top();
        next = choice.instruction;
        if (choice.least)
            choice.at = stepBack(choice.at);
        at = choice.at;
        if (choice.at == choice.least || !choice.least)
            choices.pop();
    }
}

std::optional<Pattern::Match> Pattern::find(std::string_view text, std::size_t from) const
{
    const Text whole{text.data(), text.data() + text.size()};
    std::size_t bytes = 0;
    for (const char* at = whole.begin + from; at < whole.end; at += bytes) {
        for (const std::uint32_t start : m_starts[classAt(at, bytes)]) {
            if (const char* const end = run(whole, start, at))
                return Match{static_cast<std::size_t>(at - whole.begin),
                             static_cast<std::size_t>(end - whole.begin)};
        }
    }
    return std::nullopt;
}

} // namespace trainyard
