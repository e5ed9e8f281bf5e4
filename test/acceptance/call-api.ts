import { randomUUID } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

export interface ApiAnswer {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: tests read any field of a body
  body: any
  headers: Headers
}

/** Calls a server's API. Sends the credential as a bearer token and the body as JSON, if given. */
export async function callApi(
  server: { url: string },
  method: string,
  path: string,
  { body, credential }: { body?: unknown; credential?: string | undefined } = {},
): Promise<ApiAnswer> {
  const response = await fetch(`${server.url}/api/v1${path}`, {
    method,
    headers: {
      ...(credential !== undefined && { authorization: `Bearer ${credential}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text), headers: response.headers }
}

export const password = 'a long pass phrase for tests'

/** Registers an organization. Returns its owner's credential and the ids. */
export async function register(server: { url: string }, email = `owner-${randomUUID()}@example.com`) {
  const body = { email, password, organization: 'Acme' }
  const answer = await callApi(server, 'POST', '/auth/register', { body })
  if (answer.status !== 201) throw new Error(`register answered ${answer.status}: ${JSON.stringify(answer.body)}`)
  const { tenant, user, session } = answer.body
  return { email, tenantId: tenant.id as string, userId: user.id as string, credential: session.access_token as string }
}

/** Waits for a mail to an address that contains `text`, and returns the newest. @throws Error if no mail arrives */
export async function mailTo(server: { dataDir: string }, address: string, text = ''): Promise<string> {
  const folder = join(server.dataDir, 'mail')
  for (const deadline = Date.now() + 60_000; Date.now() < deadline; await pause(50)) {
    const names = (await readdir(folder).catch(() => [])).filter(
      (name) => name.includes(address) && name.endsWith('.eml'),
    )
    for (const name of names.sort().reverse()) {
      const mail = await readFile(join(folder, name), 'utf8')
      if (mail.includes(text)) return mail
    }
  }
  throw new Error(`no mail to ${address} arrived`)
}

/** Returns the token from the link in the newest mail to an address. @param page the page of the link, such as `join` */
export async function tokenMailedTo(server: { dataDir: string }, address: string, page = ''): Promise<string> {
  const token = /[?&]token=([A-Za-z0-9_-]+)/.exec(await mailTo(server, address, `${page}?token=`))?.[1]
  if (!token) throw new Error(`the mail to ${address} contains no token`)
  return token
}
