import { Agent, request } from 'node:http'
import { readEvents } from '../packages/edge/src/push/read-events.ts'
import { type DecisionKey, newDecisionKey } from '../packages/edge/src/report/decision-key.ts'
import { confirmationsHash } from '../packages/proofs/src/decision-chain.ts'
import type { BenchAgent } from './edge-world.ts'

// biome-ignore lint/suspicious/noExplicitAny: benchmarks read any field of a response
type Json = any

/** An edge that consists of its sockets only: it follows its stream, fetches profiles and confirms freezes, and decides nothing. */
export class SimulatedEdge {
  /** Called with the effect of the profile that was fetched, or the reason why it denies every call. */
  onProfile: (effect: string) => void = () => {}
  onEvent: (type: string) => void = () => {}
  onConfirmed: () => void = () => {}
  private readonly base: string
  private readonly agent: BenchAgent
  private readonly sockets = new Agent({ keepAlive: true, maxSockets: 1 })
  private readonly stop = new AbortController()
  private readonly key: DecisionKey = newDecisionKey()
  private readonly instanceId: string

  constructor(url: string, agent: BenchAgent) {
    this.base = `${url}/api/v1`
    this.agent = agent
    this.instanceId = `bench of ${agent.id}`
  }

  /** Registers the key, sends a heartbeat and opens the stream. Resolves when the stream is open. */
  async start(): Promise<void> {
    await this.post('/edge/keys', { public_key_pem: this.key.publicKeyPem })
    const agents = [{ agent_id: this.agent.id }]
    await this.post('/edge/heartbeat', { instance_id: this.instanceId, seq: 1, edge_version: 'bench', agents })
    const opened = Promise.withResolvers<void>()
    void this.follow(() => opened.resolve()).catch(opened.reject)
    await opened.promise
    await this.post('/edge/profiles', { agent_ids: [this.agent.id], instance_id: this.instanceId })
  }

  close(): void {
    this.stop.abort()
    this.sockets.destroy()
  }

  private async follow(onOpen: () => void): Promise<void> {
    const path = `/edge/stream?instance_id=${encodeURIComponent(this.instanceId)}`
    const sent = request(`${this.base}${path}`, { agent: false, signal: this.stop.signal, headers: this.headers() })
    const chunks = await new Promise<AsyncIterable<Uint8Array>>((resolve, reject) => {
      sent.on('response', (response) => {
        if (response.statusCode === 200) resolve(response)
        else reject(new Error(`the stream returned status ${response.statusCode}`))
      })
      sent.on('error', reject)
      sent.end()
    })
    try {
      for await (const { type, data } of readEvents(chunks, onOpen)) {
        this.onEvent(type)
        if (type === 'profile') void this.fetch()
        if (type === 'freeze' && !(data as Json).lifted) void this.confirm((data as Json).id)
      }
    } catch (error) {
      if (!this.stop.signal.aborted) throw error
    }
  }

  private async fetch(): Promise<void> {
    const { data } = await this.post('/edge/profiles', { agent_ids: [this.agent.id] })
    this.onProfile(data[0].denied_because ?? data[0].policy.default_effect)
  }

  private async confirm(id: string): Promise<void> {
    const confirmations = [{ freeze_id: id, at: new Date().toISOString() }]
    const { kid } = this.key
    const signature = this.key.sign(confirmationsHash(kid, confirmations))
    await this.post('/edge/confirmations', { instance_id: this.instanceId, kid, confirmations, signature })
    this.onConfirmed()
  }

  private headers() {
    return { authorization: `Bearer ${this.agent.key}`, 'content-type': 'application/json' }
  }

  private post(path: string, body: object): Promise<Json> {
    return new Promise((resolve, reject) => {
      const sent = request(`${this.base}${path}`, { method: 'POST', agent: this.sockets, headers: this.headers() })
      sent.on('error', reject)
      sent.on('response', (response) => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', (chunk) => {
          text += chunk
        })
        response.on('end', () => {
          if ((response.statusCode ?? 500) < 300) resolve(text === '' ? undefined : JSON.parse(text))
          else reject(new Error(`POST ${path} returned status ${response.statusCode}: ${text}`))
        })
      })
      sent.end(JSON.stringify(body))
    })
  }
}
