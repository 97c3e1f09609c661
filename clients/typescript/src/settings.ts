// Where a bot plays and as whom: server, token and name, from arguments or the environment.
//
// Not here: how a bot behaves (fields of `Bot`).

export const SERVER = "LASTCARD_SERVER";
export const TOKEN = "LASTCARD_TOKEN";
export const BOT = "LASTCARD_BOT";

const ADDRESS = /^(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+):([0-9]{1,5})$/;
const NAME = /^[A-Za-z0-9._-]{1,64}$/;
const NOT_IN_TOKENS = /[^!-~]/u;

/** A bot cannot play (on); the sentence says what was wrong and what would be valid. */
export class BotError extends Error {
  override readonly name = "BotError";
}

/** What may be given in place of the environment. */
export interface Where {
  /** Address of the server as `host:port`; else `LASTCARD_SERVER`. */
  server?: string | undefined;
  /** Bearer token; else `LASTCARD_TOKEN`, else none. */
  token?: string | undefined;
  /** Name of the bot; else `LASTCARD_BOT`, else the bot's own unless there is a token, which names it. */
  name?: string | undefined;
}

/** Server as `host:port`, bearer token (empty: none) and name of the bot (empty: the token's); checked. */
export interface Settings {
  readonly server: string;
  readonly token: string;
  readonly name: string;
  /** Seconds without a connection after which the bot gives up. */
  readonly giveUpS: number;
}

/** Settings that can be used; throws `BotError` for an address, a token or a name that cannot be one. */
export function checked(settings: Settings): Settings {
  const port = Number(ADDRESS.exec(settings.server)?.[2] ?? 0);
  if (port < 1 || port > 65535) {
    throw new BotError(`server '${settings.server}' is no address; give host:port, for example 127.0.0.1:7777`);
  }
  const wrong = NOT_IN_TOKENS.exec(settings.token);
  if (wrong !== null) {
    const sign = JSON.stringify(wrong[0]).slice(1, -1);
    throw new BotError(`the token has '${sign}' at place ${wrong.index}; use it as it was given out`);
  }
  if (!NAME.test(settings.name) && !(settings.token && !settings.name)) {
    throw new BotError(`'${settings.name}' is no name for a bot; use 1 to 64 letters, digits, '-', '_' or '.'`);
  }
  return settings;
}

/**
 * Settings from arguments, else from `LASTCARD_SERVER`, `LASTCARD_TOKEN` and `LASTCARD_BOT`.
 *
 * A bot with a token that is given no name takes the one that the token is bound to. Throws `BotError` when no server is
 * named, or a value cannot be used.
 */
export function settings(environment: NodeJS.ProcessEnv, where: Where = {}, defaultName = ""): Settings {
  const token = where.token ?? environment[TOKEN] ?? "";
  const server = where.server || environment[SERVER] || "";
  if (!server) {
    throw new BotError(`no server is named; set ${SERVER} to host:port, or pass server`);
  }
  const name = where.name || environment[BOT] || (token ? "" : defaultName);
  return checked({ server, token, name, giveUpS: 300 });
}
