import { resolve } from 'node:path'
import type { Config } from '../config.ts'

/**
 * Returns the text for a person who has started the server for the first time. It shows the address, the first steps, and how
 * to stop the server. Browsers must use PUBLIC_URL, because their sessions belong to its origin.
 */
export function firstSteps(config: Config, { url }: { url: string }): string {
  const { publicUrl } = config
  const api = `${url}/api/v1`
  const mail = config.smtpUrl ? 'sent by SMTP' : `written to ${resolve(config.dataDir, 'mail')}`
  const data = config.databaseUrl ? 'in the database of DATABASE_URL' : `in ${resolve(config.dataDir)}`
  return `
  Mandate runs at ${url}
  Data is kept ${data}; mail is ${mail}.

  First steps: open ${publicUrl} in a browser and create your organization. Or with curl:
    1. Create your organization. The response contains session.access_token:
         curl -s ${api}/auth/register -H 'content-type: application/json' \\
           -d '{"email": "you@example.com", "password": "a long pass phrase", "organization": "Acme"}'
    2. Show your session:
         curl -s ${api}/auth/session -H "authorization: Bearer $ACCESS_TOKEN"
    3. Read the API reference at ${publicUrl}/docs, or run the tour: npm run tour -- ${url}

  To stop: Ctrl-C, or kill ${process.pid}. The server finishes running requests first.

`
}
