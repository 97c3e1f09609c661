#include "settings.h"

#include <cxxabi.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <memory>

namespace lastcard {
namespace {

bool is_name_sign(char sign) {
    return (sign >= 'a' && sign <= 'z') || (sign >= 'A' && sign <= 'Z') || (sign >= '0' && sign <= '9') ||
           sign == '-' || sign == '_' || sign == '.';
}

bool is_host(const std::string& host) {
    if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
        return std::all_of(host.begin() + 1, host.end() - 1,
                           [](unsigned char sign) { return std::isxdigit(sign) || sign == ':' || sign == '.'; });
    }
    return !host.empty() && std::all_of(host.begin(), host.end(), is_name_sign);
}

bool is_address(const std::string& server) {
    const auto colon = server.rfind(':');
    if (colon == std::string::npos) return false;
    const std::string port = server.substr(colon + 1);
    if (port.empty() || port.size() > 5) return false;
    unsigned number = 0;
    const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), number);
    return error == std::errc{} && end == port.data() + port.size() && number >= 1 && number <= 65535 &&
           is_host(server.substr(0, colon));
}

bool is_name(const std::string& name) {
    return !name.empty() && name.size() <= 64 && std::all_of(name.begin(), name.end(), is_name_sign);
}

/// A sign of a token as it may be shown: itself, or its number when it cannot be printed.
std::string sign_text(char sign) {
    const auto byte = static_cast<unsigned char>(sign);
    if (byte >= ' ' && byte <= '~') return std::string("'") + sign + "'";
    char text[8];
    std::snprintf(text, sizeof text, "'\\x%02x'", byte);
    return text;
}

void check(const Settings& made) {
    if (!is_address(made.server)) {
        throw BotError("server '" + made.server + "' is no address; give host:port, for example 127.0.0.1:7777");
    }
    const auto bad =
        std::find_if(made.token.begin(), made.token.end(), [](char sign) { return sign < '!' || sign > '~'; });
    if (bad != made.token.end()) {
        throw BotError("the token has " + sign_text(*bad) + " at place " + std::to_string(bad - made.token.begin()) +
                       "; use it as it was given out");
    }
    if (!is_name(made.name) && !(made.name.empty() && !made.token.empty())) {
        throw BotError("'" + made.name + "' is no name for a bot; use 1 to 64 letters, digits, '-', '_' or '.'");
    }
}

}  // namespace

std::string process_environment(const std::string& name) {
    const char* value = std::getenv(name.c_str());
    return value == nullptr ? "" : value;
}

Settings settings(const Where& where, const Environment& environment, const std::string& default_name) {
    Settings made;
    made.token = where.token ? *where.token : environment("LASTCARD_TOKEN");
    made.server = where.server.value_or("");
    if (made.server.empty()) made.server = environment("LASTCARD_SERVER");
    if (made.server.empty()) {
        throw BotError("no server is named; set LASTCARD_SERVER to host:port, or give Where::server");
    }
    made.name = where.name.value_or("");
    if (made.name.empty()) made.name = environment("LASTCARD_BOT");
    if (made.name.empty() && made.token.empty()) made.name = default_name;
    check(made);
    return made;
}

std::string default_name(const Bot& bot) {
    if (!bot.name.empty()) return bot.name;
    const char* mangled = typeid(bot).name();
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> plain{abi::__cxa_demangle(mangled, nullptr, nullptr, &status),
                                                            &std::free};
    std::string name = status == 0 ? plain.get() : mangled;
    if (const auto arguments = name.find('<'); arguments != std::string::npos) name.resize(arguments);
    if (const auto scope = name.rfind(':'); scope != std::string::npos) name.erase(0, scope + 1);
    std::erase_if(name, [](char sign) { return !is_name_sign(sign); });
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char sign) { return std::tolower(sign); });
    return name.empty() ? "bot" : name.substr(0, 64);
}

}  // namespace lastcard
