import { text } from 'node:stream/consumers'
import { CountedUses } from '@mandate/policy/counted-uses'
import { compilePolicy, evaluate } from '@mandate/policy/evaluate'
import type { Rule } from '@mandate/policy/types'
import type { Schema } from '@mandate/sdk'
import { connect } from '../connection/connect.ts'
import { matchesText, type PatternNames, patternNames } from '../content/matches.ts'
import { findEnvironment } from '../find/find-environment.ts'
import { policyId } from '../find/find-policy.ts'
import { usageFailure } from '../invocation/failure.ts'
import { invocation } from '../invocation/invocation.ts'
import { readTextFile } from '../invocation/read-text-file.ts'
import { dataFormat, type OutputOptions, printData } from '../output/format.ts'
import { note } from '../output/note.ts'
import { showRows } from '../output/show.ts'
import type { Column } from '../output/table.ts'
import { AllFailures } from './all-failures.ts'
import { askEnvironments, environmentOf, knownEnvironment } from './environment-faults.ts'
import { sameIdFaults, sameNameFaults, withId } from './files/distinct-files.ts'
import { parseYaml, plainOf } from './files/parse-yaml.ts'
import { type PolicyContent, snapshotOf } from './files/policy-content.ts'
import { type PolicyFile, readPolicyFile } from './files/policy-file.ts'
import { isPolicyFile, policyPaths } from './files/policy-paths.ts'
import { type Call, checkCall, readCalls } from './files/read-cases.ts'

/**
 * Validates policy files as a push does. Needs no control plane, but asks one whether the environments exist if it can.
 * @throws Failure that lists every error of every file
 */
export async function validateFiles(given: string[], options: OutputOptions): Promise<void> {
  const format = dataFormat(options)
  const failures = new AllFailures()
  const results: object[] = []
  const files: PolicyFile[] = []
  let asked: ReturnType<typeof askEnvironments> | undefined
  for (const path of await policyPaths(given)) {
    const before = failures.all.length
    const [file] = await failures.of([path], readPolicyFile)
    const named = environmentOf(file ?? failures.all.at(-1))
    if (named) asked ??= askEnvironments()
    const environments = named && (await asked)
    if (environments) await failures.of([named], async (one) => knownEnvironment(one, environments))
    if (file) files.push(file)
    const warnings = file?.warnings ?? []
    for (const warning of warnings) note(`warning: ${warning}`)
    const errors = failures.all.slice(before).flatMap(({ message }) => message.split('\n'))
    results.push(errors.length > 0 ? { file: path, valid: false, errors } : { file: path, valid: true, warnings })
    if (!format && errors.length === 0) note(`${path}: valid`)
  }
  failures.add([...sameIdFaults(files.map(withId)), ...sameNameFaults(files)])
  if (format) printData(results, format, options)
  failures.throwAny()
}

export interface SimulateOptions extends OutputOptions {
  tool?: string
  args?: string
  agent?: string
  environment?: string
  session?: string
  inventory?: string
  calls?: string
  replay?: string
}

export interface Decided {
  tool: string
  effect: 'allow' | 'deny' | 'require_approval'
  rule: string | null
  reason: string
  undecided: string | null
  /** The rule whose limit is used up. */
  over_limit: { rule_id: string; uses: number | null; reason: string } | null
  /** Matches of content rules, and the labels that they give. A file has no content rules, so these are absent. */
  content?: Schema<'ContentMatch'>[]
  labels?: string[]
}

const colors = { allow: 'green', deny: 'red', require_approval: 'yellow' } as const

/** Simulates calls. The control plane decides for a stored policy; for a file, the same evaluator runs here. */
export async function simulatePolicy(named: string, { replay, ...options }: SimulateOptions): Promise<void> {
  if (replay !== undefined) {
    const { tool, calls, inventory, args, agent, environment, session } = options
    if ([tool, calls, inventory, args, agent, environment, session].some((one) => one !== undefined))
      throw usageFailure('--replay decides recorded calls, so it takes no call and no inventory')
    return await (await import('./replay.ts')).replayPolicy(named, replay, options)
  }
  const calls = await callsOf(options)
  const isFile = isPolicyFile(named)
  if (isFile && options.inventory !== undefined) throw usageFailure('a policy file is decided without --inventory')
  const { decided, nameOf } = isFile
    ? { decided: await simulateFile(named, calls), nameOf: undefined }
    : await simulateStored(named, calls, options)
  await showRows(
    decided,
    options,
    [
      { title: 'EFFECT', value: ({ effect }) => effect, color: ({ effect }) => colors[effect] },
      { title: 'TOOL', value: ({ tool }) => tool },
      { title: 'RULE', value: ({ rule }) => rule ?? '(default)' },
      ...(nameOf ? contentColumns(nameOf) : []),
      { title: 'REASON', value: reasonOf },
    ],
    'No calls.',
  )
}

const contentColumns = (nameOf: PatternNames): Column<Decided>[] => [
  { title: 'CONTENT', value: ({ content = [] }) => matchesText(content, nameOf) },
  { title: 'LABELS', value: ({ labels = [] }) => labels.join(', ') },
]

function reasonOf({ undecided, rule, reason, effect, over_limit }: Decided): string {
  if (undecided) return `${undecided} could not be decided`
  // The reason of the default effect names the limit already.
  if (over_limit === null || rule === null || effect === 'allow') return reason
  return reason ? `${reason} (${over_limit.reason})` : over_limit.reason
}

async function simulateFile(path: string, calls: Call[]): Promise<Decided[]> {
  return decideCalls((await readPolicyFile(path)).content, calls)
}

/** Decides calls by a policy file, with the evaluator of the edge. */
export function decideCalls(content: PolicyContent, calls: readonly Call[]): Decided[] {
  const snapshot = snapshotOf(content, null)
  const policy = compilePolicy(snapshot)
  const uses = new CountedUses()
  return calls.map(({ tool, args = {}, agent = {}, environment = {}, session, inventory }) => {
    const call = {
      ...{ tool, args, agent, environment, uses: uses.of(agent) },
      session: session && { labels: new Set(session.labels), calls: session.calls ?? 0 },
      inventory: inventory && { labels: new Set(inventory.labels), state: inventory.state },
    }
    const verdict = evaluate(policy, call)
    uses.count(policy, agent, verdict)
    return decidedBy(snapshot.rules, { tool, ...verdict })
  })
}

async function simulateStored(
  named: string,
  calls: Call[],
  { inventory, ...options }: SimulateOptions,
): Promise<{ decided: Decided[]; nameOf: PatternNames }> {
  const { client } = await connect()
  const path = { policy_id: await policyId(client, named) }
  const { rules } = await client.call('getPolicy', { path })
  const place = inventory === undefined ? {} : { environment_id: await findEnvironment(client, inventory) }
  const { results } = await client.call('simulatePolicy', { path, body: { calls, ...place } })
  const matches = results.flatMap(({ content }) => content)
  return {
    decided: results.map((result) => decidedBy(rules as Rule[], result)),
    nameOf: await patternNames(client, matches, options),
  }
}

function decidedBy(rules: readonly Rule[], result: Omit<Decided, 'rule'> & { rule_id: string | null }): Decided {
  const { rule_id, ...rest } = result
  const rule = rules.find(({ id }) => id === rule_id)
  return { ...rest, rule: rule ? rule.name || rule.id : null }
}

async function callsOf({ tool, args, agent, environment, session, calls }: SimulateOptions): Promise<Call[]> {
  if ((tool === undefined) === (calls === undefined))
    throw usageFailure('give --tool, --calls with a file of calls, or --replay')
  if (tool !== undefined) {
    const given = { args, agent, environment, session }
    return [checkCall(Object.assign({ tool }, ...Object.entries(given).map(([name, json]) => facts(name, json))))]
  }
  return calls === '-'
    ? readCalls('standard input', await text(invocation().stdin))
    : readCalls(calls!, await readTextFile(calls!))
}

function facts(name: string, json: string | undefined): Record<string, Record<string, unknown>> {
  if (json === undefined) return {}
  const value = parsed(`--${name}`, json)
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw usageFailure(`--${name} must be a JSON object`)
  return { [name]: value as Record<string, unknown> }
}

// The YAML parser also accepts JSON, and JSON whose quotes the shell removed.
function parsed(name: string, source: string): unknown {
  const { tree, faults } = parseYaml(source)
  const [fault] = faults
  if (fault) throw usageFailure(`cannot parse ${name}: line ${fault.line}, column ${fault.column}: ${fault.message}`)
  return plainOf(name, tree, usageFailure)
}
