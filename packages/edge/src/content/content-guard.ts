import type { CompiledSide } from '@mandate/content/compile-content'
import type { JsonValue } from '@mandate/content/inspect/embedded-text'
import { type Inspection, inspect, nothingFound } from '@mandate/content/inspect/inspect'
import { type ContentVerdict, judge, nothingToDo } from '@mandate/content/judge'
import { ContentPool } from '@mandate/content/pool/content-pool'
import { inspectAnywhere } from '@mandate/content/pool/inspect-anywhere'
import type { ProfileRules } from '../carry/profile-rules.ts'
import { type CallerClaims, longestOnBehalfOf, longestSessionId } from '../guard/caller-text.ts'
import { hiddenName, type JsonObject, type ToolCall, unknownName } from '../guard/guard.ts'
import type { WrittenNumbers } from '../json/written-numbers.ts'

/** Texts of the caller with their matches replaced, for records and approvals. A text is absent if nothing in it is replaced. */
export interface MaskedTexts {
  /** The name of the called tool. */
  readonly maskedName?: string
  /** Both claims of the call, if one of them has a match. */
  readonly maskedClaims?: CallerClaims
}

/** What content rules say about a value, and what the value becomes. */
export interface Inspected extends MaskedTexts {
  readonly verdict: ContentVerdict
  readonly inspection: Inspection
}

const nothing: Inspected = { verdict: nothingToDo, inspection: nothingFound }

/** Applies the content rules of profiles. One for all agents of the edge. */
export class ContentGuard {
  private readonly pool: ContentPool

  constructor(pool: ContentPool = new ContentPool()) {
    this.pool = pool
  }

  /** Inspects the arguments of a call of an agent. The answer is synchronous unless they are long, or many calls come at once. */
  inspectArguments(agentId: string, content: ProfileRules | null, call: ToolCall): Inspected | Promise<Inspected> {
    if (content === null || content.fault !== null) return nothing
    const { rules, compiled } = content
    const { args, otherArgs = [], unchangeable = [], canRedact = false } = call
    const name = unknownName(call)
    const side = compiled.arguments
    if (side === null) return nothing
    const finish = (found: Inspection): Inspected => {
      const inspection = found.redacted !== undefined && !canRedact ? { ...found, isStuck: true } : found
      return { inspection, verdict: judge(side, inspection), ...(hasMatches(found) && maskTexts(side, call)) }
    }
    const found = inspectAnywhere(
      {
        rules,
        compiled,
        side: 'arguments',
        value: args as JsonValue,
        unchangeable: [
          ...(otherArgs as readonly JsonValue[]),
          ...(unchangeable as readonly JsonValue[]),
          ...(name === undefined ? [] : [name]),
          ...Object.values(chosenClaims(call)),
        ],
        masks: true,
        // The edge refuses arguments with numbers that a double rounds.
        numbers: 'exact',
        owner: agentId,
      },
      this.pool,
    )
    return found instanceof Promise ? found.then(finish) : finish(found ?? nothingFound)
  }

  /**
   * Masks the texts of the caller for a call whose arguments are not inspected. If it is not known what would match, no part of them is kept.
   * `content` is undefined if the edge has no profile.
   */
  maskedTexts(content: ProfileRules | null | undefined, call: ToolCall): MaskedTexts {
    if (content === null) return {}
    if (content === undefined || content.fault !== null) return hiddenTexts(call)
    const side = content.compiled.arguments
    return side === null ? {} : maskTexts(side, call)
  }

  /**
   * Replaces the matches of both sides in a line of the log. If it is not known what would match, nothing of the line is kept. Without a profile,
   * no argument reaches a tool server, so the line is kept. If the line was cut, its end is removed, because a match may begin there.
   */
  maskLine(content: ProfileRules | null, line: string, isCut = false): string {
    if (content === null) return line
    if (content.fault !== null) return unknownLine
    const { compiled } = content
    const sides = [compiled.arguments, compiled.results].filter((side) => side !== null)
    if (sides.length === 0) return line
    return sides.reduce((text, side) => maskedLine(side, text), isCut ? withoutEnd(line) : line)
  }

  /** Inspects a result of a call of an agent. The answer is synchronous unless the result is long, or many results come at once. */
  inspectResult(
    agentId: string,
    content: ProfileRules | null,
    value: unknown,
    numbers?: WrittenNumbers,
  ): Inspected | Promise<Inspected> {
    if (content === null || content.fault !== null) return nothing
    const { rules, compiled } = content
    const side = compiled.results
    if (side === null) return nothing
    const finish = (inspection: Inspection): Inspected => ({
      inspection,
      verdict: judge(side, inspection),
    })
    const found = inspectAnywhere(
      { rules, compiled, side: 'results', value: value as JsonValue, numbers, owner: agentId },
      this.pool,
    )
    return found instanceof Promise ? found.then(finish) : finish(found ?? nothingFound)
  }

  close(): Promise<void> {
    return this.pool.close()
  }
}

const hasMatches = ({ counts, uninspected }: Inspection) => counts.size > 0 || uninspected !== null

/** The claims that the caller chose. A session id of the edge is not one of them. */
function chosenClaims({ sessionId, isSessionOfEdge, onBehalfOf }: ToolCall) {
  return {
    ...(sessionId !== undefined && !isSessionOfEdge && { sessionId }),
    ...(onBehalfOf !== undefined && { onBehalfOf }),
  }
}

function maskTexts(side: CompiledSide, call: ToolCall): MaskedTexts {
  const claims = chosenClaims(call)
  const name = mask(side, unknownName(call))
  const sessionId = mask(side, claims.sessionId, longestSessionId)
  const onBehalfOf = mask(side, claims.onBehalfOf, longestOnBehalfOf)
  const shown = (masked: Masked, sent: string | undefined) => (masked === undefined ? sent : (masked ?? undefined))
  return {
    ...(name !== undefined && { maskedName: name ?? hiddenName }),
    ...((sessionId !== undefined || onBehalfOf !== undefined) && {
      maskedClaims: { sessionId: shown(sessionId, call.sessionId), onBehalfOf: shown(onBehalfOf, call.onBehalfOf) },
    }),
  }
}

/** A text with its matches replaced. Undefined if it has none. Null if it cannot be inspected, so that no part of it is kept. */
type Masked = string | null | undefined

/** @param longest the number of characters that are kept */
function mask(side: CompiledSide, text: string | undefined, longest = Number.POSITIVE_INFINITY): Masked {
  if (text === undefined) return undefined
  const { masked, uninspected } = inspect(side, text, { masks: true })
  if (uninspected !== null) return null
  return masked === undefined ? undefined : [...(masked as string)].slice(0, longest).join('')
}

function maskedLine(side: CompiledSide, line: string): string {
  const { masked, uninspected } = inspect(side, line, { masks: true })
  return uninspected === null ? ((masked as string | undefined) ?? line) : unknownLine
}

/** Maximum number of groups of digits or letters that are removed from the end of a cut line. An IBAN has nine groups. */
const mostGroups = 12
/** A group of a number that is written in groups. */
const groupOfNumber = /^(?=.*\d|[A-Z]{1,4}$).{1,20}$/

/** Leaves out what may go on behind the end of a line: the characters behind the last white space, and the groups of a number before them. */
function withoutEnd(line: string): string {
  let end = /^.*\s/s.exec(line)?.[0].length ?? 0
  for (let groups = 0; groups < mostGroups; groups++) {
    const before = line.slice(Math.max(0, end - 30), end).trimEnd()
    const group = /\S*$/.exec(before)?.[0] ?? ''
    if (!groupOfNumber.test(group)) break
    end = line.lastIndexOf(group, end - 1)
  }
  return `${line.slice(0, end)}[hidden]`
}

/** Takes the place of a line that may have a match. */
const unknownLine = '[hidden: content rules cannot be applied to this line]'

/** Keeps no text that the caller chose. */
function hiddenTexts(call: ToolCall): MaskedTexts {
  const isChosen = Object.keys(chosenClaims(call)).length > 0
  return {
    ...(unknownName(call) !== undefined && { maskedName: hiddenName }),
    ...(isChosen && {
      maskedClaims: { sessionId: call.isSessionOfEdge ? call.sessionId : undefined, onBehalfOf: undefined },
    }),
  }
}

/** Returns the arguments to forward. Undefined if they are forwarded as the agent sent them. */
export function redactedArguments({ inspection }: Inspected): JsonObject | undefined {
  return inspection.isStuck ? undefined : (inspection.redacted as JsonObject | undefined)
}

/** Returns the arguments that people may see. */
export function maskedArguments({ inspection }: Inspected, args: JsonObject): JsonObject | null {
  // What was not inspected may have anything in it.
  if (inspection.uninspected !== null) return null
  return (inspection.masked as JsonObject | undefined) ?? args
}
