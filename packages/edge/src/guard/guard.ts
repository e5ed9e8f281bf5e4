import type { Closing } from '../carry/agent-standing.ts'
import type { CallerClaims } from './caller-text.ts'

export type JsonObject = { readonly [key: string]: unknown }

/** A call that an agent wants to make. */
export interface ToolCall extends CallerClaims {
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
  /** Returns the arguments that the tool declares, or null if the tool has no schema. Called only if a rule has conditions on arguments. */
  readonly declaredArgs?: () => Promise<ReadonlySet<string> | null>
  /** The id of an approval that the edge requested when the same call was made before. */
  readonly approvalId?: string
  readonly signal?: AbortSignal
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
   * forwarded. If the result is false, decide the call again.
   */
  holds(decision: Decision): boolean
  /**
   * False if the policy denies every call of the tool. With `args`, false if the policy denies a call with these arguments.
   * Records nothing.
   */
  mayShow(tool: string, args?: readonly [JsonObject, ...JsonObject[]]): boolean
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
