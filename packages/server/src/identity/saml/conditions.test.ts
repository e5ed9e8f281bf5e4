import { expect, it } from 'vitest'
import { conditionFault } from './conditions.ts'

const audience = 'https://mandate.example/metadata'
const now = new Date('2026-11-03T12:00:00Z')
const faultOf = (given: object) =>
  conditionFault({ notBefore: undefined, notOnOrAfter: undefined, audiences: [[audience]], ...given }, audience, now)

it.each([
  {},
  { notBefore: '2026-11-03T12:01:00Z' },
  { notOnOrAfter: '2026-11-03T11:59:00.001Z' },
  { notOnOrAfter: '2026-11-03T12:00:00' },
  { audiences: [['https://other.example', audience], [audience]] },
])('the conditions %j of an assertion hold', (given) => expect(faultOf(given)).toBeNull())

it.each([
  [{ notBefore: '2026-11-03T12:01:00.001Z' }, 'valid only from'],
  [{ notOnOrAfter: '2026-11-03T11:59:00Z' }, 'expired at'],
  [{ notOnOrAfter: '' }, 'is no time'],
  [{ audiences: [] }, 'no AudienceRestriction'],
  [
    { audiences: [[audience, 'https://other.example'], ['https://other.example']] },
    'the audience https://other.example',
  ],
])('the conditions %j of an assertion do not hold', (given, fault) => expect(faultOf(given)).toContain(fault))
