import { describe, expect, expectTypeOf, it } from 'vitest'
import { entryVisibleTo } from '../audit/entry-visibility.ts'
import { namedSql } from '../db/statements/named-parameters.ts'
import { sql } from '../db/statements/statement.ts'
import type { Member } from './actor.ts'
import { statementsBySight } from './by-sight.ts'
import { type Sight, sightOf, sights } from './sight.ts'
import {
  agentIsVisible,
  agentOfRecordIsVisible,
  agentOfRecordVisibleTo,
  agentVisibleTo,
  environmentIsVisible,
  environmentVisibleTo,
  isInReach,
  policyInReachOf,
  policyIsVisible,
  policyVisibleTo,
  reportVisibleTo,
  visibleAgentIds,
} from './visibility.ts'

/**
 * Creates an actor with this sight. Every property contains the text `mark`, so that a test can find the actor's data in an SQL
 * text.
 */
const actorOf = (sight: Sight, mark: string): Member => ({
  kind: 'api_key',
  tenantId: `tenant ${mark}`,
  userId: `user ${mark}`,
  accountId: null,
  email: mark,
  displayName: mark,
  role: 'manager',
  accessScope: sight === 'scoped' || sight === 'scoped+bound' ? 'scoped' : 'all',
  academyOnly: false,
  readOnly: false,
  key: {
    id: mark,
    prefix: mark,
    name: mark,
    scopes: [mark],
    environmentId: sight === 'bound' || sight === 'scoped+bound' ? `environment ${mark}` : null,
  },
})

const conditions = {
  agent: (actor: Member) => agentVisibleTo(actor, 'a'),
  'agent of a record': (actor: Member) => agentOfRecordVisibleTo(actor),
  environment: (actor: Member) => environmentVisibleTo(actor),
  policy: (actor: Member) => policyVisibleTo(actor, 'p'),
  'policy in reach': (actor: Member) => policyInReachOf(actor),
  report: (actor: Member) => reportVisibleTo(actor),
  'audit entry, to a manager': entryVisibleTo,
  'audit entry, to a member': (actor: Member) => entryVisibleTo({ ...actor, role: 'member' }),
}

/** The parameters that a visibility condition uses, for each sight. */
const needed: Record<Sight, string[]> = {
  all: [],
  bound: ['environment'],
  scoped: ['user'],
  'scoped+bound': ['environment', 'user'],
}

describe.each(Object.entries(conditions))('the condition that an actor sees: %s', (_, conditionOf) => {
  const compiled = (sight: Sight, mark: string) => conditionOf(actorOf(sight, mark)).compile(sql)

  it.each(sights)('has one text for all actors with the sight %s, and the values of each actor', (sight) => {
    const [one, other] = [compiled(sight, 'one'), compiled(sight, 'other')]
    expect(one.sql).toBe(other.sql)
    expect(one.parameters).toHaveLength(other.parameters.length)
    expect(one.parameters.every((value) => String(value).endsWith(' one'))).toBe(true)
    expect(other.parameters.every((value) => String(value).endsWith(' other'))).toBe(true)
    const used = new Set(one.parameters.map((value) => String(value).replace(' one', '')))
    used.delete('tenant')
    expect([...used].sort()).toEqual(needed[sight])
  })

  it('has a different text for each sight', () => {
    expect(new Set(sights.map((sight) => compiled(sight, 'one').sql)).size).toBe(sights.length)
  })
})

describe('statementsBySight', () => {
  const agentStatement = statementsBySight({ isLocked: [false, true] }, ({ sight, isLocked }) =>
    namedSql(`select from agents a where a.id = :id and ${agentIsVisible(sight, 'a')} ${isLocked ? 'for update' : ''}`),
  )

  it('has one text per sight and shape, with the values of the actor', () => {
    const texts = new Set<string>()
    for (const sight of sights) {
      for (const isLocked of [false, true]) {
        const [one, other] = ['one', 'other'].map((mark) =>
          agentStatement(actorOf(sight, mark), { isLocked }, { id: 'x', userId: 'nobody' }),
        ) as [ReturnType<typeof agentStatement>, ReturnType<typeof agentStatement>]
        expect(one.text).toBe(other.text)
        expect(one.values).toEqual(['x', ...needed[sight].map((name) => `${name} one`)])
        expect(other.values).toEqual(['x', ...needed[sight].map((name) => `${name} other`)])
        texts.add(one.text)
      }
    }
    expect(texts.size).toBe(2 * sights.length)
  })

  it('refuses a shape whose values are not listed', () => {
    const { userId } = actorOf('scoped', 'one')
    // @ts-expect-error: a field accepts only its listed values, not any text
    expect(() => agentStatement(actorOf('scoped', 'one'), { isLocked: userId }, { id: 'x' })).toThrow('isLocked')
  })
})

it('the text of a condition can depend only on a sight and a listed alias', () => {
  expectTypeOf(agentIsVisible).parameters.toEqualTypeOf<[Sight, 'agents' | 'a']>()
  expectTypeOf(agentOfRecordIsVisible).parameters.toEqualTypeOf<[Sight, 'r' | 'e']>()
  expectTypeOf(visibleAgentIds).parameters.toEqualTypeOf<[Sight]>()
  expectTypeOf(environmentIsVisible).parameters.toEqualTypeOf<[Sight]>()
  expectTypeOf(policyIsVisible).parameters.toEqualTypeOf<[Sight, 'policies' | 'p']>()
  expectTypeOf(isInReach).parameters.toEqualTypeOf<[Sight, 'policies' | 'reports']>()
  expectTypeOf<Sight>().toEqualTypeOf<'all' | 'bound' | 'scoped' | 'scoped+bound'>()
})

it.each(sights)('the access scope and the key of an actor determine the sight %s', (sight) => {
  expect(sightOf(actorOf(sight, 'one'))).toBe(sight)
})

it('the sight of a person is never bound', () => {
  expect(sightOf({ ...actorOf('bound', 'one'), kind: 'person', key: null })).toBe('all')
  expect(sightOf({ ...actorOf('scoped+bound', 'one'), kind: 'person', key: null })).toBe('scoped')
})
