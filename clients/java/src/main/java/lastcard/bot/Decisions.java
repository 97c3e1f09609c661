package lastcard.bot;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import lastcard.bot.Memory.Open;
import lastcard.bot.Memory.Table;
import lastcard.bot.Output.Ask;
import lastcard.bot.Output.Key;
import lastcard.bot.Output.Log;
import lastcard.bot.Output.Send;
import lastcard.bot.Output.Tell;
import lastcard.bot.Output.Withdraw;
import lastcard.v1.Act;
import lastcard.v1.ActResult;
import lastcard.v1.ClientMessage;
import lastcard.v1.Decision;
import lastcard.v1.DecisionClosed;
import lastcard.v1.DecisionKind;
import lastcard.v1.ProtocolReason;
import lastcard.v1.Reason;
import lastcard.v1.Receipt;
import lastcard.v1.RefusedCatch;

/**
 * The decisions of a session: what is asked, answered, judged and closed. No input or output, no thread and no clock.
 *
 * <p>A decision is thought about once. Its answer is sent each time that the server puts the decision, on whatever
 * stream, and is the same each time unless it was refused.
 */
final class Decisions {
  /** Calls and catches by themselves at one decision, after which the bot is told to play. */
  static final int APART_MOST = 3;

  /** How long to wait with an answer that came too fast. */
  static final double TOO_FAST_S = 0.2;

  /** Refusals that no other answer can mend. After all others, also unknown ones, the decision is still open. */
  private static final Set<Reason> FINAL = Set.of(
      Reason.REASON_NOT_YOUR_TURN,
      Reason.REASON_STALE_DECISION,
      Reason.REASON_TURN_EXPIRED,
      Reason.REASON_ROUND_OVER,
      Reason.REASON_MATCH_OVER,
      Reason.REASON_FORBIDDEN,
      Reason.REASON_SESSION_REPLACED);

  /** Refusals by the transport that no other answer can mend. */
  private static final Set<ProtocolReason> NO_SUCH_DECISION = Set.of(
      ProtocolReason.PROTOCOL_REASON_UNKNOWN_TABLE, ProtocolReason.PROTOCOL_REASON_UNKNOWN_DECISION);

  private final Memory memory;

  Decisions(Memory memory) {
    this.memory = memory;
  }

  /** A question is put, for the first time or again. */
  List<Output> asked(Decision decision) {
    Table table = memory.table(decision.getTableId());
    List<Output> outputs = new ArrayList<>();
    if (decision.hasPreviousReceipt()) {
      outputs.addAll(receipt(decision.getTableId(), decision.getPreviousReceipt()));
    }
    Open entry = table.open.get(decision.getDecisionId());
    if (entry != null) {
      entry.stream = memory.stream;
      outputs.addAll(put(entry));
      return outputs;
    }
    Act former = table.answers.get(decision.getDecisionId());
    if (former != null) {
      outputs.add(send(former));
      return outputs;
    }
    outputs.addAll(outdated(decision));
    if (decision.getLegalActionsCount() == 0) {
      String where = new Key(decision.getTableId(), decision.getDecisionId()).toString();
      outputs.add(Log.warning("the server asked " + where + " without any legal action; it stays unanswered"));
      return outputs;
    }
    table.open.put(decision.getDecisionId(), new Open(decision, memory.stream));
    outputs.add(new Ask(new Key(decision.getTableId(), decision.getDecisionId()), decision));
    return outputs;
  }

  /**
   * Drops what a new decision shows to be closed, the news of it having been lost with an earlier stream. A seat is
   * asked one question of its turn at a time, and beside it one for a reaction.
   */
  private List<Output> outdated(Decision decision) {
    List<Output> outputs = new ArrayList<>();
    memory.table(decision.getTableId()).open.values().removeIf(entry -> {
      boolean old = entry.stream != memory.stream && isReaction(entry.decision) == isReaction(decision);
      if (old) {
        outputs.add(new Withdraw(new Key(decision.getTableId(), entry.decision.getDecisionId())));
      }
      return old;
    });
    return outputs;
  }

  /** The verdict on an answer. */
  List<Output> judged(ActResult result) {
    Key key = new Key(result.getTableId(), result.getDecisionId());
    List<Output> outputs = new ArrayList<>();
    for (RefusedCatch caught : result.getRefusedCatchesList()) {
      outputs.add(Log.info("catch of seat " + caught.getSeat() + " at " + key + " refused: " + caught.getMessage()));
    }
    Open entry = memory.entry(key);
    if (entry != null && entry.act != null) {
      entry.unjudged = Math.max(0, entry.unjudged - 1);
      if (result.getAccepted()) {
        outputs.addAll(accepted(key, entry, result));
      } else if (entry.unjudged == 0) { // else a verdict on what was sent before; that on the present answer follows
        outputs.addAll(refused(key, entry, result));
      }
    }
    if (result.hasReceipt()) {
      outputs.addAll(receipt(result.getTableId(), result.getReceipt()));
    }
    return outputs;
  }

  /** A call or catch apart from the turn leaves it open; everything else closes the decision. */
  private List<Output> accepted(Key key, Open entry, ActResult result) {
    if (!Answers.isApart(entry.act) || result.hasReceipt()) {
      memory.close(key);
      return List.of();
    }
    entry.decision = Answers.afterApart(entry.decision, entry.act);
    entry.act = null;
    entry.apart++;
    if (entry.apart < APART_MOST) {
      return List.of(new Ask(key, entry.decision));
    }
    String text = entry.apart + " calls and catches by themselves at " + key + "; choose from legalActions";
    return List.of(Log.warning(text), new Ask(key, entry.decision, Refusal.bySdk(text), copy(entry.refused)));
  }

  private List<Output> refused(Key key, Open entry, ActResult result) {
    String name = result.getReasonValue() != 0
        ? Words.reasonName(result.getReasonValue())
        : Words.protocolReasonName(result.getProtocolReasonValue());
    String text = "answer at " + key + " refused, " + name + ": " + result.getMessage();
    if (result.getProtocolReason() == ProtocolReason.PROTOCOL_REASON_TOO_FAST) {
      return List.of(Log.warning(text), new Output.SendLater(TOO_FAST_S, key.tableId()));
    }
    if (FINAL.contains(result.getReason()) || NO_SUCH_DECISION.contains(result.getProtocolReason())) {
      memory.close(key);
      return List.of(Log.info(text));
    }
    if (result.getRefusalsLeft() == 0) {
      memory.close(key);
      return List.of(Log.warning(text));
    }
    if (entry.act.hasChoice()) {
      entry.refused.add(entry.act.getChoice());
    }
    entry.act = null;
    Refusal refusal =
        new Refusal(result.getMessage(), result.getReason(), result.getProtocolReason(), result.getRefusalsLeft());
    return List.of(Log.warning(text), new Ask(key, entry.decision, refusal, copy(entry.refused)));
  }

  /** A decision needs no answer any more. */
  List<Output> closed(DecisionClosed closed) {
    Key key = new Key(closed.getTableId(), closed.getDecisionId());
    List<Output> outputs = new ArrayList<>();
    if (memory.close(key)) {
      outputs.add(new Withdraw(key));
      if (closed.getReason() == Reason.REASON_TURN_EXPIRED) {
        outputs.add(Log.warning("no answer in time at " + key));
      }
    }
    if (closed.hasReceipt()) {
      outputs.addAll(receipt(closed.getTableId(), closed.getReceipt()));
    }
    return outputs;
  }

  /** Takes the bot's answer; nothing is sent when the decision was closed, or not put again on this stream. */
  List<Output> answered(Key key, Act act) {
    Open entry = memory.entry(key);
    if (entry == null || entry.act != null) {
      return List.of();
    }
    entry.act = act;
    memory.table(key.tableId()).answers.put(key.decisionId(), act);
    return entry.stream == memory.stream && memory.welcomed ? put(entry) : List.of();
  }

  /** Says again at a table what came too fast: answers without a verdict. */
  List<Output> resend(Table table) {
    List<Output> outputs = new ArrayList<>();
    for (Open entry : table.open.values()) {
      if (entry.unjudged == 0 && entry.stream == memory.stream) {
        outputs.addAll(put(entry));
      }
    }
    return outputs;
  }

  /** Sends the answer of an open decision, if there is one already. */
  private List<Output> put(Open entry) {
    if (entry.act == null) {
      return List.of();
    }
    entry.unjudged++;
    return List.of(send(entry.act));
  }

  /** Tells a receipt once, however often the server repeats it; its decision needs no thought any more. */
  List<Output> receipt(String tableId, Receipt receipt) {
    if (memory.isOver(tableId)) {
      return List.of();
    }
    if (memory.table(tableId).receipts.putIfAbsent(receipt.getDecisionId(), true) != null) {
      return List.of();
    }
    List<Output> outputs = new ArrayList<>();
    Key key = new Key(tableId, receipt.getDecisionId());
    if (memory.close(key)) {
      outputs.add(new Withdraw(key));
    }
    outputs.add(new Tell("onReceipt", bot -> bot.onReceipt(tableId, receipt)));
    return outputs;
  }

  private static Set<Integer> copy(Set<Integer> refused) {
    return new LinkedHashSet<>(refused);
  }

  private static Send send(Act act) {
    return new Send(ClientMessage.newBuilder().setAct(act).build());
  }

  private static boolean isReaction(Decision decision) {
    return decision.getKind() == DecisionKind.DECISION_KIND_REACTION;
  }
}
