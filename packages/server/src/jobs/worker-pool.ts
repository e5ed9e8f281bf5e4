import pg from 'pg'
import { keepalives } from '../db/keepalives.ts'
import { WatchedClient } from '../db/watched-client.ts'

type Connected = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  release: (release?: unknown) => void,
) => void

/**
 * The connections of the job worker. Errors of `connect` have no error code: the worker's library waits up to two minutes after some
 * codes, for example "the database system is starting up". Without a code it retries every second.
 */
export class WorkerPool extends pg.Pool {
  constructor(ownerUrl: string) {
    // The types do not have `Client`.
    const config = { max: 6, application_name: 'mandate jobs', options: keepalives, Client: WatchedClient }
    super({ ...config, connectionString: ownerUrl } as unknown as pg.PoolConfig)
  }

  override connect(): Promise<pg.PoolClient>
  override connect(callback: Connected): void
  override connect(callback?: Connected): Promise<pg.PoolClient> | undefined {
    if (callback) {
      super.connect((error, client, release) => callback(error && withoutCode(error), client, release))
      return undefined
    }
    return super.connect().catch((error) => {
      throw withoutCode(error)
    })
  }
}

function withoutCode(error: Error): Error {
  return new Error(error.message, { cause: error })
}
