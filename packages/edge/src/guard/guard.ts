import type { Closing } from '../carry/agent-standing.ts'

export type JsonObject = { readonly [key: string]: unknown }

/** A call that an agent wants to make. */
export interface ToolCall {
  /**
   * `mcp:<server>/<tool>`, `fn:<namespace>/<function>`, `http:<host>/<operation>`, `model:<provider>/<model>`,
   * `resource:<server>/read`, `resource:<server>/subscribe` or `prompt:<server>/<name>`.
   */
  readonly tool: string
  /** Other tools that the call may mean, if the caller cannot know. The strictest verdict counts. */
  readonly otherTools?: readonly string[]
  readonly args: JsonObject
  /** Other readings of the arguments, such as a URI in another spelling. A rule that stops one reading stops the call. */
  readonly otherArgs?: readonly JsonObject[]
  /** Reads the arguments that the tool declares. Null if it has no schema. Called only if a rule has conditions on arguments. */
  readonly declaredArgs?: () => Promise<ReadonlySet<string> | null>
  /** The approval of a held call, if the caller kept its id. */
  readonly approvalId?: string
  readonly signal?: AbortSignal
}

/** The most tools that one call may mean. */
export const mostReadings = 16

export interface HeldApproval {
  approvalId: string
  expiresAt: string
  status: string
}

/** The decision for a call. It is recorded before the caller gets it. */
export interface Decision {
  readonly decisionId: string
  readonly verdict: 'allow' | 'deny' | 'require_approval'
  /** False in monitor mode, where a decision is recorded but stops nothing. */
  readonly enforced: boolean
  readonly rule: { id: string; name: string } | null
  readonly reason: string
  readonly policyVersion: number | null
  readonly approval?: HeldApproval
}

/** What a mediator really controls. */
export interface Mediated {
  mode: 'full' | 'partial' | 'none'
  tools: string[]
  mediationPoints: string[]
}

/** Decides the calls between one agent and its tools. */
export interface Guard {
  /** Decides a call and records the decision. If this throws, the call must not pass. */
  decide(call: ToolCall): Promise<Decision>
  /**
   * Whether a decision that lets a call pass still matches the policy in force. Check it right before the call is forwarded.
   * If it is false, decide the call again.
   */
  holds(decision: Decision): boolean
  /** False if the policy denies every call of the tool, or, with `args`, a call with these arguments. Records nothing. */
  mayShow(tool: string, args?: readonly [JsonObject, ...JsonObject[]]): boolean
  /** False if the policy denies every call of the tool with arguments `{uri}` whose `uri` begins with `prefix`. Records nothing. */
  mayShowUris(tool: string, prefix: string): boolean
  /** Why the edge denies every call of the agent. Null while some calls may pass. */
  closing(): Closing | null
  /** Calls `listener` after every change of the agent's rules. Returns a function that ends this. */
  onPolicyChange(listener: () => void): () => void
  /** Attests what the holder of this guard mediates. Replaces its earlier attestation. */
  attest(mediated: Mediated): void
  /** Withdraws the attestation and ends the callbacks. A closed guard decides nothing. */
  close(): Promise<void>
}

/** Whether a decided call may go to its tool. */
export function passes({ verdict, enforced }: Pick<Decision, 'verdict' | 'enforced'>): boolean {
  return verdict === 'allow' || !enforced
}
