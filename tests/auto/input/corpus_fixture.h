#pragma once

#include <QByteArray>
#include <QTemporaryDir>

#include <bzlib.h>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>
#include <zlib.h>
#include <zstd.h>

#include "datasets/input/corpus_input.h"
#include "datasets/input/piece_parser.h"

namespace trainyard {

inline std::string page(int id, const std::string& title, const std::string& text,
                        const std::string& more = {}, const std::string& attributes = {})
{
    return "<page><title>" + title + "</title><ns>0</ns><id>" + std::to_string(id) + "</id>" + more +
           "<revision><id>7</id><contributor><username>x</username><id>99</id></contributor>"
           "<text" +
           attributes + ">" + text + "</text></revision></page>\n";
}

inline std::string dump(const std::string& pages)
{
    return "<mediawiki version=\"0.10\"><siteinfo><sitename>S</sitename></siteinfo>\n" + pages +
           "</mediawiki>\n";
}

/// One bzip2 stream with blocks of level * 100 kB.
inline std::string bzip2(const std::string& text, int level = 1)
{
    std::string out(text.size() + text.size() / 100 + 700, '\0');
    auto size = static_cast<unsigned>(out.size());
    if (BZ2_bzBuffToBuffCompress(out.data(), &size, const_cast<char*>(text.data()),
                                 static_cast<unsigned>(text.size()), level, 0, 0) != BZ_OK)
        return {};
    out.resize(size);
    return out;
}

/// One gzip member.
inline std::string gzip(const std::string& text)
{
    z_stream stream{};
    if (deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        return {};
    std::string out(deflateBound(&stream, text.size()), '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    stream.avail_in = static_cast<uInt>(text.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    const bool whole = deflate(&stream, Z_FINISH) == Z_STREAM_END;
    out.resize(whole ? stream.total_out : 0);
    deflateEnd(&stream);
    return out;
}

/// One frame of Zstandard with a checksum, as the tool writes it.
inline std::string zstd(const std::string& text)
{
    ZSTD_CCtx* const context = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
    std::string out(ZSTD_compressBound(text.size()), '\0');
    const std::size_t size = ZSTD_compress2(context, out.data(), out.size(), text.data(), text.size());
    ZSTD_freeCCtx(context);
    out.resize(ZSTD_isError(size) ? 0 : size);
    return out;
}

/// What a corpus reads as.
struct CorpusRead {
    std::vector<CorpusDocument> documents;
    std::vector<CorpusPiece> pieces;
    SkipCounters counters;

    std::string titles() const
    {
        std::string all;
        for (const CorpusDocument& document : documents)
            all += document.title + " ";
        return all;
    }
};

inline Result<CorpusRead> readCorpus(const std::vector<std::filesystem::path>& files,
                                     CorpusFormat format = CorpusFormat::Auto, int threads = 1,
                                     const CorpusPosition& from = {})
{
    CorpusRead read;
    TRAINYARD_TRY(CorpusInput input, CorpusInput::open({files, format}, threads, from));
    for (;;) {
        TRAINYARD_TRY(auto piece, input.next());
        if (!piece)
            return read;
        TRAINYARD_TRY(auto documents, parsePiece(*piece, read.counters));
        for (CorpusDocument& document : documents)
            read.documents.push_back(std::move(document));
        read.pieces.push_back(std::move(*piece));
    }
}

/// A folder for the files of one test.
class CorpusFolder {
public:
    std::filesystem::path path() const { return m_folder.path().toStdString(); }
    std::filesystem::path file(const std::string& bytes, const std::string& name = "corpus") const
    {
        std::ofstream(path() / name, std::ios::binary) << bytes;
        return path() / name;
    }

private:
    QTemporaryDir m_folder;
};

} // namespace trainyard
