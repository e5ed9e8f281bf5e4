import { Agent, request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { gatherMs } from '../../packages/edge/src/carry/confirmations.ts'
import { LaterFetches } from '../../packages/edge/src/push/later-fetches.ts'
import { readEvents } from '../../packages/edge/src/push/read-events.ts'
import { afterFreeze, afterLift, reportWithinMs } from '../../packages/edge/src/push/receive-push.ts'
import { type DecisionKey, newDecisionKey } from '../../packages/edge/src/report/decision-key.ts'
import { confirmationsHash } from '../../packages/proofs/src/decision-chain.ts'
import type { BenchAgent } from './edge-world.ts'

// biome-ignore lint/suspicious/noExplicitAny: benchmarks read any field of a response
type Json = any

/**
 * An edge that consists of its sockets only, and decides nothing. It sends the requests of a real edge, at the same times: it follows its stream,
 * fetches profiles, confirms profiles and freezes, and reports changed profiles with a heartbeat.
 */
export class SimulatedEdge {
  onEvent: (type: string) => void = () => {}
  /** Called with the effect of the profile that was fetched, or the reason why it denies every call. */
  onProfile: (effect: string) => void = () => {}
  /** Called when the control plane accepted a confirmation, with the same text for a profile, and with `freeze` for a freeze. */
  onConfirmed: (what: string) => void = () => {}
  private readonly base: string
  private readonly agent: BenchAgent
  private readonly sockets = new Agent({ keepAlive: true, maxSockets: 1 })
  private readonly stop = new AbortController()
  private readonly key: DecisionKey = newDecisionKey()
  private readonly instanceId: string
  private readonly later = new LaterFetches(() => this.fetchSoon())
  private seq = 0
  private profileHash: string | undefined
  private profileSeq = 0
  private isStopped = false
  private isFetching = false
  private mustFetch = false
  private isReportDue = false

  constructor(url: string, agent: BenchAgent) {
    this.base = `${url}/api/v1`
    this.agent = agent
    this.instanceId = `bench of ${agent.id}`
  }

  /** Registers the key, sends a heartbeat and opens the stream. Resolves when the stream is open. */
  async start(): Promise<void> {
    await this.post('/edge/keys', { public_key_pem: this.key.publicKeyPem })
    await this.beat()
    const opened = Promise.withResolvers<void>()
    void this.follow(() => opened.resolve()).catch(opened.reject)
    await opened.promise
    const { data } = await this.post('/edge/profiles', { agent_ids: [this.agent.id], instance_id: this.instanceId })
    this.profileHash = data[0].profile_hash
    this.profileSeq = data[0].profile_seq
  }

  close(): void {
    this.stop.abort()
    this.later.close()
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
        if (type === 'profile') this.takeProfile(data)
        else if (type === 'freeze') this.takeFreeze(data)
      }
    } catch (error) {
      if (!this.stop.signal.aborted) throw error
    }
  }

  private takeProfile({ profile_hash, profile_seq }: Json): void {
    if (profile_hash === this.profileHash && profile_seq === this.profileSeq) return
    if (this.isStopped && this.later.has(this.agent.id)) return
    this.fetchSoon()
  }

  private takeFreeze({ id, lifted }: Json): void {
    this.later.add([this.agent.id], lifted ? afterLift : afterFreeze)
    if (lifted) return
    this.isStopped = true
    this.run(async () => this.confirm({ freeze_id: id, at: new Date().toISOString() }, 'freeze'))
  }

  private fetchSoon(): void {
    this.mustFetch = true
    if (this.isFetching) return
    this.isFetching = true
    this.run(async () => {
      while (this.mustFetch) await this.fetch()
      this.isFetching = false
    })
  }

  private async fetch(): Promise<void> {
    this.mustFetch = false
    const { data } = await this.post('/edge/profiles', {
      agent_ids: [this.agent.id],
      known_hashes: [this.profileHash],
    })
    this.isStopped = false
    const [profile] = data
    if (profile === undefined) return
    const { profile_hash, profile_seq } = profile
    this.profileHash = profile_hash
    this.profileSeq = profile_seq
    const effect = profile.denied_because ?? profile.policy.default_effect
    this.onProfile(effect)
    const confirmation = { agent_id: this.agent.id, profile_hash, profile_seq, at: new Date().toISOString() }
    this.run(async () => {
      await pause(gatherMs)
      await this.confirm(confirmation, effect)
    })
    this.reportSoon()
  }

  private async confirm(confirmation: object, what: string): Promise<void> {
    const confirmations = [confirmation]
    const { kid } = this.key
    const signature = this.key.sign(confirmationsHash(kid, confirmations))
    const body = { instance_id: this.instanceId, kid, confirmations, signature }
    const { accepted } = await this.post('/edge/confirmations', body)
    if (accepted === 1) this.onConfirmed(what)
  }

  private reportSoon(): void {
    if (this.isReportDue) return
    this.isReportDue = true
    this.run(async () => {
      await pause(reportWithinMs * Math.random())
      this.isReportDue = false
      await this.beat()
    })
  }

  private async beat(): Promise<void> {
    const agents = [{ agent_id: this.agent.id }]
    const body = { instance_id: this.instanceId, seq: ++this.seq, edge_version: 'bench', agents }
    const answer = await this.post('/edge/heartbeat', body)
    // The stream does not tell again what the answer to a heartbeat told.
    const { profile_hash } = answer.agents[0]
    if (this.profileHash !== undefined && profile_hash !== this.profileHash) this.fetchSoon()
  }

  /** Runs work beside the stream. A failure ends the benchmark, unless the edge was closed. */
  private run(work: () => Promise<void>): void {
    void work().catch((error) => {
      if (!this.stop.signal.aborted) throw error
    })
  }

  private headers() {
    return { authorization: `Bearer ${this.agent.key}`, 'content-type': 'application/json' }
  }

  private post(path: string, body: object): Promise<Json> {
    return new Promise((resolve, reject) => {
      const sent = request(`${this.base}${path}`, { method: 'POST', agent: this.sockets, headers: this.headers() })
      // The server closes a connection that was idle for more than a minute. The request is then sent on another connection.
      sent.on('error', (error) => (sent.reusedSocket ? resolve(this.post(path, body)) : reject(error)))
      sent.on('response', (response) => {
        let text = ''
        response.setEncoding('utf8')
        response.on('error', reject)
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
