import { askedLabels, asksPath, type CompiledPolicy } from '@mandate/policy/evaluate'
import type { InventoryEntry, RuleUses, Session } from '@mandate/policy/types'
import type { ToolCall } from '../guard/guard.ts'
import type { CurrentPins } from '../inventory/environment-pins.ts'
import { inventoryEntry } from '../inventory/inventory-entry.ts'
import type { Sessions } from '../sessions/sessions.ts'

/** The part of a call that says which tool it calls. */
type AskedCall = Pick<ToolCall, 'tool' | 'otherTools' | 'definition'>

/** What rules may ask about a call besides what the call says. */
export interface CallContext {
  readonly session: Session
  readonly uses: RuleUses
  /** True if content rules match the call. Then the reason for its decision has no text that the caller chose. */
  readonly isMatched?: boolean
  /** What the inventory says of a tool. */
  inventoryOf(tool: string): InventoryEntry | undefined
}

/** Reads the number of the session's calls only if a rule asks for it. */
export function contextOf(
  { call, labels, key }: { call: AskedCall; labels: ReadonlySet<string>; key: string },
  { sessions, pins, uses }: { sessions: Sessions; pins: CurrentPins; uses: RuleUses },
): CallContext {
  const seen = call.definition?.()
  return {
    uses,
    session: {
      labels,
      get calls() {
        return sessions.calls(key)
      },
    },
    inventoryOf: (tool) => inventoryEntry(pins, tool, seen),
  }
}

const namesOf = ({ tool, otherTools = [] }: AskedCall) => [tool, ...otherTools]

/**
 * Describes what rules ask about a session and the inventory, as a text. A decision is still valid if the text is the same. The number of
 * calls is left out, because each call changes it.
 */
export function askedState(
  policy: CompiledPolicy,
  call: AskedCall,
  { labels, pins }: { labels: ReadonlySet<string>; pins: CurrentPins },
): string {
  if (!policy.asksSession && !policy.asksInventory) return ''
  const seen = call.definition?.()
  return JSON.stringify(
    namesOf(call).map((tool) => {
      const asked = policy.asksSession ? [...askedLabels(policy, tool)].filter((label) => labels.has(label)) : []
      if (!policy.asksInventory) return asked
      const entry = inventoryEntry(pins, tool, seen)
      return [asked, entry && [[...entry.labels].sort(), entry.state ?? null]]
    }),
  )
}

/** Whether rules for the call ask for the number of the session's calls. */
export function asksCalls(policy: CompiledPolicy, call: AskedCall): boolean {
  return policy.asksSession && namesOf(call).some((tool) => asksPath(policy, tool, 'session.calls'))
}

/** Whether rules for the call ask for the state of the tool, which needs the definition that the server declares. */
export function asksState(policy: CompiledPolicy, call: AskedCall): boolean {
  return policy.asksInventory && namesOf(call).some((tool) => asksPath(policy, tool, 'tool.state'))
}
