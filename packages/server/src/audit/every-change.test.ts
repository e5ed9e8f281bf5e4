import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const sources = globSync(['features/**/*.ts', 'commands/**/*.ts'], { cwd: root })
  .filter((file) => !file.endsWith('.test.ts'))
  .sort()
const textOf = (file: string) => readFileSync(join(root, file), 'utf8')

const ofAccount = 'a sign-in account and its sessions belong to no tenant, so to no tenant’s trail'
const ofEdge = 'reports of agents are not audit entries'

/** Files that open a transaction but record no audit entry. Each has the reason. */
const recordNothing: Record<string, string> = {
  'commands/open-for-operator.ts': 'opens the transaction for the operator’s commands, and these record the entry',
  'commands/reseal-secrets.ts': 'changes only the key that encrypts secrets',
  'features/agents/list/count-facets.ts': 'reads',
  'features/agents/list/read-agents.ts': 'reads',
  'features/agents/timeline/read-timeline.ts': 'reads',
  'features/auth/password/change-password.ts': ofAccount,
  'features/audit-trail/list-entries.ts': 'reads',
  'features/audit-trail/start-verification.ts': 'starts a job that only reads the trail',
  'features/audit-trail/verify-trails.ts': 'stores the result of a verification',
  'features/auth/password/forgot-password.ts': ofAccount,
  'features/auth/federated/create-code.ts': ofAccount,
  'features/auth/account/identity-db.ts': ofAccount,
  'features/auth/device/mail-sign-in-link.ts': ofAccount,
  'features/content/get-content-key.ts': 'creates a key that only edges read; it changes nothing for people',
  'features/delegations/delete-expired.ts': 'deletes delegations that expired some days ago',
  'features/decisions/store/create-edge-key.ts': 'the trail gets the id of the key with the first hash of its chain',
  'features/decisions/expiry/expire-decisions.ts': 'deletes decisions whose retention is over',
  'features/decisions/list/get-decision.ts': 'reads',
  'features/decisions/list/list-decisions.ts': 'reads',
  'features/decisions/list/read-for-stream.ts': 'reads',
  'features/decisions/counts/read-timeline.ts': 'reads',
  'features/decisions/counts/read-usage.ts': 'reads',
  'features/decisions/store/store-unsigned.ts': ofEdge,
  'features/edge/confirmations/store-confirmations.ts': ofEdge,
  'features/edge-push/carry-agents.ts': 'writes events about the agents that an edge carries',
  'features/edge/profiles/current-profiles.ts': 'stores only the numbers of the profiles that edges receive',
  'features/edge/profiles/get-mission-profile.ts': 'stores only the number of the profile that an edge receives',
  'features/edge/instances/mark-late-instances.ts':
    'marks instances without a recent heartbeat, so that reads find them',
  'features/edge/instances/note-silence.ts': 'writes events about heartbeats',
  'features/edge/reach/report-evidence.ts': ofEdge,
  'features/edge/heartbeats/store-heartbeat.ts': ofEdge,
  'features/edge/instances/sweep-stopped-instances.ts': 'deletes old rows about heartbeats',
  'features/events/stream/keep-listening.ts': 'stores that a stream of decisions is open',
  'features/freezes/change/close-drills.ts': 'stores how far a drill reached',
  'features/models/list-models.ts': 'reads',
  'features/operations/count-for-metrics.ts': 'stores counts that metrics show',
  'features/policies/simulate/replay-decisions.ts': 'reads',
  'features/tools/list/count-tools.ts': 'reads',
  'features/tools/change/expire-tools.ts':
    'deletes tools that nobody decided about and that no server declared for 30 days',
  'features/tools/report/report-tools.ts': ofEdge,
  'features/tools/changed-tools/sweep-changed-tools.ts':
    'stores for which changes findings were settled; the verb of findings records them',
  'features/reports/make/start-lease-renewal.ts': 'stores how far a report is',
  'features/policies/versions/record-missing-histories.ts':
    'stores the first version of policies that are older than versioning',
}

const opensTransaction = (text: string) => /\binTenant\(|\.transaction\(/.test(text)
const records = (text: string) => /\brecordAudit\(/.test(text)
const importsOf = (file: string) =>
  [...textOf(file).matchAll(/from '(\.[^']+\.ts)'/g)].map((match) =>
    relative(root, join(root, dirname(file), match[1]!)),
  )

/**
 * True if the file records an audit entry, or if it imports a file of a feature or of `agent-state` that records one.
 */
const isAudited = (file: string) =>
  [file, ...importsOf(file).filter((other) => /^(features|agent-state)\//.test(other))].some((each) =>
    records(textOf(each)),
  )

describe('every change is audited', () => {
  const changing = sources.filter((file) => opensTransaction(textOf(file)))

  it('a file that opens a transaction records an audit entry, or is listed with the reason why not', () => {
    expect(changing.length).toBeGreaterThan(25)
    expect(changing.filter((file) => !isAudited(file) && !recordNothing[file])).toEqual([])
  })

  it('every listed file opens a transaction and records no entry', () => {
    expect(Object.keys(recordNothing).filter((file) => !changing.includes(file) || isAudited(file))).toEqual([])
  })
})
