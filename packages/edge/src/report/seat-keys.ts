import { readdir, readFile, rm, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Logger } from 'pino'
import { z } from 'zod'
import type { StateSeal } from '../state/state-seal.ts'
import { type DecisionKey, newDecisionKey, readDecisionKey } from './decision-key.ts'
import { type ChainHead, emptyChain } from './record-chain.ts'
import type { SpoolKeys } from './spool.ts'

const Kept = z.object({
  private_key_pem: z.string(),
  seq: z.int().min(0),
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  sent_unsigned: z.boolean(),
})

interface OwnKey {
  key: DecisionKey
  /** The head of the chain when the spool last had no record of this key. Records in the spool continue the chain from here. */
  head: ChainHead
  /** True if a record of this key was sent without a signature. Then all its later records are sent without a signature too. */
  sentUnsigned: boolean
}

export interface SeatKeysParts {
  /** The folder of the seat. */
  seat: string
  seal: StateSeal
  /** The agents that this edge serves. */
  agentIds: readonly string[]
  log: Logger
}

/**
 * The keys that sign the decisions of a seat (the folder of one edge). A seat has one key for each credential that was used
 * with it, because the control plane registers a key for a credential.
 *
 * The file of a key also holds the head of its chain. The head is stored before the last record of the key is deleted from
 * the spool. So a new record always continues the chain: after the last record in the spool, or after the stored head if the
 * spool has no record.
 */
export class SeatKeys implements SpoolKeys {
  private readonly parts: SeatKeysParts
  private readonly file: string
  /** The key of this edge's credential. Null if the seat has none. */
  private own: OwnKey | null = null
  /** Keys of other credentials, for example of a credential that was renewed. */
  private readonly others = new Map<string, { key: DecisionKey; file: string }>()
  /** Keys whose records are sent without a signature. */
  private readonly unsigned = new Set<string>()

  private constructor(parts: SeatKeysParts) {
    this.parts = parts
    this.file = parts.seal.fileIn(parts.seat, prefix)
  }

  /** Reads the keys of a seat. */
  static async read(parts: SeatKeysParts): Promise<SeatKeys> {
    const keys = new SeatKeys(parts)
    keys.own = await keys.readOwn()
    for (const name of await readdir(parts.seat)) {
      const file = join(parts.seat, name)
      const key = file !== keys.file && otherKey.test(name) ? await readOther(file) : null
      if (key) keys.others.set(key.kid, { key, file })
    }
    return keys
  }

  /** The key that signs new records. Null if the seat has none. */
  get current(): DecisionKey | null {
    return this.own?.key ?? null
  }

  /** Returns the key that signs new records. Creates the key if the seat has none. @throws the error of the disk */
  async open(): Promise<DecisionKey> {
    return this.own?.key ?? (await this.replace(newDecisionKey()))
  }

  /** Starts the chain of another key. */
  async replace(key: DecisionKey): Promise<DecisionKey> {
    await this.keep({ key, head: emptyChain, sentUnsigned: false })
    this.parts.log.info({ kid: key.kid }, 'the edge created a key that signs its decisions; a new chain begins')
    return key
  }

  find(kid: string): DecisionKey | null {
    return this.own?.key.kid === kid ? this.own.key : (this.others.get(kid)?.key ?? null)
  }

  /** Whether the records of a key are sent without a signature. */
  isUnsigned(kid: string): boolean {
    return this.unsigned.has(kid) || (this.own?.key.kid === kid && this.own.sentUnsigned)
  }

  /** Stores that records of a key are sent without a signature. Call this before the first of these records is sent. */
  async markUnsigned(kid: string): Promise<void> {
    this.unsigned.add(kid)
    // If the disk is full, the records are sent anyway, because only sending them frees space.
    if (this.own?.key.kid === kid) await this.keep({ ...this.own, sentUnsigned: true }).catch(() => {})
  }

  headOf(kid: string): ChainHead | null {
    return this.own?.key.kid === kid ? this.own.head : null
  }

  /**
   * Returns true if this edge sends the records of a key. Records of another credential are sent only by an edge that serves
   * all their agents, for example after a credential was renewed. Otherwise they wait for an edge with their credential, which
   * then still needs the key.
   */
  isOurs(kid: string | null, agentIds: ReadonlySet<string>): boolean {
    if (kid === null || !this.others.has(kid)) return true
    const served = new Set(this.parts.agentIds)
    return [...agentIds].every((id) => served.has(id))
  }

  async retire(kid: string, head: ChainHead): Promise<void> {
    if (this.own?.key.kid === kid) {
      if (head.seq > this.own.head.seq) await this.keep({ ...this.own, head })
      return
    }
    // This edge cannot store the head in the file of another credential's key. Without the head, the key must not be used again.
    const other = this.others.get(kid)
    if (!other) return
    await rm(other.file, { force: true })
    this.others.delete(kid)
  }

  private async keep(own: OwnKey): Promise<void> {
    const { key, head, sentUnsigned } = own
    const kept: z.output<typeof Kept> = { private_key_pem: key.privateKeyPem, ...head, sent_unsigned: sentUnsigned }
    await this.parts.seal.replace(this.file, this.name, JSON.stringify(kept))
    this.own = own
  }

  private async readOwn(): Promise<OwnKey | null> {
    const { seal, log } = this.parts
    const mode = await modeOf(this.file)
    if (mode === null) return null
    const refused = (why: string) => {
      log.error({ file: this.file }, `not using the key that signs decisions: ${why}`)
      return null
    }
    if (isOpenToOthers(mode)) return refused('other accounts may access its file')
    const { data } = Kept.safeParse(await seal.read(this.file, this.name))
    const key = readDecisionKey(data?.private_key_pem)
    if (!data || !key) return refused('its file is damaged, or was not written by this edge')
    return { key, head: { seq: data.seq, hash: data.hash }, sentUnsigned: data.sent_unsigned }
  }

  private get name(): string {
    return `decision key of seat ${basename(this.parts.seat)}`
  }
}

const prefix = 'decision-key'
const otherKey = /^decision-key-[0-9a-f]{8}\.json$/

/**
 * Reads a key that was stored with another credential. This edge cannot verify the file. So the key only signs records that
 * name the key, and only if the control plane accepts the key.
 */
async function readOther(file: string): Promise<DecisionKey | null> {
  try {
    if (isOpenToOthers((await modeOf(file)) ?? 0)) return null
    return readDecisionKey(JSON.parse(JSON.parse(await readFile(file, 'utf8')).text).private_key_pem)
  } catch {
    return null
  }
}

async function modeOf(file: string): Promise<number | null> {
  try {
    return (await stat(file)).mode
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

const isOpenToOthers = (mode: number) => (mode & 0o077) !== 0
