import { expect, it } from 'vitest'
import { activeOf } from '../../ui/filters/filters.ts'
import { filtersOf, optionsWith } from './filters.ts'

const empty = {
  status: [],
  source: [],
  governance_state: [],
  lifecycle_status: [],
  execution_coverage_state: [],
  environment_id: [],
  policy_id: [],
  owner_user_id: [],
  drift: [],
  framework: [],
  heartbeat: [],
}

it('counts that stopped have a plus sign', () => {
  const drift = [
    { key: 'true', name: 'true', count: 12 },
    { key: 'false', name: 'false', count: 10_000 },
    { key: 'unknown', name: 'unknown', count: 2500, at_least: true as const },
  ]
  expect(filtersOf({}, { ...empty, drift }, undefined)[0]?.options).toEqual([
    { value: 'true', text: 'Drift', note: '12' },
    { value: 'false', text: 'As approved', note: '10,000+' },
    { value: 'unknown', text: 'Not known', note: '2,500+' },
  ])
})

it('names the filters that are on, but not the order', () => {
  const environment_id = [{ key: 'e1', name: 'production', count: 3 }]
  const search = { search: 'stock', environment_id: 'e1', sort: 'name' }
  expect(
    activeOf(filtersOf(search, { ...empty, environment_id }, undefined), { name: 'search', value: search.search }),
  ).toEqual([
    { name: 'search', words: '“stock” in the name' },
    { name: 'environment_id', words: 'Environment production' },
  ])
})

it('a value that no agent of the list has keeps its name', () => {
  const environment_id = [{ key: 'e1', name: 'production', count: 3 }]
  const filters = filtersOf({ environment_id: 'e1' }, empty, { ...empty, environment_id })
  expect(activeOf(filters)).toEqual([{ name: 'environment_id', words: 'Environment production' }])
  expect(filters.find(({ name }) => name === 'environment_id')?.options).toEqual([
    { value: 'e1', text: 'production', note: '0' },
  ])
})

it('a value that no agent has keeps its word', () => {
  expect(activeOf(filtersOf({ lifecycle_status: 'retired' }, empty, empty))[0]?.words).toBe('Lifecycle Retired')
})

it('a policy that no agent has is named by what was read of it', () => {
  const words = (name?: string) =>
    activeOf(filtersOf({ policy_id: 'p1' }, empty, empty, { policy_id: name })).map((each) => each.words)
  expect(words('Wide')).toEqual(['Policy Wide'])
  expect(words()).toEqual(['Policy p1'])
})

it('a menu with a search has the values of the facet and what the server found, each once', () => {
  const counted = { value: 'p1', text: 'Front desk', note: '3' }
  const found = { value: 'p2', text: 'Night desk' }
  const other = { value: 'p3', text: 'Warehouse', note: '2' }
  expect(optionsWith([counted, other], [], '')).toEqual([counted, other])
  expect(optionsWith([counted, other], [{ value: 'p1', text: 'Front desk' }, found], 'desk')).toEqual([counted, found])
})
