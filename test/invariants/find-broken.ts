import pg from 'pg'
import { connectEmbedded } from '../../packages/embedded-postgres/src/connect-embedded.ts'
import { invariants } from './invariants.ts'

/** Runs `work` on the embedded database of a running server, as the owner role. */
export async function withOwner<T>(dataDir: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const found = await connectEmbedded(dataDir)
  if (!found) throw new Error(`no embedded database runs on ${dataDir}`)
  const client = new pg.Client({ connectionString: found.ownerUrl })
  // A lost connection fails its statements. Without this listener, the error event would also end the test process.
  client.on('error', () => {})
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** Finds broken invariants of a tenant. Returns each invariant's text with the first rows that break it. */
export async function findBroken(client: pg.Client, tenantId: string): Promise<Record<string, unknown[]>> {
  const broken: Record<string, unknown[]> = {}
  for (const [sentence, text] of Object.entries(invariants)) {
    const { rows } = await client.query(text, [tenantId])
    if (rows.length > 0) broken[sentence] = rows.slice(0, 5)
  }
  return broken
}
