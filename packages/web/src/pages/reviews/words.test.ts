import { expect, it } from 'vitest'
import { endedMeanwhile, questionOf, waitingText } from './words.ts'

const sentence = (mine: number, others: number) => {
  const { text, rest } = waitingText(mine, others)
  return `${text}${rest}`.replaceAll('\u00a0', ' ')
}

it('says how many reviews wait for the reader and for others', () => {
  expect(sentence(0, 0)).toBe('No review waits for you')
  expect(sentence(0, 1)).toBe('No review waits for you, 1 waits for others')
  expect(sentence(2, 3)).toBe('2 reviews wait for you, 3 wait for others')
})

it('asks about the policy only if the agent has a policy', () => {
  const policy = { id: 'p', name: 'Support', version: 1 } as never
  expect(questionOf({ kind: 'onboarding', subject: null }, { policy: null })).toBe('The agent has no policy yet.')
  expect(questionOf({ kind: 'onboarding', subject: null }, { policy })).toBe('May this agent work under this policy?')
  expect(questionOf({ kind: 'onboarding', subject: null }, undefined)).toBe('May this agent work under this policy?')
  expect(questionOf({ kind: 'attestation', subject: null }, { policy: null })).toBe(
    'Is the agent still right as it is?',
  )
})

it('a change review says whether another policy or another version runs', () => {
  const subject = (policyId: string) =>
    ({
      policy_id: 'p',
      approved: { policy_id: 'p', version: 1 },
      running: { policy_id: policyId, version: 2 },
    }) as never
  expect(questionOf({ kind: 'change', subject: subject('p') }, undefined)).toMatch(/^It runs another policy version/)
  expect(questionOf({ kind: 'change', subject: subject('q') }, undefined)).toMatch(/^It runs another policy than/)
})

it('says who judged a review meanwhile, and that the own judgement arrived', () => {
  const names = { ines: 'Ines Varmaux' }
  const ended = { status: 'rejected', resolved_by: 'ines' } as const
  expect(endedMeanwhile(ended, names, 'mara')).toBe(
    'Ines Varmaux judged the review meanwhile: Rejected. Your judgement does not count.',
  )
  expect(endedMeanwhile(ended, names, 'ines')).toBe('Your judgement arrived: Rejected.')
  expect(endedMeanwhile({ status: 'superseded', resolved_by: null }, names, 'mara')).toBe(
    'The review ended meanwhile: Superseded. Your judgement does not count.',
  )
})
