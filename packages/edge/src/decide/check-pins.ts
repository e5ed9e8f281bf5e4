import type { ToolCall } from '../guard/guard.ts'
import type { CurrentPins } from '../inventory/environment-pins.ts'
import { asksDefinition, refuseTool, type ToolRefusal } from '../inventory/refuse-tool.ts'
import type { Outcome } from './check-call.ts'

/** The part of a call that pins are about. */
export type PinnedCall = Pick<ToolCall, 'tool' | 'otherTools' | 'definition'>

/** Returns why pins or a block deny a call under one of its possible names. Null if they do not. */
export function refusalOf(pins: CurrentPins, { tool, otherTools = [], definition }: PinnedCall): ToolRefusal | null {
  if (pins === null) return null
  const seen = definition?.()
  return [tool, ...otherTools].map((name) => refuseTool(pins, name, seen)).reduce(stricter)
}

function stricter(one: ToolRefusal | null, other: ToolRefusal | null): ToolRefusal | null {
  return other !== null && (one === null || (other.isAlways && !one.isAlways)) ? other : one
}

/** Denies the call if pins or a block deny it. A denial by the policy stays, unless monitor mode would let the call pass. */
export function applyPins(checked: Outcome, refusal: ToolRefusal | null): Outcome {
  if (refusal === null) return checked
  const { because, reason, isAlways } = refusal
  if (checked.effect === 'deny' && (checked.mode === 'enforce' || !isAlways)) return checked
  const mode = isAlways ? 'enforce' : checked.mode
  return { ...checked, effect: 'deny', mode, rule: null, reason, deniedBecause: because, held: null, usedRules: [] }
}

/** Whether the decision on a call needs the definition that the tool's server declares, and the edge has not seen it. */
export function lacksDefinition(pins: CurrentPins, { tool, otherTools = [], definition }: PinnedCall): boolean {
  return definition?.() === undefined && [tool, ...otherTools].some((name) => asksDefinition(pins, name))
}
