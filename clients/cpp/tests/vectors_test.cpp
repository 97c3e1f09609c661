// The conformance vectors, read with the stubs of C++ and computed anew as tests/conformance/README.md tells.
#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>
#include <gtest/gtest.h>
#include <openssl/hmac.h>
#include <openssl/sha.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>

#include "lastcard/conformance/v1/vectors.pb.h"

namespace lastcard::testing {
namespace {

namespace vectors = conformance::v1;
using std::string_literals::operator""s;

/// A file of vectors as the message that it holds; nothing in it may be unknown to that.
template <class Message>
Message read(const std::string& name) {
    std::ifstream file(std::string(VECTORS_DIR) + "/" + name);
    std::stringstream text;
    text << file.rdbuf();
    Message message;
    const auto status = google::protobuf::util::JsonStringToMessage(text.str(), &message);
    if (!status.ok()) throw std::runtime_error(name + ": " + status.ToString());
    return message;
}

std::string bytes_of(const std::string& hexadecimal) {
    std::string bytes;
    for (std::size_t at = 0; at + 1 < hexadecimal.size(); at += 2) {
        bytes += static_cast<char>(std::stoi(hexadecimal.substr(at, 2), nullptr, 16));
    }
    return bytes;
}

std::string hexadecimal_of(const std::string& bytes) {
    static constexpr char kDigits[] = "0123456789abcdef";
    std::string text;
    for (const unsigned char byte : bytes) text += {kDigits[byte >> 4], kDigits[byte & 15]};
    return text;
}

std::string u32(std::uint32_t number) {
    std::string bytes;
    for (const int shift : {24, 16, 8, 0}) bytes += static_cast<char>(number >> shift & 255);
    return bytes;
}

const unsigned char* data_of(const std::string& bytes) { return reinterpret_cast<const unsigned char*>(bytes.data()); }

std::string sha256(const std::string& bytes) {
    std::string digest(SHA256_DIGEST_LENGTH, '\0');
    SHA256(data_of(bytes), bytes.size(), reinterpret_cast<unsigned char*>(digest.data()));
    return digest;
}

std::string hmac(const std::string& key, const std::string& message) {
    std::string digest(SHA256_DIGEST_LENGTH, '\0');
    HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), data_of(message), message.size(),
         reinterpret_cast<unsigned char*>(digest.data()), nullptr);
    return digest;
}

/// The words of one purpose under a seed, and what is made of them.
class Chance {
  public:
    Chance(const std::string& seed, std::string purpose) : seed_(bytes_of(seed)), purpose_(std::move(purpose)) {}

    std::uint32_t word() {
        if (place_ == block_.size()) {
            block_ = hmac(seed_, purpose_ + "\0"s + u32(number_++));
            place_ = 0;
        }
        const auto high = static_cast<unsigned char>(block_[place_]),
                   low = static_cast<unsigned char>(block_[place_ + 1]);
        place_ += 2;
        return high << 8 | low;
    }
    std::uint32_t below(std::uint32_t n) {
        std::uint32_t next = word();
        while (next >= 65536 - 65536 % n) next = word();
        return next % n;
    }
    template <class Items>
    void shuffle(Items& items) {
        for (auto last = items.size(); last-- > 1;)
            std::swap(items[last], items[below(static_cast<unsigned>(last) + 1)]);
    }

  private:
    std::string seed_, purpose_, block_;
    std::size_t place_ = 0;
    std::uint32_t number_ = 0;
};

TEST(Vectors, OfChance) {
    const auto chance = read<vectors::ChanceVectors>("chance.json");
    ASSERT_GT(chance.words_size(), 0);
    ASSERT_GT(chance.numbers_size(), 0);
    ASSERT_GT(chance.shuffles_size(), 0);
    for (const auto& entry : chance.words()) {
        Chance source(entry.seed(), entry.purpose());
        for (const std::uint32_t word : entry.words()) ASSERT_EQ(source.word(), word) << entry.purpose();
    }
    for (const auto& entry : chance.numbers()) {
        EXPECT_EQ(Chance(entry.seed(), entry.purpose()).below(entry.n()), entry.number()) << entry.ShortDebugString();
    }
    for (const auto& entry : chance.shuffles()) {
        std::vector<std::uint32_t> items(entry.items().begin(), entry.items().end());
        Chance(entry.seed(), entry.purpose()).shuffle(items);
        EXPECT_TRUE(std::equal(items.begin(), items.end(), entry.order().begin(), entry.order().end()))
            << entry.ShortDebugString();
    }
}

TEST(Vectors, OfKeys) {
    const auto keys = read<vectors::KeyVectors>("keys.json");
    ASSERT_GT(keys.commitments_size(), 0);
    ASSERT_GT(keys.event_keys_size(), 0);
    ASSERT_GT(keys.deal_keys_size(), 0);
    ASSERT_GT(keys.round_seeds_size(), 0);
    ASSERT_GT(keys.salts_size(), 0);
    for (const auto& entry : keys.commitments()) {
        const std::string content = "lastcard/commitment\0"s + bytes_of(entry.seed()) + bytes_of(entry.salt());
        EXPECT_EQ(hexadecimal_of(sha256(content)), entry.commitment());
    }
    for (const auto& entry : keys.event_keys()) {
        EXPECT_EQ(hexadecimal_of(sha256("lastcard/event\0"s + entry.number())), entry.key());
    }
    for (const auto& entry : keys.deal_keys()) {
        EXPECT_EQ(hexadecimal_of(hmac(bytes_of(entry.event_key()), "lastcard/deal\0"s + entry.deal())), entry.key());
    }
    for (const auto& entry : keys.round_seeds()) {
        EXPECT_EQ(hexadecimal_of(hmac(bytes_of(entry.deal_key()), "lastcard/round\0"s + u32(entry.round()))),
                  entry.seed());
    }
    for (const auto& entry : keys.salts()) {
        EXPECT_EQ(hexadecimal_of(hmac(bytes_of(entry.event_key()), "lastcard/salt\0"s + entry.game())), entry.salt());
    }
}

/// A line of a record, as far as its place in the record goes.
struct Line {
    std::string kind;
    std::string previous;
    double sequence = 0;
};

Line line_of(const std::string& text) {
    google::protobuf::Struct object;
    if (!google::protobuf::util::JsonStringToMessage(text, &object).ok()) return {};
    Line line;
    for (const auto& [name, value] : object.fields()) {
        if (name == "previous") {
            line.previous = value.string_value();
        } else {
            line.kind = name;
        }
        if (name == "event") line.sequence = value.struct_value().fields().at("sequence").number_value();
    }
    return line;
}

/// The number of the first line that may not stand where it does; one behind the last when there is no closing line.
std::optional<int> first_out_of_place(const std::vector<Line>& lines) {
    bool closed = false;
    for (std::size_t at = 0; at < lines.size(); ++at) {
        const Line& line = lines[at];
        const bool fits =
            at == 0  ? line.kind == "header"
            : closed ? line.kind == "reveal" && lines[at - 1].kind == "closing"
                     : line.kind == "closing" || (line.kind == "event" && line.sequence == static_cast<double>(at));
        if (!fits) return static_cast<int>(at) + 1;
        closed = closed || line.kind == "closing";
    }
    if (!closed) return static_cast<int>(lines.size()) + 1;
    return std::nullopt;
}

/// The number of the line that was changed, by the first break of the chain.
std::optional<int> first_break(const std::vector<std::string>& texts, const std::vector<Line>& lines) {
    const auto broken = [&](std::size_t at) { return lines[at].previous != hexadecimal_of(sha256(texts[at - 1])); };
    for (std::size_t at = 1; at < texts.size(); ++at) {
        if (!broken(at)) continue;
        return static_cast<int>(at) + (at + 1 == texts.size() || broken(at + 1) ? 1 : 0);
    }
    return std::nullopt;
}

TEST(Vectors, OfRecordsHaveTheirChainOfHashes) {
    const auto records = read<vectors::RecordVectors>("records.json");
    int whole = 0, broken = 0;
    for (const auto& record : records.records()) {
        const std::vector<std::string> texts(record.lines().begin(), record.lines().end());
        std::vector<Line> lines;
        for (const std::string& text : texts) lines.push_back(line_of(text));
        const std::optional<int> wrong =
            first_out_of_place(lines) ? first_out_of_place(lines) : first_break(texts, lines);
        if (record.name().starts_with("forged") || !record.has_line()) {
            EXPECT_EQ(wrong, std::nullopt) << record.name();
            ++whole;
        } else {
            EXPECT_EQ(wrong, static_cast<int>(record.line())) << record.name();
            ++broken;
        }
    }
    EXPECT_GT(whole, 0);
    EXPECT_GT(broken, 0);
}

TEST(Vectors, OfEveryFileAreRead) {
    EXPECT_GT(read<vectors::DisguiseVectors>("disguises.json").disguises_size(), 0);
    EXPECT_GT(read<vectors::DealVectors>("deals.json").deals_size(), 0);
    EXPECT_GT(read<vectors::GameVectors>("games.json").games(0).events_size(), 0);
    EXPECT_GT(read<vectors::RefusalVectors>("refusals.json").games(0).positions_size(), 0);
    int files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(VECTORS_DIR))
        files += entry.path().extension() == ".json";
    EXPECT_EQ(files, 7) << "there is one that no test reads";
}

}  // namespace
}  // namespace lastcard::testing
