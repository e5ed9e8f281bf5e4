import type { DenialReason } from '@mandate/contract/words/denial-words'
import type { Closing } from '../carry/agent-standing.ts'
import type { WrittenNumbers } from '../json/written-numbers.ts'
import type { CallerClaims } from './caller-text.ts'
import type { Definition, SeenDefinition } from './tool-definition.ts'

export type JsonObject = { readonly [key: string]: unknown }

/** A call that an agent wants to make. */
export interface ToolCall extends CallerClaims {
  /** True if `sessionId` is an MCP session of the edge, and not an id that the caller chose. */
  readonly isSessionOfEdge?: boolean
  /**
   * True if the caller calls `Guard.noteResult` when the result of the call arrives. Otherwise the session of the call gains the labels of the
   * tool when the call is allowed.
   */
  readonly tellsResult?: boolean
  /**
   * The name of the tool, resource operation or prompt in policies, in one of these forms: `mcp:<server>/<tool>`,
   * `fn:<namespace>/<function>`, `http:<host>/<operation>`, `model:<provider>/<model>`, `resource:<server>/read`,
   * `resource:<server>/subscribe` or `prompt:<server>/<name>`.
   */
  readonly tool: string
  /**
   * Other tool names that may be the right name of the called tool, if the caller cannot tell which name is right. The edge
   * evaluates the policy for each name, and the strictest verdict counts.
   */
  readonly otherTools?: readonly string[]
  readonly args: JsonObject
  /** Other ways to read the arguments, such as another spelling of a URI. The call is stopped if a rule stops one of them. */
  readonly otherArgs?: readonly JsonObject[]
  /** Other values that the call sends. Content rules inspect them, and nothing in them can be redacted. */
  readonly unchangeable?: readonly unknown[]
  /** The name of the tool or prompt that the client gave. See `unknownName`. */
  readonly givenName?: string
  /**
   * Whether the caller forwards the arguments of the decision (`Decision.args`) in place of its own. Otherwise a call whose arguments
   * must be redacted is denied.
   */
  readonly canRedact?: boolean
  /** Returns the arguments that the tool declares, or null if the tool has no schema. Called only if a rule has conditions on arguments. */
  readonly declaredArgs?: () => Promise<ReadonlySet<string> | null>
  /** Returns the hash of the definition that the tool's server declared last. Absent if the caller sees no definitions. */
  readonly definition?: () => SeenDefinition
  /**
   * Asks the tool's server for its tools. If `isNeeded` is false, it asks each server only once. Called if the definition is not known.
   */
  readonly learn?: (isNeeded: boolean) => Promise<void>
  /**
   * Returns why the call cannot be made although the policy lets it pass, such as a missing credential. Null if it can. Such a call is denied,
   * in monitor mode too. Called only for a call that would pass, or that would wait for a person.
   */
  readonly lacking?: () => Promise<string | null>
  /** The token of a delegation under which the agent acts. It is never recorded or logged. A token that is not valid denies the call. */
  readonly delegation?: string | undefined
  /** The id of an approval that the edge requested when the same call was made before. */
  readonly approvalId?: string
  readonly signal?: AbortSignal
}

/**
 * Returns the name that the client gave, if the edge has not seen that the server has such a tool. Then the client can write any text there, so
 * content rules inspect it, and a match in it is not recorded or logged. The edge sees no definitions of prompts, so their names are always inspected.
 */
export function unknownName({ givenName, definition }: ToolCall): string | undefined {
  return definition?.() === undefined ? givenName : undefined
}

/** Returns the name of a tool with another last part. */
export const toolWithName = (tool: string, name: string): string => `${tool.split('/')[0]}/${name}`

/** Takes the place of a name that may have a match. */
export const hiddenName = '(unknown)'

/** Returns the name of the called tool for the log. */
export function loggedTool(call: ToolCall): string {
  return unknownName(call) === undefined ? call.tool : toolWithName(call.tool, hiddenName)
}

/** Maximum number of possible tool names of one call: `tool` and `otherTools` together. */
export const mostReadings = 16

export interface HeldApproval {
  approvalId: string
  expiresAt: string
  status: string
}

/** The decision about a call. The edge records it before the caller gets it. */
export interface Decision {
  readonly decisionId: string
  readonly verdict: 'allow' | 'deny' | 'require_approval'
  /** False in monitor mode, where a decision is recorded but stops nothing. */
  readonly enforced: boolean
  readonly rule: { id: string; name: string } | null
  readonly reason: string
  readonly policyVersion: number | null
  readonly approval?: HeldApproval
  /** Why the call is denied, as a word. Absent unless the verdict is `deny`. */
  readonly deniedBecause?: DenialReason
  /** The redacted arguments. Forward them instead of the call's own. Undefined if nothing was redacted, or if the call has no `canRedact`. */
  readonly args?: JsonObject
  /** The address of the page about the decision. Absent if the call is allowed, or if the control plane named no address of the dashboard. */
  readonly page?: string
}

/**
 * The verdict of content rules on a result. If `denied` is null, forward `value` instead of the result. Otherwise withhold the result: `denied`
 * is the reason.
 */
export type CheckedResult = { readonly denied: null; readonly value: unknown } | { readonly denied: string }

/** The verdict of content rules on a text that a caller sends outside calls. */
export interface SentCheck {
  /** Why the text must not be sent. Null if it may be sent. */
  readonly denied: string | null
  /** Whether the rules that were applied are still in force. Check this right before the text is sent. */
  holds(): boolean
}

/** The tools whose calls the edge decides, and how strictly its decisions are enforced (`mode`). */
export interface Mediated {
  mode: 'full' | 'partial' | 'none'
  tools: string[]
  mediationPoints: string[]
}

/** Decides the calls that one agent makes to its tools. */
export interface Guard {
  /** Decides a call and records the decision. If this throws, the call must not pass. */
  decide(call: ToolCall): Promise<Decision>
  /**
   * Whether a decision that lets a call pass is still valid under the policy in force. Check this right before the call is
   * forwarded. If the result is false, decide the call again: this decision no longer uses limits of rules.
   */
  holds(decision: Decision): boolean
  /**
   * Takes back what a decision counted for limits of rules, and its approval. Call this if the decision lets a call pass, and the call is not
   * forwarded.
   */
  withdraw(decision: Decision): void
  /** Whether content rules look at results. If not, results need no `checkResult`. */
  inspectsResults(): boolean
  /**
   * Applies content rules to a result, or to another text of the tool's server, before the caller gets it. Records what they find with the
   * decision of the call. `decision` is null if the call is unknown. `numbers` are the numbers above 2^53 as the tool's server wrote them, because
   * `value` may have them rounded. While the edge is closed, no value passes. The exception is `wasClosed`: the value was already reduced to what a
   * closed edge lets pass. If this throws, the result must not pass.
   */
  checkResult(
    decision: Decision | null,
    value: unknown,
    numbers?: WrittenNumbers,
    wasClosed?: boolean,
  ): Promise<CheckedResult>
  /**
   * Gives the labels of the tool to the session of the call. Call this when a result of a call with `tellsResult` arrives, before the agent
   * gets it. Returns why the result must not pass, or null if it may pass.
   */
  noteResult(decision: Decision): string | null
  /** Notes that a decided call is sent to a tool server. See `noteText`. */
  noteSent(server: string, decision: Decision): void
  /**
   * Gives labels to sessions for a text of a tool server that may belong to any call, such as a log message: the labels of all calls that
   * were sent to the server in the life of a session. If `mayBeEarlier` is true, the text may belong to a call that was made before the edge
   * started. Then also the labels of all tools of the server. Returns why the text must not pass, or null if it may pass.
   */
  noteText(server: string, mayBeEarlier: boolean): string | null
  /**
   * Replaces what content rules match in a line that a tool server writes for the log. Records nothing. `isCut` is true if the line was longer, so
   * that a match may go on behind its end.
   */
  maskLine(line: string, isCut?: boolean): string
  /** Whether content rules look at arguments. If not, what the caller sends needs no `checkSent`. */
  inspectsArguments(): boolean
  /**
   * Applies the content rules for arguments to a text that the caller sends besides calls, such as an answer to a question of the server.
   * Nothing in it can be redacted or approved. Records what they find with `decision`. If this throws, the text must not be sent.
   * `isRepeated` says that the caller sends the same value with many requests, such as a header. It is then inspected once for each profile.
   */
  checkSent(decision: Decision | null, value: unknown, isRepeated?: boolean): Promise<SentCheck>
  /** False if the policy denies a call with these arguments. Records nothing. */
  mayShow(tool: string, args: readonly [JsonObject, ...JsonObject[]]): boolean
  /** False if the policy denies every call of a prompt that declares these arguments. Null if they are not known. Records nothing. */
  mayShowPrompt(prompt: string, declared: ReadonlySet<string> | null): boolean
  /** False if the agent must not see a tool in a list, because the policy, a pin or a block denies every call. Records nothing. */
  mayList(tool: string, definition: SeenDefinition, declared: ReadonlySet<string> | null): boolean
  /** Reports to the control plane what a tool server declares. */
  noteTools(server: string, definitions: readonly Definition[]): void
  /**
   * False if the policy denies every call that has `uri` as its only argument, with a value that begins with `prefix`. Records
   * nothing.
   */
  mayShowUris(tool: string, prefix: string): boolean
  /** Returns why the edge denies every call of the agent, or null if some calls may pass. */
  closing(): Closing | null
  /** Calls `listener` after every change of the agent's rules. Returns a function that removes the listener. */
  onPolicyChange(listener: () => void): () => void
  /** Tells the control plane which tools the caller of this guard controls. Replaces the guard's earlier attestation. */
  attest(mediated: Mediated): void
  /**
   * Withdraws the attestation (the report of the tools that this guard controls) and removes the listeners. A closed guard
   * decides no more calls.
   */
  close(): Promise<void>
}

/** Whether a decided call may be forwarded to its tool. */
export function passes({ verdict, enforced }: Pick<Decision, 'verdict' | 'enforced'>): boolean {
  return verdict === 'allow' || !enforced
}
