import { sign } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { canonicalJson } from '@mandate/proofs/canonical'
import {
  chainHash,
  edgeKeyAttestationBody,
  firstPrev,
  readEdgeKey,
  recordDigest,
  verifyBatch,
} from '@mandate/proofs/decision-chain'
import { newDecisionKey } from '../../src/report/decision-key.ts'
import type { DecisionRecord } from '../../src/report/spool.ts'

const tenant_id = '01900000-0000-7000-8000-0000000000aa'

/** What a control plane knows about the chain of a key. */
export interface SeenChain {
  /** Hash and record by `seq`. */
  records: Map<number, { hash: string; record: DecisionRecord }>
  /** Values of `seq` that two different records had. */
  forks: number[]
}

/**
 * A control plane over HTTP that registers keys and verifies the signed batches of edges. It has no profiles, so edges deny every
 * call. Each denial is a decision.
 */
export class ChainPlane {
  /** Whether the control plane supports signed decisions. Earlier versions do not. */
  version: 'signed' | 'earlier' = 'signed'
  /** How a registration is answered: `attest`: 201, `refuse`: 409, `forge`: 201 with an attestation that another key signed. */
  registration: 'attest' | 'refuse' | 'forge' = 'attest'
  isDown = false
  /** The path and the status of each request, in the order of the answers. The status is 0 while the control plane is down. */
  readonly requests: string[] = []
  /** Refuses batches of decisions with this status. */
  refusesBatches: { status: number; retryAfter: string } | null = null
  /** Whether heartbeats are answered. They name no agent. */
  answersHeartbeats = false
  /** Called before a batch of decisions is answered. */
  beforeBatch: () => Promise<void> = async () => {}
  /** Breaks the connection after a batch was stored. */
  losesAnswers = false
  /** Returns why a record is refused, or null if it is accepted. */
  refuse: (record: DecisionRecord) => string | null = () => null
  readonly keys = new Map<string, string>()
  readonly chains = new Map<string, SeenChain>()
  readonly unsigned: DecisionRecord[] = []
  batches = 0
  readonly faults: string[] = []
  url = ''
  private readonly signingKey = newDecisionKey()
  private readonly server = createServer(async (request, response) => {
    const body = await bodyOf(request)
    const path = request.url ?? ''
    const isBatch = path === '/edge/decisions'
    if (isBatch) await this.beforeBatch()
    if (this.isDown) {
      this.requests.push(`${path} 0`)
      return void response.destroy()
    }
    const refused = isBatch ? this.refusesBatches : null
    if (refused) response.setHeader('retry-after', refused.retryAfter)
    const { status, answer } = refused
      ? { status: refused.status, answer: { error: 'not now' } }
      : this.answer(path, body)
    this.requests.push(`${path} ${status}`)
    if (this.losesAnswers && isBatch) return void response.destroy()
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
  })

  static async start(): Promise<ChainPlane> {
    const plane = new ChainPlane()
    plane.server.listen(0, '127.0.0.1')
    await once(plane.server, 'listening')
    plane.url = `http://127.0.0.1:${(plane.server.address() as AddressInfo).port}`
    return plane
  }

  close(): void {
    this.server.closeAllConnections()
    this.server.close()
  }

  /** The signed decisions that arrived, in the order of their chains. */
  get signed(): DecisionRecord[] {
    return [...this.chains.values()].flatMap(({ records }) =>
      [...records].sort(([a], [b]) => a - b).map(([, { record }]) => record),
    )
  }

  /** The values of `seq` in each chain. */
  get numbers(): number[][] {
    return [...this.chains.values()].map(({ records }) => [...records.keys()].sort((a, b) => a - b))
  }

  get forks(): number[] {
    return [...this.chains.values()].flatMap(({ forks }) => forks)
  }

  private answer(path: string, body: unknown): { status: number; answer: unknown } {
    if (path === '/edge/signing-key')
      return { status: 200, answer: { keys: [{ kid: 'k', public_key_pem: this.signingKey.publicKeyPem }] } }
    if (path === '/edge/keys' && this.version === 'signed')
      return this.register((body as { public_key_pem: string }).public_key_pem)
    if (path === '/edge/decisions') return this.store(body as Sent)
    if (path === '/edge/execution-stats') return { status: 202, answer: {} }
    if (path === '/edge/heartbeat' && this.answersHeartbeats)
      return { status: 200, answer: { interval_s: 3600, agents: [] } }
    return { status: 404, answer: { error: 'not found' } }
  }

  private register(pem: string) {
    if (this.registration === 'refuse') return { status: 409, answer: { error: 'too many keys' } }
    const key = readEdgeKey(pem)
    if (!key) return { status: 400, answer: { error: 'not a key' } }
    this.keys.set(key.kid, key.public_key_pem)
    const attested = edgeKeyAttestationBody({ tenant_id, edge_id: null, ...key })
    const by = this.registration === 'forge' ? newDecisionKey() : this.signingKey
    const attestation = sign(null, Buffer.from(canonicalJson(attested)), by.privateKeyPem).toString('base64')
    return { status: 201, answer: { kid: key.kid, tenant_id, edge_id: null, attestation } }
  }

  private store({ decisions, kid, signature }: Sent) {
    this.batches++
    if (kid === undefined || this.version === 'earlier') {
      if (decisions.some(({ seq, prev }) => kid === undefined && (seq !== undefined || prev !== undefined)))
        this.faults.push('an unsigned record has a place in a chain')
      this.unsigned.push(...decisions)
      return { status: 202, answer: { accepted: decisions.length, duplicates: 0 } }
    }
    const pem = this.keys.get(kid)
    if (pem === undefined) return { status: 400, answer: { error: 'kid is not the id of a registered key' } }
    const hashes = decisions.map((one) => hashOf(one))
    if (!verifyBatch(pem, hashes.at(-1) ?? '', signature)) this.faults.push('a signature does not verify')
    const chain: SeenChain = this.chains.get(kid) ?? { records: new Map(), forks: [] }
    this.chains.set(kid, chain)
    const counts = { accepted: 0, duplicates: 0, expired: 0 }
    const refused: { decision_id: string; reason: string }[] = []
    for (const [index, record] of decisions.entries()) {
      const [seq, hash] = [record.seq as number, hashes[index] as string]
      const known = chain.records.get(seq)
      const before = seq === 1 ? firstPrev : chain.records.get(seq - 1)?.hash
      if (known?.hash === hash) counts.duplicates++
      else if (known || (before !== undefined && before !== record.prev)) chain.forks.push(seq)
      else {
        chain.records.set(seq, { hash, record })
        const reason = this.refuse(record)
        if (reason === null) counts.accepted++
        else refused.push({ decision_id: record.decision_id, reason })
      }
    }
    return { status: 202, answer: { ...counts, refused } }
  }
}

interface Sent {
  decisions: DecisionRecord[]
  kid?: string
  signature: string
}

function hashOf(record: DecisionRecord): string {
  return chainHash({ prev: record.prev as string, seq: record.seq as number, digest: recordDigest(record) })
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return chunks.length === 0 ? null : JSON.parse(Buffer.concat(chunks).toString('utf8'))
}
