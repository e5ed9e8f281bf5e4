import type { Closing } from '../carry/agent-standing.ts'

export type JsonObject = { readonly [key: string]: unknown }

/** One action an agent wants to take. */
export interface ToolCall {
  /**
   * `mcp:<server>/<tool>`, `fn:<namespace>/<function>`, `http:<host>/<operation>`, `model:<provider>/<model>`,
   * `resource:<server>/read`, `resource:<server>/subscribe` or `prompt:<server>/<name>`.
   */
  readonly tool: string
  /** The other tools it may be of, where the caller cannot tell: the strictest verdict over all of them counts. */
  readonly otherTools?: readonly string[]
  readonly args: JsonObject
  /** Other readings of the arguments, such as an address in another spelling: a rule that stops one of them stops the call. */
  readonly otherArgs?: readonly JsonObject[]
  /** Reads the arguments that the tool declares, null where it has no schema. It is called only where a rule asks about arguments. */
  readonly declaredArgs?: () => Promise<ReadonlySet<string> | null>
  /** The approval that a held call was answered with, where the caller kept it. */
  readonly approvalId?: string
  readonly signal?: AbortSignal
}

/** Of how many tools a call may be at most. */
export const mostReadings = 16

export interface HeldApproval {
  approvalId: string
  expiresAt: string
  status: string
}

/** What the policy says of a call, recorded before it is answered. */
export interface Decision {
  readonly decisionId: string
  readonly verdict: 'allow' | 'deny' | 'require_approval'
  /** False in monitor mode: recorded, not stopped. */
  readonly enforced: boolean
  readonly rule: { id: string; name: string } | null
  readonly reason: string
  readonly policyVersion: number | null
  readonly approval?: HeldApproval
}

/** What a mediator really stands in the way of. */
export interface Mediated {
  mode: 'full' | 'partial' | 'none'
  tools: string[]
  mediationPoints: string[]
}

/** Stands between one agent and its tools. */
export interface Guard {
  /** Decides a call and records the decision. Whatever this throws, the call must not pass. */
  decide(call: ToolCall): Promise<Decision>
  /**
   * Whether a decision that lets a call pass still rests on what is in force. Asked right before the call goes on; where
   * it does not, the call is decided again.
   */
  holds(decision: Decision): boolean
  /**
   * False where every call of the tool would be denied, whatever its arguments. With `args`: where a call with these
   * arguments would be. Records nothing.
   */
  mayShow(tool: string, args?: readonly [JsonObject, ...JsonObject[]]): boolean
  /** False if the policy denies every call of the tool with arguments `{uri}` whose `uri` begins with `prefix`. Records nothing. */
  mayShowUris(tool: string, prefix: string): boolean
  /** Why nothing of the agent passes now; null while some calls may pass. */
  closing(): Closing | null
  /** Calls back after the agent's rules changed; answers a function that ends it. */
  onPolicyChange(listener: () => void): () => void
  /** States what the holder of this guard mediates; a later statement replaces the holder's earlier one. */
  attest(mediated: Mediated): void
  /** Withdraws what was attested and ends the callbacks; decides no more. */
  close(): Promise<void>
}

/** Whether a decided call goes on to its tool. */
export function passes({ verdict, enforced }: Pick<Decision, 'verdict' | 'enforced'>): boolean {
  return verdict === 'allow' || !enforced
}
