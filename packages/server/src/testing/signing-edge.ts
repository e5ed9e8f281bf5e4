import { generateKeyPairSync } from 'node:crypto'
import { chainHash, firstPrev, recordDigest, signBatch } from '@mandate/proofs/decision-chain'
import type { ApiClient } from './api-client.ts'

export interface Chained {
  [field: string]: unknown
  seq: number
  prev: string
}

/** Signs decisions as an edge does, with a key of its own. */
export class SigningEdge {
  readonly api: ApiClient
  kid = ''
  readonly publicKeyPem: string
  /** Number and hash of the last record of the chain. Set it back to make a fork. */
  head = { seq: 0, hash: firstPrev }
  private readonly privateKey

  private constructor(api: ApiClient) {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519')
    this.api = api
    this.privateKey = privateKey
    this.publicKeyPem = publicKey.export({ type: 'spki', format: 'pem' }) as string
  }

  /** Creates a key and registers it. */
  static async start(api: ApiClient): Promise<SigningEdge> {
    const edge = new SigningEdge(api)
    const { body } = await api.post('/edge/keys', { public_key_pem: edge.publicKeyPem })
    edge.kid = body.kid
    return edge
  }

  /** Gives records their places in the chain. */
  chain(...records: object[]): Chained[] {
    return records.map((record) => {
      const place = { seq: this.head.seq + 1, prev: this.head.hash }
      const chained = { ...record, ...place }
      this.head = { seq: place.seq, hash: hashOf(chained) }
      return chained
    })
  }

  /** Signs records that have their places. */
  batch(...decisions: Chained[]): { kid: string; decisions: Chained[]; signature: string } {
    return { kid: this.kid, decisions, signature: signBatch(this.privateKey, hashOf(decisions.at(-1) as Chained)) }
  }

  /** Sends records that have their places, as one signed batch. */
  send(...decisions: Chained[]) {
    return this.api.post('/edge/decisions', this.batch(...decisions))
  }

  /** Chains, signs and sends records. */
  record(...records: object[]) {
    return this.send(...this.chain(...records))
  }
}

export function hashOf(record: Chained): string {
  const { seq, prev } = record
  return chainHash({ seq, prev, digest: recordDigest(record) })
}
