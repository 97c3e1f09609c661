//! Where a bot plays and as whom.
//!
//! Here: server, token and name, from arguments or the environment. Not here: how a bot behaves (`Options`).

use std::fmt;
use std::time::Duration;

/// The environment's name for the server.
pub(crate) const SERVER: &str = "LASTCARD_SERVER";
/// The environment's name for the token.
pub(crate) const TOKEN: &str = "LASTCARD_TOKEN";
/// The environment's name for the bot's name.
pub(crate) const BOT: &str = "LASTCARD_BOT";

/// A bot cannot play (on); the sentence says what was wrong and what would be valid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BotError(pub(crate) String);

impl fmt::Display for BotError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for BotError {}

/// What a program says itself about where it plays; what it leaves out comes from the environment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Arguments {
    /// The server as `host:port`; else `LASTCARD_SERVER`.
    pub server: Option<String>,
    /// The bearer token; else `LASTCARD_TOKEN`.
    pub token: Option<String>,
    /// The bot's name; else `LASTCARD_BOT`.
    pub name: Option<String>,
}

/// Where a bot plays and as whom, checked.
#[derive(Clone, PartialEq, Eq)]
pub struct Settings {
    server: String,
    token: String,
    name: String,
    give_up: Duration,
}

impl Settings {
    /// Settings from the server as `host:port`, a token (empty: none) and a name (empty: the token's).
    ///
    /// # Errors
    /// For an address, a token or a name that cannot be one.
    pub fn new(server: &str, token: &str, name: &str) -> Result<Self, BotError> {
        if !is_address(server) {
            let example = "give host:port, for example 127.0.0.1:7777";
            return Err(BotError(format!("server {} is no address; {example}", quoted(server))));
        }
        if let Some(place) = token.chars().position(|sign| !sign.is_ascii_graphic()) {
            let sign = token.chars().nth(place).map(String::from).unwrap_or_default();
            return Err(BotError(format!(
                "the token has {} at place {place}; use it as it was given out",
                quoted(&sign)
            )));
        }
        if !is_name(name) && (token.is_empty() || !name.is_empty()) {
            let valid = "use 1 to 64 letters, digits, '-', '_' or '.'";
            return Err(BotError(format!("{} is no name for a bot; {valid}", quoted(name))));
        }
        let give_up = Duration::from_secs(300);
        Ok(Self { server: server.to_owned(), token: token.to_owned(), name: name.to_owned(), give_up })
    }

    /// Settings from arguments, else from the environment, which `environment` reads by name.
    ///
    /// A bot with a token that is given no name takes the one that the token is bound to; one without takes
    /// `default_name`.
    ///
    /// # Errors
    /// When no server is named, or a value cannot be used.
    pub fn find(
        arguments: Arguments,
        environment: impl Fn(&str) -> Option<String>,
        default_name: &str,
    ) -> Result<Self, BotError> {
        let set = |text: &String| !text.is_empty();
        let token = arguments.token.or_else(|| environment(TOKEN)).unwrap_or_default();
        let Some(server) = arguments.server.filter(set).or_else(|| environment(SERVER).filter(set)) else {
            return Err(BotError(format!("no server is named; set {SERVER} to host:port, or pass a server")));
        };
        let fallback = if token.is_empty() { default_name } else { "" };
        let name = arguments.name.filter(set).or_else(|| environment(BOT).filter(set));
        Self::new(&server, &token, name.as_deref().unwrap_or(fallback))
    }

    /// The same settings, with another time without a connection after which the bot gives up (5 minutes by default).
    pub fn giving_up_after(self, give_up: Duration) -> Self {
        Self { give_up, ..self }
    }

    /// The server as `host:port`.
    pub fn server(&self) -> &str {
        &self.server
    }

    /// The bot's name; empty for that of the token.
    pub fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn token(&self) -> &str {
        &self.token
    }

    pub(crate) fn give_up(&self) -> Duration {
        self.give_up
    }
}

impl fmt::Debug for Settings {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { server, name, .. } = self;
        formatter.debug_struct("Settings").field("server", server).field("name", name).finish_non_exhaustive()
    }
}

fn is_address(server: &str) -> bool {
    let Some((host, port)) = server.rsplit_once(':') else {
        return false;
    };
    let is_port = (1..=5).contains(&port.len())
        && port.bytes().all(|digit| digit.is_ascii_digit())
        && port.parse::<u16>().is_ok_and(|port| port > 0);
    let is_ip = |inner: &str| inner.chars().all(|sign| sign.is_ascii_hexdigit() || matches!(sign, ':' | '.'));
    let is_host = match host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        Some(inner) => !inner.is_empty() && is_ip(inner),
        None => !host.is_empty() && host.chars().all(is_sign),
    };
    is_port && is_host
}

fn is_name(name: &str) -> bool {
    (1..=64).contains(&name.len()) && name.chars().all(is_sign)
}

fn is_sign(sign: char) -> bool {
    sign.is_ascii_alphanumeric() || matches!(sign, '.' | '_' | '-')
}

/// A text between quotes, with what cannot be seen written out.
fn quoted(text: &str) -> String {
    format!("'{}'", text.escape_debug())
}

#[cfg(test)]
mod tests;
