import { join } from 'node:path'
import { endpoints } from '@mandate/contract/endpoints'
import { describe, expect, it } from 'vitest'
import { readHelpFacts } from '../../../build/read-help-facts.ts'

const { abilities, words, pages } = readHelpFacts(join(import.meta.dirname, '../../../../..'))
const ranks = ['learner', 'viewer', 'member', 'manager', 'owner']

describe('what each role may do', () => {
  const ofPeople = Object.values(endpoints).flatMap(({ access, summary }) =>
    access.by === 'role'
      ? [{ role: access.role as string, isOpen: 'learners' in access, summary: summary as string }]
      : [],
  )

  it('is listed for every operation of people, and for no other operation', () => {
    expect(abilities.map(({ summary }) => summary).toSorted()).toEqual(
      ofPeople.map(({ summary }) => summary).toSorted(),
    )
  })

  it('is never more than the contract declares', () => {
    const tooMuch = abilities.filter(({ floor, summary }) => {
      const declared = ofPeople.find((operation) => operation.summary === summary)
      return ranks.indexOf(floor) < ranks.indexOf(declared?.isOpen ? 'learner' : (declared?.role ?? 'owner'))
    })
    expect(tooMuch).toEqual([])
  })

  it('names the rules that only owners meet, and those that need access to everything', () => {
    expect(abilities).toContainEqual(
      expect.objectContaining({ summary: endpoints.deleteTenant.summary, floor: 'owner' }),
    )
    expect(abilities).toContainEqual(
      expect.objectContaining({ summary: endpoints.createEnvironment.summary, floor: 'manager', needsAll: true }),
    )
  })
})

describe('the glossary', () => {
  const all = words.flatMap((group) => group.words)

  it('has every group but the words of the code', () => {
    expect(words.map(({ group }) => group)).toEqual([
      'Who is who',
      'Agents',
      'Policies',
      'Edges and decisions',
      'Assurance',
      'The audit trail',
    ])
    expect(all.length).toBeGreaterThan(50)
  })

  it('has no marks that the page does not show', () => {
    for (const { term, meaning } of all) expect(`${term} ${meaning}`).not.toMatch(/<a |\]\(|More:/)
    expect(all).toContainEqual(expect.objectContaining({ id: 'drift', term: '**Drift**', more: 'docs/reviews.md' }))
  })
})

it('the list of pages has the pages of the README', () => {
  expect(pages.map(({ path }) => path)).toContain('docs/getting-started.md')
  expect(pages.length).toBeGreaterThan(20)
  for (const { content } of pages) expect(content).not.toMatch(/\]\(/)
})
