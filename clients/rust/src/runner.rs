//! Running a bot as a program: [`run`] and [`play`], and the exit status.

use std::process::ExitCode;
use std::{any, env, io};

use tokio::runtime;

use crate::bot::Bot;
use crate::connection::Connection;
use crate::settings::{Arguments, BotError, Settings};
use crate::{journal, signals};

/// Plays until the event is over or the program is asked to end (SIGTERM, SIGINT), for `main` to return.
///
/// Server, token and name come from `LASTCARD_SERVER`, `LASTCARD_TOKEN` and `LASTCARD_BOT`. Logs to stderr unless the
/// program has set up a logger itself. When the bot cannot play (on), says why on stderr; the status is 1.
///
/// # Panics
/// Inside of an asynchronous runtime; use [`play`] there.
pub fn run<B: Bot + 'static>(bot: B) -> ExitCode {
    run_with(bot, Arguments::default())
}

/// Like [`run`], with arguments that win over the environment.
///
/// # Panics
/// Inside of an asynchronous runtime; use [`play`] there.
pub fn run_with<B: Bot + 'static>(bot: B, arguments: Arguments) -> ExitCode {
    journal::begin();
    match run_to_end(bot, arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            journal::say(format_args!("error: {error}"));
            ExitCode::FAILURE
        }
    }
}

fn run_to_end<B: Bot + 'static>(bot: B, arguments: Arguments) -> Result<(), BotError> {
    let options = bot.options();
    let default_name = if options.name.is_empty() { type_name::<B>() } else { options.name };
    let environment = |name: &str| env::var_os(name).map(|value| value.to_string_lossy().into_owned());
    let settings = Settings::find(arguments, environment, &default_name)?;
    let runtime = runtime::Builder::new_current_thread().enable_all().build().map_err(no_resources)?;
    let outcome = runtime.block_on(async {
        let connection = Connection::new(Box::new(bot), settings).map_err(no_resources)?;
        signals::listen(connection.poster()).map_err(no_resources)?;
        connection.run().await
    });
    // A name that is still being looked up does not hold the program back.
    runtime.shutdown_background();
    outcome
}

/// Plays a bot inside of an asynchronous runtime, until the event is over or its `Handle` stops it.
///
/// # Errors
/// When the bot cannot play on.
pub async fn play(bot: impl Bot + 'static, settings: Settings) -> Result<(), BotError> {
    Connection::new(Box::new(bot), settings).map_err(no_resources)?.run().await
}

fn no_resources(error: io::Error) -> BotError {
    BotError(format!("the system gives no thread or event loop to play in: {error}"))
}

/// The last part of a type's name, in lower case.
fn type_name<B>() -> String {
    let path = any::type_name::<B>();
    let plain = path.split('<').next().unwrap_or(path);
    plain.rsplit("::").next().unwrap_or(plain).to_lowercase()
}
