import { setTimeout as pause } from 'node:timers/promises'
import { raw } from '../../db/statements/statement.ts'
import { noRoom } from '../../http/answers/errors.ts'
import type { Services } from '../../services.ts'

const patienceMs = 2000
const redisDown = 'Redis does not answer: each instance applies the rate limits separately'

/**
 * `fault` says why the process cannot serve requests. `degraded` lists the services that are missing although the process can
 * still serve requests.
 */
export type Readiness = { fault: string } | { degraded: string[] }

type Checked = Pick<Services, 'db' | 'lifecycle' | 'rateLimits' | 'diskRoom'>

/** Checks whether the process can serve requests. Waits at most two seconds for the database. */
export async function checkReadiness({ db, lifecycle, rateLimits, diskRoom }: Checked): Promise<Readiness> {
  if (lifecycle.draining) return { fault: 'the server is stopping' }
  if (db.isFull || (await diskRoom.isFull())) return { fault: noRoom }
  const answered = db.global.one(raw('select 1 as answered', [])).then(
    () => true,
    () => false,
  )
  const inTime = await Promise.race([answered, pause(patienceMs, false, { ref: false })])
  if (!inTime) return { fault: 'the database does not answer' }
  return { degraded: rateLimits.redis === 'down' ? [redisDown] : [] }
}
