import type { Client } from '@mandate/sdk/client'
import { MandateError } from '@mandate/sdk/mandate-error'
import type { Schema } from '@mandate/sdk/operation'
import type { Command } from 'commander'
import { forgetSession } from '../connection/change-sessions.ts'
import { connectInPerson } from '../connection/connect.ts'
import { readEnvironment } from '../invocation/environment.ts'
import { usageFailure } from '../invocation/failure.ts'
import { type OutputOptions, withOutput } from '../output/format.ts'
import { note } from '../output/note.ts'
import { showRows } from '../output/show.ts'
import { type Column, minute } from '../output/table.ts'

type Session = Schema<'AccountSession'>

/** Adds `sessions list` and `sessions revoke`, for the account of the signed-in person. */
export function addSessionCommands(program: Command): void {
  const sessions = program.command('sessions').description('where you are signed in')
  withOutput(sessions.command('list').description('list your sessions, newest use first')).action(listSessions)
  sessions
    .command('revoke')
    .description('end one of your sessions, or all but the session of this command')
    .argument('[session]', 'the id of the session')
    .option('--all-others', 'end every session but the session of this command')
    .action(revokeSessions)
}

async function listSessions(options: OutputOptions): Promise<void> {
  const { client } = await connectInPerson()
  const { data } = await client.call('listSessions')
  await showRows(data, options, columns, 'No sessions.')
}

const columns: Column<Session>[] = [
  { title: 'LAST_USED_AT (UTC)', value: ({ last_used_at }) => minute(last_used_at) },
  { title: 'CREATED_AT (UTC)', value: ({ created_at }) => minute(created_at) },
  { title: 'IP', value: ({ ip }) => ip },
  {
    title: 'CURRENT',
    value: ({ current }) => (current ? 'yes' : 'no'),
    color: ({ current }) => (current ? 'green' : undefined),
  },
  { title: 'ID', value: ({ id }) => id },
  { title: 'USER_AGENT', value: ({ user_agent }) => user_agent },
]

async function revokeSessions(id: string | undefined, { allOthers = false }: { allOthers?: boolean }): Promise<void> {
  if ((id === undefined) !== allOthers) throw usageFailure('give the id of a session, or --all-others')
  const { client, url } = await connectInPerson()
  if (id === undefined) {
    const ended = await revokeOthers(client)
    note(`${ended} other ${ended === 1 ? 'session has' : 'sessions have'} ended.`)
    return
  }
  const isCurrent = (await client.call('listSessions')).data.some((one) => one.current && one.id === id.toLowerCase())
  await client.call('revokeSession', { path: { session_id: id } })
  if (isCurrent) await forgetSession(readEnvironment().configDir, url)
  note(isCurrent ? `The session has ended. Signed out of ${url}` : 'The session has ended.')
}

/** Ends the listed sessions but the current one, until the list has no others, because one list may not have all of them. */
async function revokeOthers(client: Client): Promise<number> {
  for (let ended = 0; ; ) {
    const others = (await client.call('listSessions')).data.filter(({ current }) => !current)
    if (others.length === 0) return ended
    for (const { id } of others) if (await hasEnded(client, id)) ended++
  }
}

/** Ends a session. Returns false if it ended before, for example by a sign-out at the same time. */
async function hasEnded(client: Client, session_id: string): Promise<boolean> {
  try {
    await client.call('revokeSession', { path: { session_id } })
    return true
  } catch (error) {
    if (error instanceof MandateError && error.status === 404) return false
    throw error
  }
}
