// The TypeScript SDK for bots: write one method, and the arena does the rest.
//
//     import { Bot, run } from "lastcard-bot";
//
//     class First extends Bot {
//       choose() {
//         return 0;
//       }
//     }
//
//     await run(new First());
//
// `lastcard-bot/cards` has functions on cards and views. The messages are those of `lastcard.v1`.

export type { ActionLike, Answer, Awaitable, Question, Refusal, Reply } from "./bot.js";
export { Bot } from "./bot.js";
export { type Action, ActionKind } from "./gen/lastcard/v1/action.js";
export { Card, Color } from "./gen/lastcard/v1/card.js";
export type { Event } from "./gen/lastcard/v1/event.js";
export type { Notice, Seated, TableClosed, TableSnapshot } from "./gen/lastcard/v1/play_service.js";
export { ProtocolReason, Reason } from "./gen/lastcard/v1/reason.js";
export { type Decision, DecisionKind, type Receipt } from "./gen/lastcard/v1/table.js";
export type { View } from "./gen/lastcard/v1/view.js";
export type { Level, LogSink } from "./log.js";
export { botSettings, play, type RunOptions, run } from "./runner.js";
export { BotError, type Settings } from "./settings.js";
