import pg from 'pg'
import { connectEmbedded } from '../../packages/server/src/db/embedded/connect-embedded.ts'
import { invariants } from './invariants.ts'

/** Runs statements on the embedded database of a running server, as its owner. */
export async function withOwner<T>(dataDir: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const found = await connectEmbedded(dataDir)
  if (!found) throw new Error(`no embedded database runs on ${dataDir}`)
  const client = new pg.Client({ connectionString: found.ownerUrl })
  // A connection that is lost tells its statements; unheard, the event would end the tests.
  client.on('error', () => {})
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** What breaks an invariant in a tenant: its sentence, and the first rows that show it. Empty when all hold. */
export async function findBroken(client: pg.Client, tenantId: string): Promise<Record<string, unknown[]>> {
  const broken: Record<string, unknown[]> = {}
  for (const [sentence, text] of Object.entries(invariants)) {
    const { rows } = await client.query(text, [tenantId])
    if (rows.length > 0) broken[sentence] = rows.slice(0, 5)
  }
  return broken
}
