import { describeIssue } from '@mandate/contract/checks/refusal-text'
import { effects } from '@mandate/contract/words/policy-words'
import { toolStates } from '@mandate/contract/words/tool-words'
import { z } from 'zod'
import { didYouMean } from '../../find/did-you-mean.ts'
import { Failure } from '../../invocation/failure.ts'
import { readTextFile } from '../../invocation/read-text-file.ts'
import { lineOf } from './line-of.ts'
import { parseYaml, plainOf } from './parse-yaml.ts'

const facts = z.record(z.string(), z.unknown()).optional()

/** A call, and how a policy must decide it. */
const Case = z.strictObject({
  /** What the case shows, for messages. */
  name: z.string().optional(),
  tool: z.string().min(1, 'must not be empty'),
  args: facts,
  agent: facts,
  environment: facts,
  session: z.strictObject({ labels: z.array(z.string()).optional(), calls: z.int().min(0).optional() }).optional(),
  /** What the inventory says of the tool. Without it, conditions on `tool.labels` and `tool.state` cannot be decided. */
  inventory: z
    .strictObject({
      labels: z.array(z.string()).optional(),
      state: z.enum(toolStates, { error: `must be one of ${toolStates.join(', ')}` }).optional(),
    })
    .optional(),
  effect: z.enum(effects, { error: `must be one of ${effects.join(', ')}` }),
  /** The rule that must decide: its name, or its place such as `rules[0]` if it has no name. Null for the default effect. */
  rule: z.string().nullable().optional(),
})
export type Case = z.output<typeof Case> & { line: number }

/** A call to simulate. A file of expected decisions is also a file of calls. */
const Call = Case.partial({ effect: true }).extend({
  /** The answer of the tool. The content rules of a stored policy inspect it. */
  result: z.unknown().optional(),
})
export type Call = z.output<typeof Call>

/** Reads a file of expected decisions. @throws Failure that lists every error with its line */
export async function readCases(path: string): Promise<Case[]> {
  const wanted = 'must be a list of calls with their expected effect: [{ tool, args, effect }]'
  const { calls, lineOf } = readList(path, await readTextFile(path), Case, wanted)
  if (calls.length === 0) throw new Failure(`${path}:1: ${wanted}`)
  return calls.map((one, index) => ({ ...one, line: lineOf(index) }))
}

/** Reads a text with a list of calls. @param name names the text in errors @throws Failure that lists every error with its line */
export const readCalls = (name: string, text: string): Call[] =>
  readList(name, text, Call, 'must be a list of calls: [{ tool, args }]').calls

/** Checks a call that options describe. @throws Failure that lists every error */
export function checkCall(given: Record<string, unknown>): Call {
  const { data, error } = Call.safeParse(given, { reportInput: true })
  if (data) return data
  throw new Failure(
    error.issues.flatMap((issue) => faultsOf(issue, 'the call').map(({ message }) => message)).join('\n'),
  )
}

function readList<T>(name: string, text: string, schema: z.ZodType<T>, wanted: string) {
  const { tree, lines, faults, inexact, isWhole } = parseYaml(text)
  const written = faults.map(({ line, column, message }) => `${name}:${line}:${column}: ${message}`)
  if (!isWhole) throw new Failure(written.join('\n'))
  const value = plainOf(name, tree)
  if (!Array.isArray(value)) throw new Failure([...written, `${name}:1: ${wanted}`].join('\n'))
  const { data, error } = z.array(schema).safeParse(value, { reportInput: true })
  const wrong = (error?.issues ?? [])
    .flatMap((issue) => faultsOf(issue, 'the file'))
    .filter(({ place }) => !inexact.has(tree.getIn(place, true)))
    .map(({ place, message }) => `${name}:${lineOf(tree, lines, place)}: ${message}`)
  if (!data || written.length > 0) throw new Failure([...written, ...wrong].join('\n'))
  return { calls: data, lineOf: (index: number) => lineOf(tree, lines, [index]) }
}

const fieldsOf: Record<string, string[]> = { session: ['labels', 'calls'], inventory: ['labels', 'state'] }

function faultsOf(issue: z.core.$ZodIssue, whole: string): { place: readonly PropertyKey[]; message: string }[] {
  const message = describeIssue([issue], whole)
  if (issue.code !== 'unrecognized_keys') return [{ place: issue.path, message }]
  const known = fieldsOf[String(issue.path.at(-1))] ?? Object.keys(Call.shape)
  return issue.keys.map((key) => {
    const suggestion = didYouMean(key, known)
    return { place: [...issue.path, key], message: `${message}: ${key}${suggestion ? `; ${suggestion}` : ''}` }
  })
}
