// Name and version of this client, as `Hello` states them.

export const CLIENT_NAME = "lastcard-typescript";
/** That of package.json; a test compares. */
export const CLIENT_VERSION = "0.1.0";
export const PROTOCOL_VERSION = 1;
