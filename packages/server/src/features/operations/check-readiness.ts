import { setTimeout as pause } from 'node:timers/promises'
import { raw } from '../../db/statement.ts'
import type { Services } from '../../services.ts'

const patienceMs = 2000

/** Why the process should get no requests, or null when it should. */
export async function checkReadiness({ db, lifecycle }: Pick<Services, 'db' | 'lifecycle'>): Promise<string | null> {
  if (lifecycle.draining) return 'the server is stopping'
  const answered = db.global.one(raw('select 1 as answered', [])).then(
    () => true,
    () => false,
  )
  const inTime = await Promise.race([answered, pause(patienceMs, false, { ref: false })])
  return inTime ? null : 'the database does not answer'
}
