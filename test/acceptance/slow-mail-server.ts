import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'

/** A mail server that delays its response to each mail until the test accepts it. */
export interface SlowMailServer {
  url: string
  /** Addresses of the mails that wait now. */
  held(): string[]
  /** Address of each accepted mail; an address repeats if a mail was sent twice. */
  readonly taken: string[]
  /** Accepts the waiting mails and, from now on, every mail at once. */
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
