import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'

/** A mail server that holds each mail until it is told to take it. */
export interface SlowMailServer {
  url: string
  /** Addresses of the mails that are held now. */
  held(): string[]
  /** Addresses of the mails that were taken, once for each time. */
  readonly taken: string[]
  /** Takes what is held and, from now on, every mail at once. */
  takeAll(): void
  holdAll(): void
  close(): Promise<void>
}

export async function startSlowMailServer(): Promise<SlowMailServer> {
  const waiting = new Set<{ to: string; take(): void }>()
  const taken: string[] = []
  let isHolding = true
  const smtp = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    logger: false,
    onData(stream, session, done) {
      stream.resume()
      stream.on('end', () => {
        const to = session.envelope.rcptTo.map(({ address }) => address).join()
        const mail = {
          to,
          take() {
            waiting.delete(mail)
            taken.push(to)
            done()
          },
        }
        waiting.add(mail)
        if (!isHolding) mail.take()
      })
    },
  })
  smtp.on('error', () => {})
  await new Promise<void>((resolve) => smtp.listen(0, '127.0.0.1', resolve))
  return {
    url: `smtp://127.0.0.1:${(smtp.server.address() as AddressInfo).port}`,
    held: () => [...waiting].map(({ to }) => to),
    taken,
    takeAll() {
      isHolding = false
      for (const mail of waiting) mail.take()
    },
    holdAll() {
      isHolding = true
    },
    close: () => new Promise((resolve) => smtp.close(() => resolve())),
  }
}
