import { effects, missingValueTexts } from '@mandate/contract/words/policy-words'
import type { Snapshot } from '@mandate/policy/types'
import type { Client } from '@mandate/sdk/client'
import type { Input, Schema } from '@mandate/sdk/operation'
import { connect } from '../connection/connect.ts'
import { readEnvironments } from '../find/find-environment.ts'
import { policyId } from '../find/find-policy.ts'
import { Failure, usageFailure } from '../invocation/failure.ts'
import { counted } from '../output/counted.ts'
import { dataFormat, type OutputOptions, printData } from '../output/format.ts'
import { note } from '../output/note.ts'
import { print } from '../output/print.ts'
import { type Column, formatTable, minute } from '../output/table.ts'
import { compareFile } from './compare-file.ts'
import { readPolicyFile } from './files/policy-file.ts'
import { isPolicyFile } from './files/policy-paths.ts'
import { argumentPaths, findReplayGaps, type Keeping } from './replay-gaps.ts'
import { readStored } from './stored-policies.ts'

type Replay = Schema<'DecisionReplay'>

/**
 * Decides the recorded calls of a policy again, with a policy file or with the stored policy. Says first what cannot be decided again, and why.
 * @param span how far back, such as `7d`
 */
export async function replayPolicy(named: string, span: string, options: OutputOptions): Promise<void> {
  const days = daysOf(span)
  const { client } = await connect()
  const { policy_id, document, rules } = isPolicyFile(named)
    ? await ofFile(client, named)
    : await ofStored(client, named)
  const keeping = await readKeeping(client, policy_id)
  for (const gap of findReplayGaps(rules, keeping)) note(`cannot be decided again: ${gap}`)
  const body = { replay: { days }, ...(document && { document }) }
  const { replay } = await client.call('simulatePolicy', { path: { policy_id }, body })
  if (!replay) throw new Failure('the control plane returned no replay')
  const format = dataFormat(options)
  if (format) return printData(replay, format, options)
  for (const line of linesOf(replay, rules.rules)) print(line)
}

/** @throws Failure unless the text is a number of days or weeks that the control plane replays */
function daysOf(span: string): number {
  const [, count, unit] = /^(\d{1,3})([dw])$/.exec(span) ?? []
  const days = Number(count) * (unit === 'w' ? 7 : 1)
  if (!(days >= 1 && days <= 30)) throw usageFailure(`--replay takes 1d to 30d, such as 7d, or 1w to 4w; not ${span}`)
  return days
}

/** Reads what records of the policy have of the arguments. */
async function readKeeping(client: Client, policy_id: string): Promise<Keeping> {
  const stored = await client.call('getPolicy', { path: { policy_id } })
  const read = argumentPaths(stored.rules as Snapshot['rules'])
  const environments = await readEnvironments(client)
  // Then it is not known, and the replay says what is missing.
  if (environments === undefined) return { isOn: true, read }
  const isOn = environments.some(
    ({ id, keep_arguments_for_replay: keeps }) =>
      keeps && (stored.environment_id === null || stored.environment_id === id),
  )
  return { isOn, read }
}

interface Replayed {
  policy_id: string
  /** Undefined for the stored policy. */
  document?: Input<'simulatePolicy'>['body']['document']
  rules: Pick<Snapshot, 'rules' | 'dlp_enabled'>
}

async function ofFile(client: Client, path: string): Promise<Replayed> {
  const file = await readPolicyFile(path)
  for (const warning of file.warnings) note(`warning: ${warning}`)
  const { policy, ours, file: compared } = await compareFile(client, file, await readStored(client, [file.content.id]))
  if (!policy) {
    throw new Failure(`${path}: the policy is not at the control plane, so no call was decided by it`, {
      hint: `to try calls without a replay: mandate policies simulate ${path} --tool …`,
    })
  }
  const { id: _, version: __, environment: ___, ...content } = compared.content
  return { policy_id: policy.id, document: { ...content, environment_id: ours.environment_id }, rules: ours }
}

async function ofStored(client: Client, named: string): Promise<Replayed> {
  const policy_id = await policyId(client, named)
  const policy = await client.call('getPolicy', { path: { policy_id } })
  return { policy_id, rules: policy as Pick<Snapshot, 'rules' | 'dlp_enabled'> }
}

function linesOf(replay: Replay, rules: Snapshot['rules']): string[] {
  const { from, to, decisions, changed, undecidable, complete, agents, totals, examples } = replay
  const span = `from ${minute(from)} to ${minute(to)} UTC`
  const lines = [
    `${counted(decisions, 'recorded call')} of ${counted(agents.total, 'agent')} ${span}: ${changed} would change, ${undecidable} cannot be decided again.`,
  ]
  if (!complete) lines.push('There are more kinds of calls than one replay decides; these are the most frequent ones.')
  lines.push(...argumentLines(replay))
  if (totals.length > 0) lines.push('', ...formatTable(totals.toSorted(byEffect), totalColumns))
  if (examples.length > 0) lines.push('', ...formatTable(examples, exampleColumns(rules)))
  return lines
}

function argumentLines({ arguments: { decided, missing } }: Replay): string[] {
  const lines = missing.map(({ path, because, calls }) => {
    const why = missingValueTexts[because] ?? `the edge did not keep it (${because})`
    return `${path} is missing for ${counted(calls, 'call')}: ${why}.`
  })
  if (decided === 0) return lines
  return [`${decided} ${decided === 1 ? 'call was' : 'calls were'} decided by kept arguments.`, ...lines]
}

type Total = Replay['totals'][number]
type Example = Replay['examples'][number]

const byEffect = (one: Total, other: Total) =>
  effects.indexOf(one.was) - effects.indexOf(other.was) || other.calls - one.calls
const newEffect = ({ would_be }: Pick<Total, 'would_be'>) => would_be ?? 'undecidable'

const totalColumns: Column<Total>[] = [
  { title: 'WAS', value: ({ was }) => was },
  { title: 'WOULD_BE', value: newEffect },
  { title: 'CALLS', value: ({ calls }) => calls },
  { title: 'ENFORCED', value: ({ enforced }) => enforced },
]

function exampleColumns(rules: Snapshot['rules']): Column<Example>[] {
  const nameOf = (id: string) => rules.find((rule) => rule.id === id)?.name || id
  return [
    { title: 'TOOL', value: ({ tool }) => tool },
    { title: 'WAS', value: ({ was }) => was },
    { title: 'WOULD_BE', value: newEffect },
    {
      title: 'RULE',
      value: ({ rule_id, would_be }) => (rule_id === null ? (would_be === null ? null : '(default)') : nameOf(rule_id)),
    },
    { title: 'UNDECIDABLE', value: ({ undecidable }) => undecidable.join(', ') },
    { title: 'CALLS', value: ({ calls }) => calls },
    { title: 'AGENT', value: ({ agent }) => agent?.name },
  ]
}
