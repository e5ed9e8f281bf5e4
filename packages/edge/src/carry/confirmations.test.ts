import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import type { Confirmations as Sent } from '@mandate/contract/edge'
import { confirmationsHash, signBatch, verifyBatch } from '@mandate/proofs/decision-chain'
import { pino } from 'pino'
import { expect, onTestFinished, test, vi } from 'vitest'
import { type Answer, ControlPlaneAway, ControlPlaneRefused } from '../control-plane/control-plane.ts'
import { Confirmations } from './confirmations.ts'

const accepted: Answer = { status: 202, body: { accepted: 1, refused: [] } }
const { privateKey, publicKey } = generateKeyPairSync('ed25519')
const pem = publicKey.export({ type: 'spki', format: 'pem' }) as string
const keyOf = (key: KeyObject) => ({ kid: 'a'.repeat(16), sign: (hash: string) => signBatch(key, hash) })
const profile = (seq: number, agentId = 'agent') => ({ agentId, hash: `h${seq}`, seq })

function world({ signed = true } = {}) {
  const sent: Sent[] = []
  const answers: (Answer | Error)[] = []
  let renewed = 0
  const confirmations = new Confirmations({
    plane: {
      async ask({ body }) {
        sent.push(structuredClone(body) as Sent)
        const said = answers.shift() ?? accepted
        if (said instanceof Error) throw said
        return said
      },
    },
    instanceId: 'i',
    key: async () => (signed ? keyOf(privateKey) : null),
    renewKey: async () => renewed++,
    clock: () => ({ wallMs: 0, monotonicMs: performance.now() }),
    log: pino({ level: 'silent' }),
  })
  confirmations.start()
  onTestFinished(() => confirmations.close())
  return { confirmations, sent, answers, renewals: () => renewed }
}

test('sends what is in force, signed over the confirmations as they are sent', async () => {
  const { confirmations, sent } = world()
  confirmations.noteProfile(profile(1))
  confirmations.noteFreeze('f')
  await vi.waitFor(() => expect(sent).toHaveLength(1))
  const [{ kid = '', signature = '', confirmations: items = [], instance_id } = {} as Sent] = sent
  expect(instance_id).toBe('i')
  expect(items).toEqual([
    { freeze_id: 'f', at: '1970-01-01T00:00:00.000Z' },
    { agent_id: 'agent', profile_hash: 'h1', profile_seq: 1, at: '1970-01-01T00:00:00.000Z' },
  ])
  expect(verifyBatch(pem, confirmationsHash(kid, items), signature)).toBe(true)
})

test('sends a profile once, and unsigned if the edge has no key', async () => {
  const { confirmations, sent } = world({ signed: false })
  for (let n = 0; n < 3; n++) confirmations.noteProfile(profile(1))
  await vi.waitFor(() => expect(sent).toHaveLength(1))
  confirmations.noteProfile(profile(1))
  confirmations.noteFreeze('f')
  await vi.waitFor(() => expect(sent).toHaveLength(2))
  expect(sent[1]?.confirmations).toMatchObject([{ freeze_id: 'f' }])
  expect(sent[1]).not.toHaveProperty('kid')
})

test('after an outage it sends the newest profile of each agent and every freeze, in requests of at most 500', async () => {
  const { confirmations, sent, answers } = world()
  answers.push(new ControlPlaneAway('gone'))
  confirmations.noteProfile(profile(1))
  await vi.waitFor(() => expect(sent).toHaveLength(1))
  for (let n = 0; n < 600; n++) for (const seq of [2, 3]) confirmations.noteProfile(profile(seq, `agent ${n}`))
  for (let n = 0; n < 1500; n++) confirmations.noteFreeze(`f${n}`)
  await vi.waitFor(() => expect(sent.length).toBeGreaterThanOrEqual(5), 10_000)
  const items = sent.slice(1).flatMap((one) => one.confirmations)
  for (const one of sent) expect(one.confirmations.length).toBeLessThanOrEqual(500)
  expect(items.filter(({ freeze_id }) => freeze_id !== undefined)).toHaveLength(1000)
  expect(items.filter(({ profile_seq }) => profile_seq === 3)).toHaveLength(600)
  expect(items.filter(({ profile_seq }) => profile_seq === 2)).toEqual([])
})

test('registers its key again after a 400, and keeps what was not accepted', async () => {
  const { confirmations, sent, answers, renewals } = world()
  answers.push(new ControlPlaneRefused(400, 'kid'))
  confirmations.noteFreeze('f')
  await vi.waitFor(() => expect(sent).toHaveLength(2), 10_000)
  expect(renewals()).toBe(1)
  expect(sent[1]?.confirmations).toMatchObject([{ freeze_id: 'f' }])
})

test('drops what the control plane refuses by itself', async () => {
  const { confirmations, sent, answers } = world()
  answers.push({ status: 202, body: { accepted: 0, refused: [{ index: 0, reason: 'over' }] } })
  confirmations.noteFreeze('f')
  await vi.waitFor(() => expect(sent).toHaveLength(1))
  confirmations.noteFreeze('g')
  await vi.waitFor(() => expect(sent).toHaveLength(2))
  expect(sent[1]?.confirmations).toMatchObject([{ freeze_id: 'g' }])
})
