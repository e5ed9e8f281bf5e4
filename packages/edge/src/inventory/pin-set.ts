import { type PinnedTool, Pins } from '@mandate/contract/tools'
import type { ToolPinning } from '@mandate/contract/words/tool-words'
import { z } from 'zod'

/** Pins, blocks and labels of one tool. */
export interface ToolPins {
  readonly isBlocked: boolean
  /** Hashes of the pinned definitions. */
  readonly pins: ReadonlySet<string>
  readonly labels: ReadonlySet<string>
}

/** Pins, blocks and labels of the tools of an environment. Never changes. */
export interface PinSet {
  readonly environmentId: string
  readonly version: number
  /** When the control plane signed it, in milliseconds since 1970. */
  readonly issuedAtMs: number
  readonly pinning: ToolPinning
  readonly tools: ReadonlyMap<string, ToolPins>
}

/** The pins that follow from `held` and the pages that the control plane signed. All pages belong to one reading. */
export function pinSetOf(held: PinSet | null, pages: readonly [Pins, ...Pins[]]): PinSet {
  const [{ environment_id: environmentId, version, since, issued_at, pinning }] = pages
  const changed = pages.flatMap((page) => page.tools.map(entryOf))
  const tools = new Map([...(since > 0 && held ? held.tools : []), ...changed])
  return { environmentId, version, issuedAtMs: Date.parse(issued_at), pinning, tools }
}

const entryOf = ({ tool, blocked, pins, labels }: PinnedTool): [string, ToolPins] => [
  tool,
  { isBlocked: blocked, pins: new Set(pins), labels: new Set(labels) },
]

const Stored = z.object({
  environment_id: Pins.shape.environment_id,
  version: Pins.shape.version,
  issued_at_ms: z.int(),
  pinning: Pins.shape.pinning,
  tools: Pins.shape.tools,
})

/** The JSON of pins, for the state folder. */
export function pinsText({ environmentId, version, issuedAtMs, pinning, tools }: PinSet): string {
  const listed = [...tools].map(([tool, { isBlocked, pins, labels }]) => {
    return { tool, blocked: isBlocked, pins: [...pins], labels: [...labels] }
  })
  return JSON.stringify({ environment_id: environmentId, version, issued_at_ms: issuedAtMs, pinning, tools: listed })
}

/** Reads the JSON of `pinsText`. Returns null for anything else. */
export function readPins(value: unknown): PinSet | null {
  const { data } = Stored.safeParse(value)
  if (!data) return null
  const { environment_id: environmentId, version, issued_at_ms: issuedAtMs, pinning, tools } = data
  return { environmentId, version, issuedAtMs, pinning, tools: new Map(tools.map(entryOf)) }
}
