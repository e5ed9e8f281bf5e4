import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolder } from '@mandate/edge/state/make-folder'
import { takeSnapshot } from '@mandate/policy/snapshot'
import type { Snapshot } from '@mandate/policy/types'
import { canonicalJson } from '@mandate/proofs/canonical'
import type { Client } from '@mandate/sdk/client'
import { MandateError } from '@mandate/sdk/mandate-error'
import type { Schema } from '@mandate/sdk/operation'
import { eachOf } from '@mandate/sdk/pages'
import { connect } from '../connection/connect.ts'
import { type Environments, environmentId, slugOf } from '../find/find-environment.ts'
import { policyId } from '../find/find-policy.ts'
import { Failure, usageFailure } from '../invocation/failure.ts'
import { pathOf } from '../invocation/invocation.ts'
import { note } from '../output/note.ts'
import { print } from '../output/print.ts'
import { refuseFaults, sameIdFaults } from './files/distinct-files.ts'
import { type KnownFile, pathsIn, readKnownFile } from './files/known-file.ts'
import { snapshotOf, withRuleIds } from './files/policy-content.ts'
import { type PolicyFile, writeWhole } from './files/policy-file.ts'
import { distinctPaths, isFolder, isPolicyFile, policyPaths } from './files/policy-paths.ts'
import { newFileText, updatedText } from './files/policy-tree.ts'
import { readStored, type Stored } from './stored-policies.ts'

export interface PullOptions {
  all?: boolean
  dir: string
  force?: boolean
  stdout?: boolean
}

type Policy = Schema<'Policy'>

/**
 * Writes policies to files. Updates a policy's existing file and keeps its comments, or creates a new file in `dir`.
 * @param named ids or names of policies, or files and folders from an earlier pull
 * @throws Failure that lists the files that could not be updated; all other files are written first
 */
export async function pullPolicies(named: string[], { all = false, dir, force = false, stdout = false }: PullOptions) {
  if (all === named.length > 0) throw usageFailure('give either the policies or files to pull, or --all')
  const given = await policyPaths(await asyncFilter(named, isPathGiven))
  const paths = await distinctPaths([...given, ...(stdout ? [] : await pathsIn(dir))])
  const files = await Promise.all(paths.map(readKnownFile))
  refuseFaults(sameIdFaults(files))
  const { client, url } = await connect()
  const stored = await readStored(
    client,
    files.map(({ id }) => id),
  )
  const { environments } = stored
  for (const file of files) await findByName(file, stored)
  refuseFaults(sameIdFaults(files))
  const byId = filesById(files)
  const wanted: Policy[] = []
  if (all) {
    const policies = eachOf(client, 'listPolicies', { query: { include: ['rules'] } })
    for await (const policy of policies) wanted.push(policy as Policy)
  }
  for (const id of await idsOf(client, named, files.slice(0, given.length))) {
    wanted.push(await client.call('getPolicy', { path: { policy_id: id } }))
  }
  const problems: string[] = []
  for (const policy of wanted) {
    const environment = policy.environment_id === null ? null : slugOf(environments, policy.environment_id)
    if (stdout) print(newFileText(policy, environment, url).trimEnd())
    else {
      const place = { environment, environments, known: byId.get(policy.id), dir, force, url }
      await pullOne(client, policy, place).catch((error) => problems.push(problemOf(error)))
    }
  }
  if (problems.length > 0)
    throw new Failure(problems.join('\n'), {
      hint: 'to overwrite these files with the policies of the control plane, add --force',
    })
}

interface Place {
  environment: string | null
  environments: Environments
  known: KnownFile | undefined
  dir: string
  force: boolean
  /** The address of the control plane. */
  url: string
}

function problemOf(error: unknown): string {
  if (error instanceof Failure) return error.message
  throw error
}

async function pullOne(client: Client, policy: Policy, { environment, environments, known, dir, force, url }: Place) {
  if (!known) {
    await makeFolder(pathOf(dir))
    const path = await freePath(dir, policy)
    await writeWhole(path, newFileText(policy, environment, url))
    return note(`${path}: version ${policy.version}`)
  }
  const { path, file, fault } = known
  if (!file) {
    if (!force) throw new Failure(`${fault}`)
    await writeWhole(path, newFileText(policy, environment, url))
    return note(`${path}: replaced the invalid file with version ${policy.version}`)
  }
  if (!force && (await hasOwnChanges(client, file, policy, environments))) {
    throw new Failure(`${path} has changes that were not pushed; to see them: mandate policies diff ${path}`)
  }
  const text = updatedText(file, policy, environment)
  if (text !== undefined) await writeWhole(path, text)
  note(`${path}: ${text === undefined ? 'unchanged, ' : ''}version ${policy.version}`)
}

/** Whether the file differs from the version that it is based on. A file without a version is compared with the policy. */
async function hasOwnChanges(client: Client, { content }: PolicyFile, policy: Policy, environments: Environments) {
  const base = content.version === undefined ? (policy as Snapshot) : await versionOf(client, policy, content.version)
  if (!base) return true
  const environment_id = content.environment === null ? null : environmentId(environments, content.environment)
  const ours = snapshotOf(withRuleIds(content, base.rules), environment_id, base.rules)
  return canonicalJson(takeSnapshot(base)) !== canonicalJson(ours)
}

async function versionOf(
  client: Client,
  { id, version: current }: Policy,
  version: number,
): Promise<Snapshot | undefined> {
  if (version > current) return undefined
  try {
    const found = await client.call('getPolicyVersion', { path: { policy_id: id, version } })
    return found.snapshot as Snapshot
  } catch (error) {
    if (error instanceof MandateError && error.status === 404) return undefined
    throw error
  }
}

const isPathGiven = async (name: string) => isPolicyFile(name) || (await isFolder(name))

async function asyncFilter<T>(all: readonly T[], keeps: (one: T) => Promise<boolean>): Promise<T[]> {
  const kept = await Promise.all(all.map(keeps))
  return all.filter((_, at) => kept[at])
}

/** Gives a valid file without an id the id of the only policy with its name and environment. */
async function findByName(known: KnownFile, { environments, named }: Stored): Promise<void> {
  const { file, id } = known
  if (!file || id !== undefined) return
  const environment = idOfEnvironment(environments, file.content.environment)
  if (environment === undefined) return
  const [found, another] = await named(file.content.name, environment)
  if (another === undefined) known.id = found
}

/** Like `environmentId`. Returns undefined if there is no such environment, and null for a policy of all environments. */
function idOfEnvironment(environments: Environments, named: string | null): string | null | undefined {
  try {
    return named === null ? null : environmentId(environments, named)
  } catch (error) {
    if (error instanceof Failure) return undefined
    throw error
  }
}

/** Maps policy ids to files. An invalid file without an id was never pushed, so it is skipped with a warning. */
function filesById(files: KnownFile[]): Map<string, KnownFile> {
  const byId = new Map<string, KnownFile>()
  for (const known of files) {
    if (known.id !== undefined) byId.set(known.id, known)
    else if (known.fault !== undefined) note(`warning: ${known.fault}\n  the file has no policy id and is skipped`)
  }
  return byId
}

/** Returns the ids of the requested policies. The ids from policy files come first. */
async function idsOf(client: Client, named: string[], files: KnownFile[]): Promise<string[]> {
  const ids: string[] = []
  for (const { path, id } of files) {
    if (id === undefined) throw new Failure(`${path} has no policy id, because it has not been pushed yet`)
    ids.push(id)
  }
  for (const name of named) if (!(await isPathGiven(name))) ids.push(await policyId(client, name))
  return [...new Set(ids)]
}

/** An unused path, derived from the policy's name. */
async function freePath(dir: string, { id, name }: Policy): Promise<string> {
  const slug = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 60)
  const plain = join(dir, `${slug || 'policy'}.yaml`)
  const taken = await access(pathOf(plain)).then(
    () => true,
    () => false,
  )
  return taken ? join(dir, `${slug || 'policy'}-${id.slice(-8)}.yaml`) : plain
}
