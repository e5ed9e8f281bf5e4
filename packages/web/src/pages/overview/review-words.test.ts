import { expect, it } from 'vitest'
import { whyOfReview, wordsOfReview } from './review-words.ts'

const names = { e: 'production', p: 'Support', q: 'Sales', u: 'Jonas Adeholt' }
const at = (policy_id: string, version: number | null) => ({ policy_id, version })
const review = { kind: 'change', environment_id: 'e', subject: null, requested_by: null } as const

it('a change review says which version runs', () => {
  const subject = { policy_id: 'p', approved: at('p', 7), running: at('p', 9) }
  expect(whyOfReview({ ...review, subject }, names)).toBe('Runs version 9, version 7 is approved')
  expect(whyOfReview({ ...review, subject: { ...subject, running: at('q', 9) } }, names)).toBe(
    'Runs another policy than the approved one: Sales',
  )
  expect(whyOfReview({ ...review, subject: { ...subject, approved: null } }, names)).toBe(
    'Runs a policy, and none is approved',
  )
})

it('the other reviews say who asked', () => {
  expect(whyOfReview({ ...review, kind: 'attestation', requested_by: 'u' }, names)).toBe('Jonas Adeholt asked for it')
  expect(whyOfReview({ ...review, kind: 'onboarding' }, names)).toBe('The agent is new')
})

it('the environment is named if its name is known', () => {
  expect(wordsOfReview(review, names)).toBe('Change review, production')
  expect(wordsOfReview(review, {})).toBe('Change review')
})
