import { access, mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { canonicalJson } from '@mandate/policy/canonical'
import { takeSnapshot } from '@mandate/policy/snapshot'
import type { Snapshot } from '@mandate/policy/types'
import type { Client } from '@mandate/sdk/client'
import { MandateError } from '@mandate/sdk/mandate-error'
import type { Schema } from '@mandate/sdk/operation'
import { eachOf } from '@mandate/sdk/pages'
import { connect } from '../connection/connect.ts'
import { Failure, usageFailure } from '../failure.ts'
import { allEnvironments, environmentId } from '../find-environment.ts'
import { note } from '../output/note.ts'
import { print } from '../print.ts'
import { type Environments, slugOf } from './compare-file.ts'
import { policyId } from './find-policy.ts'
import { snapshotOf } from './policy-content.ts'
import { type PolicyFile, readPolicyFile, writeWhole } from './policy-file.ts'
import { newPolicyText, textOf, updateTree } from './policy-tree.ts'

export interface PullOptions {
  all?: boolean
  dir: string
  force?: boolean
  stdout?: boolean
}

type Policy = Schema<'Policy'>

/**
 * Writes policies into files: into those they are in already, changing what differs and keeping comments, and into new ones in `dir`.
 * @param named policies by id or name, or files (`*.yaml`) that have been pulled before
 */
export async function pullPolicies(named: string[], { all = false, dir, force = false, stdout = false }: PullOptions) {
  if (all === named.length > 0) throw usageFailure('name the policies or files to pull, or give --all')
  const { client } = await connect()
  const environments = await allEnvironments(client)
  const files = new Map<string, PolicyFile>()
  const wanted: Policy[] = []
  const known = stdout ? [] : await filesIn(dir)
  for (const file of [...known, ...(await filesNamed(named))]) if (file.content.id) files.set(file.content.id, file)
  if (all) for await (const policy of eachOf(client, 'listPolicies')) wanted.push(policy)
  for (const one of named) wanted.push(await policyNamed(client, one))
  for (const policy of wanted) {
    const environment = policy.environment_id === null ? null : slugOf(environments, policy.environment_id)
    if (stdout) print(newPolicyText(policy, environment).trimEnd())
    else await pullOne(client, policy, { environment, environments, file: files.get(policy.id), dir, force })
  }
}

interface Place {
  environment: string | null
  environments: Environments
  file: PolicyFile | undefined
  dir: string
  force: boolean
}

async function pullOne(client: Client, policy: Policy, { environment, environments, file, dir, force }: Place) {
  if (!file) {
    await mkdir(dir, { recursive: true })
    const path = await freePath(dir, policy)
    await writeWhole(path, newPolicyText(policy, environment))
    return note(`${path}: version ${policy.version}`)
  }
  if (!force && (await hasOwnChanges(client, file, policy, environments))) {
    throw new Failure(`${file.path} has changes that were not pushed`, {
      hint: `mandate policies diff ${file.path} shows them; --force drops them`,
    })
  }
  const changed = updateTree(file.tree, policy, environment)
  if (changed) await writeWhole(file.path, textOf(file.tree))
  note(`${file.path}: ${changed ? '' : 'unchanged, '}version ${policy.version}`)
}

/** Whether the file says something else than the version it is based on. */
async function hasOwnChanges(client: Client, { content }: PolicyFile, policy: Policy, environments: Environments) {
  if (content.version === undefined) return true
  const base = await versionOf(client, policy, content.version)
  if (!base) return true
  const environment_id = content.environment === null ? null : environmentId(environments, content.environment)
  const ours = snapshotOf(content, environment_id, base.rules)
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

const isFile = (name: string) => /\.ya?ml$/.test(name)

async function policyNamed(client: Client, named: string): Promise<Policy> {
  const id = isFile(named) ? (await readPolicyFile(named)).content.id : await policyId(client, named)
  if (id === undefined) throw new Failure(`${named} names no policy: it has not been pushed yet`)
  return await client.call('getPolicy', { path: { policy_id: id } })
}

async function filesNamed(named: string[]): Promise<PolicyFile[]> {
  return await Promise.all(named.filter(isFile).map(readPolicyFile))
}

/** The policy files of a folder. One that cannot be read stops the pull: its policy would be written a second time. */
async function filesIn(dir: string): Promise<PolicyFile[]> {
  const names = await readdir(dir).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  return await Promise.all(names.filter(isFile).map((name) => readPolicyFile(join(dir, name))))
}

/** A path after the policy's name that is not taken. */
async function freePath(dir: string, { id, name }: Policy): Promise<string> {
  const slug = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 60)
  const plain = join(dir, `${slug || 'policy'}.yaml`)
  const taken = await access(plain).then(
    () => true,
    () => false,
  )
  return taken ? join(dir, `${slug || 'policy'}-${id.slice(-8)}.yaml`) : plain
}
