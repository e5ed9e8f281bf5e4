import { z } from 'zod'
import { oneOf, text, uuid } from './fields/fields.ts'
import { isRecord } from './fields/is-record.ts'
import { keptStates, notKeptReasons } from './words/policy-words.ts'

/** Maximum number of paths of the arguments of a decision whose values are kept. */
export const mostKeptPaths = 32
/** Maximum number of ways to read the arguments of a call. */
export const mostKeptReadings = 4
/** Maximum length of a kept text in UTF-16 code units, and maximum number of items of a kept list. */
export const longestKeptText = 1000
export const mostKeptItems = 50
/** Maximum size of what is kept of a decision: bytes of its JSON in UTF-8. */
export const mostKeptBytes = 8192

/** Whether a value can be kept: a scalar, an empty object, or a list of scalars, empty objects and empty lists. */
export function isKeptValue(value: unknown): boolean {
  if (!Array.isArray(value)) return isKeptItem(value)
  return value.length <= mostKeptItems && value.every((item) => isKeptItem(item) || isEmptyList(item))
}

const isEmptyList = (value: unknown) => Array.isArray(value) && value.length === 0

function isKeptItem(value: unknown): boolean {
  if (typeof value === 'string') {
    return value.length <= longestKeptText && value.isWellFormed() && !value.includes('\0')
  }
  const isScalar = value === null || typeof value === 'boolean' || Number.isFinite(value)
  return isScalar || (isRecord(value) && Object.keys(value).length === 0)
}

const reason = text({ min: 1, max: 40 }).refine((value) => /^[a-z][a-z_]*$/.test(value), {
  error: 'must be 1 to 40 lower-case letters and underscores',
  abort: true,
})

export const KeptArgument = z
  .object({
    path: text({ min: 6, max: 256 })
      .refine((value) => /^args(?:\.[^.]+)+$/.test(value), { error: 'must be a path such as args.path', abort: true })
      .describe('Path that conditions of the policy read, such as `args.path`.'),
    state: oneOf(keptStates).describe(
      'What is at the path. `value`: the value in `value`. `absent`: no value. `unreachable`: the path leads through a value that has no fields. `not_kept`: a value that the edge did not keep.',
    ),
    value: z
      .unknown()
      .optional()
      .describe(
        'The value. Objects, and lists in lists, are shown empty, because no condition reads their content. Absent unless the state is `value`.',
      ),
    because: reason
      .optional()
      .describe(
        `Why the value is not kept: ${notKeptReasons.map((word) => `\`${word}\``).join(', ')}. Later versions may add values. Absent unless the state is \`not_kept\`.`,
      ),
  })
  .refine(({ state, value }) => (state === 'value') === (value !== undefined), {
    path: ['value'],
    error: 'is for the state value only, and required there',
  })
  .refine(({ value }) => value === undefined || isKeptValue(value), {
    path: ['value'],
    error: `must be a scalar, an empty object or a list of at most ${mostKeptItems} of them, with texts of at most ${longestKeptText} characters`,
  })
  .meta({ id: 'KeptArgument', description: 'What a condition of the policy finds in the arguments of a call.' })
export type KeptArgument = z.output<typeof KeptArgument>

/** What an edge keeps of the arguments of one decision. The record of the decision has its digest in `kept_digest`. */
export const KeptArguments = z
  .strictObject({
    decision_id: uuid.describe('Id of the decision.'),
    salt: text({ max: 32 })
      .refine((value) => /^[0-9a-f]{32}$/.test(value), { error: 'must be 32 lower-case hexadecimal characters' })
      .describe('Random text. Nobody can find the values from `kept_digest` by trying values.'),
    undeclared: z
      .boolean()
      .describe('Whether the call has an argument that its tool does not declare. Then conditions on arguments fail.'),
    readings: z
      .array(z.array(KeptArgument).max(mostKeptPaths))
      .min(1)
      .max(mostKeptReadings)
      .describe('The arguments as sent, and other ways in which the tool may read them. One item for each path.'),
  })
  .meta({ description: 'Arguments of a decision that conditions of its policy read.' })
export type KeptArguments = z.output<typeof KeptArguments>
