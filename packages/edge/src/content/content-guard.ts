import type { CompiledSide } from '@mandate/content/compile-content'
import type { JsonValue } from '@mandate/content/inspect/embedded-text'
import { type Inspection, inspect, nothingFound } from '@mandate/content/inspect/inspect'
import { type ContentVerdict, judge, nothingToDo } from '@mandate/content/judge'
import { ContentPool } from '@mandate/content/pool/content-pool'
import { inspectAnywhere } from '@mandate/content/pool/inspect-anywhere'
import type { ProfileRules } from '../carry/profile-rules.ts'
import { hiddenName, type JsonObject, type ToolCall, unknownName } from '../guard/guard.ts'
import type { WrittenNumbers } from '../json/written-numbers.ts'

/** What content rules say about a value, and what the value becomes. */
export interface Inspected {
  readonly verdict: ContentVerdict
  readonly inspection: Inspection
  /** The name of the called tool with its matches replaced. Absent if nothing matches in the name. */
  readonly maskedName?: string
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
      const maskedName = maskName(side, name)
      return { inspection, verdict: judge(side, inspection), ...(maskedName !== undefined && { maskedName }) }
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
   * Returns the name of the called tool without its matches, for a call whose arguments are not inspected. Undefined if nothing in the name is
   * replaced. If it is not known what would match, no part of the name is kept. `content` is undefined if the edge has no profile.
   */
  maskedName(content: ProfileRules | null | undefined, call: ToolCall): string | undefined {
    const name = unknownName(call)
    if (name === undefined || content === null) return undefined
    if (content === undefined || content.fault !== null) return hiddenName
    const side = content.compiled.arguments
    return side === null ? undefined : maskName(side, name)
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

function maskName(side: CompiledSide, name: string | undefined): string | undefined {
  return name === undefined ? undefined : (inspect(side, name, { masks: true }).masked as string | undefined)
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
