import pg from 'pg'
import { connectionConfig } from '../db/connections/connection-config.ts'
import { keepalives } from '../db/connections/keepalives.ts'
import { WatchedClient } from '../db/connections/watched-client.ts'

type Connected = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  release: (release?: unknown) => void,
) => void

/**
 * The database connections of the job worker. Error codes are removed from the errors of `connect`. For some codes, for example
 * "the database system is starting up", the worker's library would wait up to two minutes. Without a code, it tries again every
 * second.
 */
export class WorkerPool extends pg.Pool {
  constructor(ownerUrl: string) {
    // The TypeScript types of the pool do not declare `Client`.
    const config = { max: 6, application_name: 'mandate jobs', Client: WatchedClient }
    super({ ...config, ...connectionConfig(ownerUrl, keepalives) } as unknown as pg.PoolConfig)
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
