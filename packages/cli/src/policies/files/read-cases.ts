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
  tool: z.string().min(1),
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

const fieldsOf: Record<string, string[]> = { session: ['labels', 'calls'], inventory: ['labels', 'state'] }

/** Reads a file of expected decisions. @throws Failure that lists every error with its line */
export async function readCases(path: string): Promise<Case[]> {
  const text = await readTextFile(path)
  const { tree, lines, faults } = parseYaml(text)
  if (faults.length > 0)
    throw new Failure(faults.map(({ line, column, message }) => `${path}:${line}:${column}: ${message}`).join('\n'))
  const at = (place: readonly PropertyKey[]) => `${path}:${lineOf(tree, lines, place)}:`
  const value = plainOf(path, tree)
  if (!Array.isArray(value) || value.length === 0)
    throw new Failure(`${path}:1: must be a list of calls with their expected effect: [{ tool, args, effect }]`)
  const { data, error } = z.array(Case).safeParse(value, { reportInput: true })
  if (data) return data.map((one, index) => ({ ...one, line: lineOf(tree, lines, [index]) }))
  const wrong = error.issues.flatMap((issue) => {
    const message = describeIssue([issue], 'the file')
    if (issue.code !== 'unrecognized_keys') return [`${at(issue.path)} ${message}`]
    const known = fieldsOf[String(issue.path.at(-1))] ?? Object.keys(Case.shape)
    return issue.keys.map((key) => {
      const suggestion = didYouMean(key, known)
      return `${at([...issue.path, key])} ${message}: ${key}${suggestion ? `; ${suggestion}` : ''}`
    })
  })
  throw new Failure(wrong.join('\n'))
}
