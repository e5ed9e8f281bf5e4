import type { KeptArgument, KeptArguments } from '@mandate/contract/kept-arguments'
import { type KnownArguments, recordedArguments } from '@mandate/policy/known-arguments'
import type { Sql } from '../../../db/database.ts'
import { raw } from '../../../db/statements/statement.ts'

/** What is stored of the arguments of a decision. */
export type StoredArguments = Pick<KeptArguments, 'undeclared' | 'readings'>

/** SQL condition: the environment of the row `r` of `decision_arguments` keeps arguments. Otherwise nobody sees what it kept before. */
export const isStillKept = `exists (select from environments e
  where e.tenant_id = r.tenant_id and e.id = r.environment_id and e.keep_arguments_for_replay)`

/** Returns what is kept of the arguments of a decision that the caller sees. Null if nothing is kept. */
export async function findKept(db: Sql, decisionId: string): Promise<StoredArguments | null> {
  const text = `select r.arguments from decision_arguments r where r.tenant_id = $1 and r.decision_id = $2 and ${isStillKept}`
  return (await db.maybe(raw<{ arguments: StoredArguments }>(text, [db.tenantId, decisionId])))?.arguments ?? null
}

/** What is known of the arguments, for each way in which the edge read them. */
export function readingsOf({ readings, undeclared }: StoredArguments): KnownArguments[] {
  return readings.map((reading) => recordedArguments(reading, undeclared))
}

/** Why the value at a path is not known: the word of the record, or `not_recorded` if the record does not have the path. */
export function whyUnknown(kept: StoredArguments | null, path: string): string {
  const found = kept?.readings.map((reading) => reading.find((one) => one.path === path)) ?? []
  const because = found.find((one): one is KeptArgument => one?.state === 'not_kept')?.because
  return because ?? 'not_recorded'
}
