import { describeIssue } from '@mandate/contract/checks/refusal-text'
import { PolicyFileContent } from '@mandate/contract/policies/policy-file'
import type { PolicyWarning } from '@mandate/policy/changes/find-dead-rules'
import { validateDocument } from '@mandate/policy/validate'
import type { z } from 'zod'
import { didYouMean } from '../../find/did-you-mean.ts'
import { fieldsAt, type PolicyContent } from './policy-content.ts'

/** An error in a policy file, without the line. */
export interface ContentFault {
  place: readonly PropertyKey[]
  message: string
}

/**
 * Checks the value of a policy file: its fields and types, and what the control plane checks when it saves a policy. Lists the errors of both, and
 * one error for each field.
 */
export function checkContent(value: unknown): {
  content: PolicyContent | undefined
  errors: ContentFault[]
  warnings: PolicyWarning[]
} {
  const parsed = PolicyFileContent.safeParse(value, { reportInput: true })
  const rest = parsed.success ? parsed.data : value
  const { errors, warnings } = validateDocument(isFields(rest) ? { ...rest, environment_id: null } : rest)
  const shape = (parsed.error?.issues ?? []).flatMap(faultsOfIssue)
  const checked = errors.map(({ path, message }) => ({ place: partsOf(path), message: `${path} ${message}` }))
  return { content: parsed.data, errors: withoutRepetition(shape, isFields(value) ? checked : []), warnings }
}

const isFields = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function faultsOfIssue(issue: z.core.$ZodIssue): ContentFault[] {
  const message = describeIssue([issue], 'the file')
  if (issue.code !== 'unrecognized_keys') return [{ place: issue.path, message }]
  const known = fieldsAt(issue.path)
  return issue.keys.map((key) => {
    const suggestion = didYouMean(key, known)
    return { place: [...issue.path, key], message: `${message}: ${key}${suggestion ? `; ${suggestion}` : ''}` }
  })
}

/** Both checks may find an error in a field. The second one names the values that the field can have; a missing field is only missing. */
function withoutRepetition(shape: readonly ContentFault[], checked: readonly ContentFault[]): ContentFault[] {
  const own = shape.filter(
    ({ place, message }) => message.endsWith(' is required') || !checked.some((other) => isSame(other.place, place)),
  )
  return [...own, ...checked.filter((one) => !own.some(({ place }) => isAtOrBelow(one.place, place)))]
}

const isSame = (one: ContentFault['place'], other: ContentFault['place']) =>
  one.length === other.length && isAtOrBelow(one, other)

const isAtOrBelow = (place: ContentFault['place'], other: ContentFault['place']) =>
  other.every((part, at) => part === place[at])

/** Splits a path such as `rules[0].match.tools[0]` into keys and indexes. */
export function partsOf(path: string): (string | number)[] {
  return [...path.matchAll(/([^.[\]]+)|\[(\d+)\]/g)].map(([, name, index]) => name ?? Number(index))
}
