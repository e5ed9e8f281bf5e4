import { type Mail, mailContext } from '../mail/send-mail.ts'
import type { TestServer } from './start-test-server.ts'

/**
 * Returns the queued mails for an address, oldest first. The test server runs no job worker, so mails remain in the queue.
 */
export async function mailsTo(server: TestServer, address: string): Promise<Mail[]> {
  const { rows } = await server.owner.query(
    `select j.payload from graphile_worker._private_jobs j
     join graphile_worker._private_tasks t on t.id = j.task_id and t.identifier = 'send_mail' order by j.id`,
  )
  return rows
    .map(({ payload }): Mail => JSON.parse(server.services.vault.open(payload.sealed, mailContext)))
    .filter((mail) => mail.to.toLowerCase() === address.toLowerCase())
}

/** Returns the token from the newest mail to an address. Ignores mails without a token. */
export async function tokenMailedTo(server: TestServer, address: string): Promise<string> {
  const mail = (await mailsTo(server, address)).findLast(({ link }) => link?.includes('token='))
  const token = mail?.link && new URL(mail.link).searchParams.get('token')
  if (!token) throw new Error(`no mail with a token was sent to ${address}`)
  return token
}
