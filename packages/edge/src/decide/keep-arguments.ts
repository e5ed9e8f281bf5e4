import { randomBytes } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import {
  isKeptValue,
  type KeptArgument,
  type KeptArguments,
  longestKeptText,
  mostKeptBytes,
  mostKeptItems,
  mostKeptPaths,
  mostKeptReadings,
} from '@mandate/contract/kept-arguments'
import type { notKeptReasons } from '@mandate/contract/words/policy-words'
import { type ArgumentUse, argumentsRead, keptArgument, knownArguments } from '@mandate/policy/known-arguments'
import type { ActiveProfile } from '../carry/read-profile.ts'
import { type Inspected, maskedArguments } from '../content/content-guard.ts'
import type { JsonObject, ToolCall } from '../guard/guard.ts'
import { shownArguments } from './redact.ts'

type NotKept = (typeof notKeptReasons)[number]

/** What decides which arguments of a call are kept. */
export interface Keeping {
  decisionId: string
  profile: Pick<ActiveProfile, 'policy'>
  /** Names of the arguments that the tool declares. Null if they are unknown. */
  declared: ReadonlySet<string> | null
  /** Result of the content rules. Null if no content rules apply. */
  inspected: Inspected | null
  /** The setting `MANDATE_EDGE_SHOW_ARGUMENTS`. With false, no value is kept. */
  showArguments: boolean
}

/**
 * Returns the arguments of a call that a replay needs: the values at the paths that conditions of the policy read. A value that an approval would
 * redact or shorten is not kept. Returns null if no condition for the tool reads arguments.
 */
export function keepArguments(
  { tool, otherTools = [], args, otherArgs = [] }: ToolCall,
  { decisionId, profile, declared, inspected, showArguments }: Keeping,
): KeptArguments | null {
  const uses = argumentsRead(profile.policy, tool)
  if (uses.size === 0) return null
  const sent = [args, ...otherArgs]
  const isAmbiguous = otherTools.some((name) => name !== tool)
  const whole = isAmbiguous ? 'several_tools' : showArguments ? null : 'not_shown'
  const readings = sent.slice(0, mostKeptReadings).map((reading, index) => {
    const { at, undeclared } = knownArguments({ tool, args: reading, declaredArgs: declared }, uses.keys())
    const masked = knownArguments({ tool, args: maskedReading(inspected, reading, index) }, uses.keys())
    const kept = [...at].map(([path, found]): KeptArgument => {
      const one = keptArgument(path, found)
      const why = sent.length > mostKeptReadings ? 'too_long' : whole
      const isMasked = !isDeepStrictEqual(keptArgument(path, masked.at.get(path)), one)
      const because = why ?? whyNotKept(one, uses.get(path) as ArgumentUse, isMasked)
      return one.state === 'value' && because !== null ? { path, state: 'not_kept', because } : one
    })
    return { kept, undeclared }
  })
  const salt = randomBytes(16).toString('hex')
  const undeclared = readings.some((reading) => reading.undeclared)
  return withinBounds({ decision_id: decisionId, salt, undeclared, readings: readings.map(({ kept }) => kept) })
}

/** Content rules mask only the first reading, the arguments as sent. If a rule matches, the values of the other readings are not kept. */
function maskedReading(inspected: Inspected | null, reading: JsonObject, index: number): JsonObject | null {
  if (inspected === null) return reading
  if (index === 0) return maskedArguments(inspected, reading)
  return inspected.verdict.matches.length > 0 || inspected.inspection.uninspected !== null ? null : reading
}

function whyNotKept({ path, value }: KeptArgument, use: ArgumentUse, isMasked: boolean): NotKept | null {
  if (use === 'existence') return 'not_read'
  if (isMasked) return 'redacted'
  if (isTooLong(value)) return 'too_long'
  return isKeptValue(value) && isShown(path, value) ? null : 'redacted'
}

function isTooLong(value: unknown): boolean {
  if (typeof value === 'string') return value.length > longestKeptText
  return Array.isArray(value) && (value.length > mostKeptItems || value.some(isTooLong))
}

/** Whether an approval shows the value unchanged. The names of the fields on its path can hide it, too. */
function isShown(path: string, value: unknown): boolean {
  const [, ...names] = path.split('.')
  const args = names.reduceRight((inner, name) => Object.fromEntries([[name, inner]]), value) as object
  return isDeepStrictEqual(shownArguments(args), args)
}

/** Leaves out the last paths until the rest is within the bounds. */
function withinBounds(whole: KeptArguments): KeptArguments {
  let left = mostKeptBytes - Buffer.byteLength(JSON.stringify({ ...whole, readings: whole.readings.map(() => []) }))
  const readings = whole.readings.map((reading) => {
    const end = reading.findIndex((one, index) => {
      left -= Buffer.byteLength(JSON.stringify(one)) + 1
      return left < 0 || index >= mostKeptPaths
    })
    return end < 0 ? reading : reading.slice(0, end)
  })
  return { ...whole, readings }
}
