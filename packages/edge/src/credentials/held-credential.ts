import { EdgeCredential } from '@mandate/contract/credentials'
import type { Logger } from 'pino'
import { type ControlPlane, ControlPlaneAway, ControlPlaneRefused } from '../control-plane/control-plane.ts'

export interface HeldParts {
  readonly plane: ControlPlane
  readonly log: Pick<Logger, 'info' | 'warn'>
  /** A clock in milliseconds that never goes back. */
  readonly now: () => number
}

const firstRetryMs = 1_000
const longestRetryMs = 30_000
/** A credential that is in use is fetched again after this time, so that the control plane knows that it is used. */
const refetchMs = 3_600_000

/** One credential for one server, as the control plane last gave it. It is in memory only. */
export class HeldCredential {
  readonly credentialName: string
  readonly server: string
  private readonly parts: HeldParts
  private readonly onChange: () => void
  private held: EdgeCredential | null = null
  private reason: string
  /** True if the control plane may have another version. */
  private isDue = false
  private fetching: Promise<void> | null = null
  private fetchedAtMs = 0
  private failures = 0
  private retryAtMs = Number.NEGATIVE_INFINITY
  private timer: NodeJS.Timeout | undefined
  private isClosed = false

  constructor(credentialName: string, server: string, parts: HeldParts, onChange: () => void) {
    this.credentialName = credentialName
    this.server = server
    this.parts = parts
    this.onChange = onChange
    this.reason = 'it was not fetched yet'
  }

  get current(): EdgeCredential | null {
    return this.held
  }

  /** Returns why there is no credential. */
  get fault(): string {
    return `the credential ${this.credentialName} is missing: ${this.reason}`
  }

  /** Fetches the credential if it is missing and waits for it. Renews one that is in use in the background. */
  async ensure(): Promise<void> {
    if (this.held === null) {
      if (this.fetching || this.parts.now() >= this.retryAtMs) await this.fetch()
    } else if (this.parts.now() - this.fetchedAtMs > refetchMs && this.parts.now() >= this.retryAtMs) void this.fetch()
  }

  /** Applies what the control plane says of the version. Null: there is no such credential any more. */
  follow(version: number | null): void {
    if (version !== null && this.held?.version === version) return
    // What a running fetch brings may be older than this news.
    this.isDue = true
    if (version !== null && this.held !== null) {
      void this.fetch()
      return
    }
    // The next call asks again, because the news may be older than the credential.
    this.retryAtMs = Number.NEGATIVE_INFINITY
    this.failures = 0
    if (version === null) this.drop('no credential has this name in the environment of the edge')
  }

  /** Forgets the secret. The next call fetches it again. */
  forget(reason: string): void {
    this.retryAtMs = Number.NEGATIVE_INFINITY
    this.drop(reason)
  }

  close(): void {
    this.isClosed = true
    clearTimeout(this.timer)
    this.held = null
  }

  private fetch(): Promise<void> {
    this.fetching ??= this.fetchAll().finally(() => {
      this.fetching = null
    })
    return this.fetching
  }

  /** Fetches until the control plane has told nothing newer meanwhile. */
  private async fetchAll(): Promise<void> {
    clearTimeout(this.timer)
    do {
      this.isDue = false
      try {
        const credential = await this.ask()
        if (!this.isDue) this.take(credential)
      } catch (error) {
        this.fail(error as Error)
        return
      }
    } while (this.isDue && !this.isClosed)
  }

  private async ask(): Promise<EdgeCredential> {
    const path = `/edge/credentials/${encodeURIComponent(this.credentialName)}?server=${encodeURIComponent(this.server)}`
    const { data } = EdgeCredential.safeParse((await this.parts.plane.ask({ path })).body)
    if (!data) throw new ControlPlaneAway('invalid answer of the control plane')
    return data
  }

  private take(credential: EdgeCredential): void {
    if (this.isClosed) return
    this.fetchedAtMs = this.parts.now()
    this.failures = 0
    this.retryAtMs = Number.NEGATIVE_INFINITY
    if (this.held?.version === credential.version) return
    this.held = credential
    const { credentialName: name, server } = this
    this.parts.log.info({ credential: name, server, version: credential.version }, 'the edge has a credential')
    this.onChange()
  }

  private fail(error: Error): void {
    if (this.isClosed) return
    const { credentialName: name, server } = this
    const waitMs = Math.min(firstRetryMs * 2 ** this.failures++, longestRetryMs) * (0.5 + Math.random() / 2)
    this.failures = Math.min(this.failures, 20)
    this.retryAtMs = this.parts.now() + waitMs
    this.parts.log.warn({ credential: name, server, reason: error.message }, 'the edge cannot fetch a credential')
    if (error instanceof ControlPlaneRefused) {
      this.drop(error.message)
      return
    }
    if (this.held === null) {
      this.reason = `the control plane cannot be reached, and secrets are not stored on disk: ${error.message}`
      return
    }
    // The control plane may have a newer version, so the edge asks until it knows.
    this.timer = setTimeout(() => void this.fetch(), waitMs)
    this.timer.unref()
  }

  private drop(reason: string): void {
    clearTimeout(this.timer)
    const wasHeld = this.held !== null
    this.held = null
    this.reason = reason
    if (!wasHeld) return
    this.parts.log.warn({ credential: this.credentialName, server: this.server, reason }, 'the edge lost a credential')
    this.onChange()
  }
}
