import { createHmac } from 'node:crypto'
import { ContentKey } from '@mandate/contract/content'
import { canonicalJson } from '@mandate/proofs/canonical'
import type { Logger } from 'pino'
import type { ControlPlane } from '../control-plane/control-plane.ts'
import type { StateSeal } from '../state/state-seal.ts'

const name = 'content key'
/** How long the edge waits for the key, before it denies the call. */
const longestWaitMs = 5_000

interface KeyParts {
  plane: ControlPlane
  seal: StateSeal
  /** The folder of this process. */
  seat: string
  log: Logger
}

/**
 * The key of the environment for digests of arguments in which a pattern matched. Without the key, nobody can find the arguments by trying
 * texts. It is fetched when it is first needed, and kept on disk, so that an edge that cannot reach the control plane still has it.
 */
export class EnvironmentKey {
  private readonly parts: KeyParts
  private key: Buffer | null = null
  private fetching: Promise<Buffer | null> | null = null

  constructor(parts: KeyParts) {
    this.parts = parts
  }

  /** Returns HMAC-SHA-256 over the RFC 8785 form of a call, as hexadecimal digits. Null if the edge cannot get the key. */
  async digest(call: { tool: string; args: object }): Promise<string | null> {
    const key = this.key ?? (await this.read())
    return (
      key &&
      createHmac('sha256', key)
        .update(canonicalJson({ args: call.args, tool: call.tool }))
        .digest('hex')
    )
  }

  private async read(): Promise<Buffer | null> {
    this.fetching ??= this.readOnce().finally(() => {
      this.fetching = null
    })
    return await this.fetching
  }

  private async readOnce(): Promise<Buffer | null> {
    const { plane, seal, seat, log } = this.parts
    const file = seal.fileIn(seat, 'content-key')
    const kept = ContentKey.safeParse(await seal.read(file, name))
    if (kept.success) return this.take(kept.data.key)
    try {
      const signal = AbortSignal.timeout(longestWaitMs)
      const found = ContentKey.parse((await plane.ask({ path: '/edge/content-key', signal })).body)
      await seal.replace(file, name, JSON.stringify(found))
      return this.take(found.key)
    } catch (error) {
      log.warn({ reason: (error as Error).message }, 'the edge cannot get the key for digests of arguments')
      return null
    }
  }

  private take(key: string): Buffer {
    this.key = Buffer.from(key, 'base64')
    return this.key
  }
}
