import { expect, it } from 'vitest'
import { questionOf, waitingText } from './words.ts'

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
  expect(questionOf({ kind: 'onboarding' }, { policy: null })).toBe('The agent has no policy yet.')
  expect(questionOf({ kind: 'onboarding' }, { policy })).toBe('May this agent work under this policy?')
  expect(questionOf({ kind: 'onboarding' }, undefined)).toBe('May this agent work under this policy?')
  expect(questionOf({ kind: 'attestation' }, { policy: null })).toBe('Is the agent still right as it is?')
})
