import { expect } from 'vitest'
import type { ApiAnswer } from '../testing/api-client.ts'
import type { TestServer } from '../testing/start-test-server.ts'

/**
 * Makes the database roll back every change at its commit. Every change writes an audit entry, and a trigger refuses each new entry
 * right before the commit. So a request runs all its checks and statements, and the next request finds the same data. The server
 * answers a change that got this far with `wouldSucceed`.
 */
export async function rollBackChanges(server: TestServer): Promise<void> {
  await server.owner.query(`
    create function refuse_commit() returns trigger language plpgsql as $$
      begin raise exception 'rolled back by the test' using errcode = 'serialization_failure'; end $$;
    create constraint trigger refuse_commit after insert on audit_entries
      deferrable initially deferred for each row execute function refuse_commit()`)
}

/** Does work whose changes stay, such as adding test data, while `rollBackChanges` is in force. */
export async function keepChanges<T>(server: TestServer, work: () => Promise<T>): Promise<T> {
  await server.owner.query('alter table audit_entries disable trigger refuse_commit')
  try {
    return await work()
  } finally {
    await server.owner.query('alter table audit_entries enable trigger refuse_commit')
  }
}

const rolledBackText = 'another request is changing the same data; try again'
/** The answer to edges, which send such a request again. */
const rolledBackTextForEdges = 'the database is busy; try again'

/** True if the request succeeded: it changed nothing, or only the commit was refused. */
export function wouldSucceed(answer: ApiAnswer): boolean {
  return answer.status < 300 || isRolledBack(answer)
}

/** True if only the commit of the request was refused. */
export function isRolledBack({ status, body }: ApiAnswer): boolean {
  return (
    (status === 409 && body?.error === rolledBackText) || (status === 503 && body?.error === rolledBackTextForEdges)
  )
}

/** Checks that the changes of this server are rolled back, so that a sweep cannot pass because nothing is refused. */
export async function expectRolledBack(change: () => Promise<ApiAnswer>): Promise<void> {
  expect(await change()).toMatchObject({ status: 409, body: { error: rolledBackText } })
}
